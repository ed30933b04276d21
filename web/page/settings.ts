import type { Storage } from "../term/line/history.ts";
import { CLUSTER } from "../kept/kept.ts";
import { Store } from "../state/store.ts";

/** What the page remembers from visit to visit. index.html reads `theme` before the first paint. */
export interface Settings {
  theme: "auto" | "light" | "dark";
  /** Pixels, in the terminal. */
  fontSize: number;
  /** The map's share of the height it divides with the terminal, in percent. */
  split: number;
  /** The main pane also has the terminal's place. */
  wide: boolean;
  /** Pixels, the width of the inspector. */
  inspect: number;
  /** Whether the guide stands beside the cluster, and its width in pixels. */
  guideOpen: boolean;
  guide: number;
  /** Whether a page opens with the journey and the ways in, instead of the map. */
  intro: boolean;
  /** Whether the terminal says below `kubectl get` why something in its table fails. */
  hints: boolean;
  /** What the next cluster is made of: in-tab nodes, whole cores and MiB of each. */
  nodes: number;
  nodeCPU: number;
  nodeMemory: number;
  /** Whether images that the tab does not have fail to pull in it; otherwise a stand-in runs. */
  refuseImages: boolean;
  /** Whether the next cluster is kept in this browser. */
  keep: boolean;
  /** Of one that is kept, whether its memory is, too, so that it goes on instead of starting. */
  resume: boolean;
  /** Its name there. */
  cluster: string;
  /** Configuration files of the scheduler and of admission, in YAML; empty for none. */
  schedulerConfig: string;
  admissionConfig: string;
}

/** Where the line below the main pane is until somebody moves it. */
export const SPLIT = 54;
const KEY = "tabernetes.settings";
const DEFAULTS: Settings = {
  theme: "auto",
  fontSize: 13,
  split: SPLIT,
  wide: false,
  inspect: 360,
  guideOpen: true,
  guide: 340,
  intro: true,
  hints: true,
  nodes: 3,
  nodeCPU: 4,
  nodeMemory: 8192,
  refuseImages: false,
  keep: false,
  resume: false,
  cluster: CLUSTER,
  schedulerConfig: "",
  admissionConfig: "",
};

export type SettingsStore = Store<Settings, Partial<Settings>>;

/** Settings that write themselves to `storage` whenever they change. */
export function createSettings(storage: Storage | undefined): SettingsStore {
  const store: SettingsStore = new Store(reduceSettings, reduceSettings(DEFAULTS, read(storage)));
  store.subscribe((settings) => {
    try {
      storage?.setItem(KEY, JSON.stringify(settings));
    } catch {
      // Full or forbidden: the settings then last as long as the page.
    }
  });
  return store;
}

/** Takes what is valid of a change. */
function reduceSettings(state: Settings, change: Partial<Settings>): Settings {
  const next = { ...state };
  if (change.theme === "auto" || change.theme === "light" || change.theme === "dark") {
    next.theme = change.theme;
  }
  if (Number.isFinite(change.fontSize)) next.fontSize = clamp(Number(change.fontSize), 9, 28);
  if (Number.isFinite(change.split)) next.split = clamp(Number(change.split), 12, 82);
  if (typeof change.wide === "boolean") next.wide = change.wide;
  if (Number.isFinite(change.inspect)) next.inspect = clamp(Number(change.inspect), 240, 1200);
  if (typeof change.guideOpen === "boolean") next.guideOpen = change.guideOpen;
  if (typeof change.intro === "boolean") next.intro = change.intro;
  if (typeof change.hints === "boolean") next.hints = change.hints;
  if (Number.isFinite(change.guide)) next.guide = clamp(Number(change.guide), 240, 800);
  const whole = (key: "nodes" | "nodeCPU" | "nodeMemory", low: number, high: number) => {
    if (Number.isFinite(change[key])) next[key] = clamp(Math.round(Number(change[key])), low, high);
  };
  whole("nodes", 0, 50);
  whole("nodeCPU", 1, 64);
  whole("nodeMemory", 256, 65_536);
  if (typeof change.refuseImages === "boolean") next.refuseImages = change.refuseImages;
  if (typeof change.keep === "boolean") next.keep = change.keep;
  if (typeof change.resume === "boolean") next.resume = change.resume;
  if (typeof change.cluster === "string" && /^[a-z0-9-]{1,40}$/.test(change.cluster)) {
    next.cluster = change.cluster;
  }
  if (typeof change.schedulerConfig === "string") next.schedulerConfig = change.schedulerConfig;
  if (typeof change.admissionConfig === "string") next.admissionConfig = change.admissionConfig;
  return next;
}

/** What the next cluster is made of. */
export type ClusterSettings = Pick<
  Settings,
  "nodes" | "nodeCPU" | "nodeMemory" | "refuseImages" | "schedulerConfig" | "admissionConfig"
> & { keep: string; resume?: boolean };

/** What the settings ask of a cluster. */
export function clusterConfig(settings: Settings): ClusterSettings {
  const { nodes, nodeCPU, nodeMemory, refuseImages, schedulerConfig, admissionConfig } = settings;
  const keep = settings.keep ? settings.cluster : "";
  const config = {
    nodes,
    nodeCPU,
    nodeMemory,
    refuseImages,
    schedulerConfig,
    admissionConfig,
    keep,
  };
  return settings.keep && settings.resume ? { ...config, resume: true } : config;
}

function read(storage: Storage | undefined): Partial<Settings> {
  try {
    return JSON.parse(storage?.getItem(KEY) ?? "{}") as Partial<Settings>;
  } catch {
    return {};
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** sessionStorage, or undefined where the browser forbids it: then nothing is kept there, either. */
export function tabStorage(): typeof sessionStorage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

/** localStorage, or undefined where the browser forbids it. */
export function pageStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
