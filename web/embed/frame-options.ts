import { namesScenario } from "../lesson/load.ts";
import { webAddress } from "../share/address.ts";

/** What an address of the frame asks for: `embed/#nodes=2&run=kubectl+get+nodes`. */
export interface FrameOptions {
  /** Attributes of `<tabernetes-cluster>`. */
  readonly cluster: Readonly<Record<string, string>>;
  /** Attributes of `<tabernetes-terminal>`. */
  readonly terminal: Readonly<Record<string, string>>;
  readonly manifests: readonly string[];
  /** Files of the cluster's configuration, by their names. */
  readonly configs: Readonly<Record<string, string>>;
  /** A lesson above the terminal. */
  readonly lesson?: FrameLesson;
}

export interface FrameLesson {
  /** Its folder, or the index.json of a scenario. */
  readonly folder: URL;
  /** Somebody's progress, packed. */
  readonly progress?: string;
}

/** The longest text after "#", in characters. */
const MAX = 65_536;

const CLUSTER = ["nodes", "node-cpu", "node-memory", "refuse-images", "start", "awake"];
const CONFIGS = ["scheduler", "admission"];
const TERMINAL = ["theme", "font-size"];
const KNOWN = [
  ...CLUSTER,
  ...TERMINAL,
  ...CONFIGS.map(named),
  ...["run", "manifest", "lesson", "progress"],
];

/**
 * Reads what stands after "#", which anybody may have written, in the frame of the site at `site`. Throws an
 * Error in words for the reader; what a cluster cannot be made with, createCluster refuses later.
 */
export function frameOptions(hash: string, site: URL): FrameOptions {
  if (hash.length > MAX) {
    throw new Error(
      `The address of this frame has ${hash.length} characters after "#"; ${MAX} are taken. Name a shorter one, and load what is long from the terminal.`,
    );
  }
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const unknown = [...params.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `The address of this frame has "${unknown.slice(0, 80)}", which it does not know. It knows ${KNOWN.join(", ")}.`,
    );
  }
  const only = (names: readonly string[]) =>
    Object.fromEntries([...params].filter(([name]) => names.includes(name)));
  const run = params
    .getAll("run")
    .flatMap((line) => line.split(/\r?\n/))
    .filter((line) => line.trim() !== "");
  const hidden = run.find((line) => HIDDEN.test(line));
  if (hidden !== undefined) {
    throw new Error(
      "A command in the address of this frame has characters that cannot be seen, so that nobody can say what it does. It is not run.",
    );
  }
  const manifests = params.getAll("manifest");
  const configs = Object.fromEntries(
    CONFIGS.flatMap((name) => {
      const text = params.get(named(name));
      return text === null ? [] : [[name, text]];
    }),
  );
  const unseen = manifests.length > 0 ? "manifest" : Object.keys(configs).map(named).at(0);
  if (unseen !== undefined && params.has("start")) {
    throw new Error(
      `The address of this frame has "${unseen}" and "start", so that it would be in force before anybody has seen it. Leave one of them out.`,
    );
  }
  const [folder, progress] = [params.get("lesson"), params.get("progress")];
  if (folder === null && progress !== null) {
    throw new Error('The address of this frame has "progress" without the "lesson" that it is of.');
  }
  if (folder !== null && run.length > 0) {
    throw new Error(
      'The address of this frame has "lesson" and "run". A lesson says by itself what is run: leave one of them out.',
    );
  }
  return {
    cluster: only(CLUSTER),
    terminal: { ...only(TERMINAL), ...(run.length > 0 ? { run: run.join("\n") } : {}) },
    manifests,
    configs,
    ...(folder === null
      ? {}
      : { lesson: { folder: folderAt(folder, site), ...(progress === null ? {} : { progress }) } }),
  };
}

/** What a file of the configuration is called in an address. */
function named(config: string): string {
  return `${config}-config`;
}

/** A lesson's folder: one of the site's own, or one in the Internet. */
function folderAt(text: string, site: URL): URL {
  const own = URL.canParse(text, site) ? new URL(text, site) : undefined;
  const ours =
    own?.origin === site.origin &&
    own.pathname.startsWith(site.pathname) &&
    own.pathname !== site.pathname;
  const folder = ours ? own : webAddress(text, "lesson");
  folder.search = folder.hash = "";
  if (!namesScenario(folder.pathname))
    folder.pathname = folder.pathname.replace(/(?:\/lesson\.md)?\/*$/, "/");
  return folder;
}

/** Controls, and what turns or hides text: the reader is to see what is run. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
