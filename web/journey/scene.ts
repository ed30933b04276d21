import type { TraceStep } from "../rpc/protocol.ts";
import { actorOf } from "../trace/words.ts";

/*
 * The drawing of the machine inside the tab: what stands where. It is made of what runs: a node of the
 * cluster, a controller that has acted. Coordinates are those of a viewBox of WIDTH by HEIGHT.
 */
export const WIDTH = 1060;
export const HEIGHT = 400;

/** How many controllers and nodes are drawn; the others are counted. */
const CONTROLLERS = 3;
const NODES = 6;

export interface Place {
  readonly id: string;
  readonly name: string;
  /** What kind of thing stands there. */
  readonly shape: "box" | "station";
  /** Its middle, and its size. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Scene {
  readonly places: ReadonlyMap<string, Place>;
  /** Ways that are always drawn, faintly: from, to. */
  readonly ways: readonly (readonly [string, string])[];
  readonly moreControllers: number;
  readonly moreNodes: number;
}

/** The stations of the API server, in the order in which a request passes them. */
export const STATIONS = [
  ["authentication", "authentication"],
  ["authorization", "authorization"],
  ["admission", "admission"],
  ["validation", "validation"],
  ["storage", "storage"],
] as const;

/** The frame round the stations. */
export const SERVER = { x: 130, y: 14, width: 642, height: 128 };

/** Components that have a place of their own; whoever else acts is a controller. */
const FIXED: Readonly<Record<string, string>> = {
  kubectl: "kubectl",
  "kube-apiserver": "authentication",
  etcd: "etcd",
  "kube-scheduler": "scheduler",
};

export function sceneOf(nodes: readonly string[], steps: readonly TraceStep[]): Scene {
  const places = new Map<string, Place>();
  const put = (place: Place) => void places.set(place.id, place);
  const box = (id: string, name: string, x: number, y: number, width: number, height: number) =>
    put({ id, name, shape: "box", x: x + width / 2, y: y + height / 2, width, height });
  box("kubectl", "kubectl", 10, 44, 100, 56);
  STATIONS.forEach(([id, name], i) =>
    put({ id, name, shape: "station", x: 195 + 128 * i, y: 72, width: 20, height: 20 }),
  );
  box("etcd", "etcd", 530, 190, 220, 64);
  const controllers = [...new Set(steps.filter(isController).map(actorOf))];
  // Who wrote something is what a command is about; most others only looked whether it concerns them.
  const wrote = writers(steps);
  const drawn = [
    ...controllers.filter((name) => !wrote.has(name)),
    ...controllers.filter((name) => wrote.has(name)),
  ].slice(-CONTROLLERS);
  if (drawn.length === 0) drawn.push("kube-controller-manager");
  drawn.forEach((name, i) => box(`controller ${name}`, name, 10 + 180 * i, 312, 168, 64));
  box("scheduler", "kube-scheduler", 566, 312, 184, 64);
  const all = [...new Set([...nodes, ...steps.flatMap(({ node }) => node ?? [])])].sort((a, b) =>
    a.localeCompare(b, "en", { numeric: true }),
  );
  const shown = all.slice(0, NODES);
  const height = Math.min(108, (HEIGHT - 30) / Math.max(1, shown.length) - 12);
  shown.forEach((name, i) => box(`node ${name}`, name, 800, 14 + (height + 12) * i, 250, height));
  const watchers = [...places.keys()].filter((id) => /^(controller|node) |^scheduler$/.test(id));
  return {
    places,
    ways: [
      ["kubectl", "authentication"],
      ...STATIONS.slice(1).map(([id], i) => [STATIONS[i]?.[0] ?? "", id] as const),
      ["storage", "etcd"],
      ...watchers.map((id) => ["etcd", id] as const),
    ],
    moreControllers: Math.max(0, controllers.length - drawn.length),
    moreNodes: all.length - shown.length,
  };
}

/** A controller is drawn when it has worked on something; what only listens is none. */
function isController({ kind, component, node }: TraceStep): boolean {
  return (
    FIXED[component] === undefined && !node && component !== "" && kind !== "controllers.informed"
  );
}

/** The controllers whose requests came to a write. */
function writers(steps: readonly TraceStep[]): ReadonlySet<string> {
  const known = new Map(steps.map((step) => [step.id, step]));
  const names = new Set<string>();
  for (const { kind, cause } of steps) {
    if (kind !== "etcd.put" && kind !== "etcd.delete") continue;
    const by = known.get(known.get(cause ?? 0)?.cause ?? 0);
    if (by && isController(by)) names.add(actorOf(by));
  }
  return names;
}

/** Where a step happens. Every step has a place: one that is not drawn happens where its like are. */
export function placeOf(step: TraceStep, { places }: Scene): Place {
  const found = places.get(placeName(step));
  const first = places.values().next().value;
  if (found) return found;
  const kin = placeName(step).split(" ")[0] ?? "";
  const like = [...places.values()].filter(({ id }) => id.startsWith(`${kin} `)).at(-1);
  if (like) return like;
  if (!first) throw new Error("the scene of the journey is empty");
  return places.get("etcd") ?? first;
}

function placeName(step: TraceStep): string {
  const { kind, component, node } = step;
  if (kind.startsWith("authentication.")) return "authentication";
  if (kind.startsWith("authorization.")) return "authorization";
  if (kind === "admission.validating") return "validation";
  if (kind.startsWith("admission.")) return "admission";
  if (kind.startsWith("etcd.")) return "etcd";
  if (node) return `node ${node}`;
  return FIXED[component] ?? `controller ${actorOf(step)}`;
}

/** Where a step comes from: the place of what caused it. */
export function originOf(
  step: TraceStep,
  steps: ReadonlyMap<number, TraceStep>,
  scene: Scene,
): Place {
  // What is written comes out of the last station.
  if (step.kind === "etcd.put" || step.kind === "etcd.delete") {
    return scene.places.get("storage") ?? placeOf(step, scene);
  }
  if (step.kind === "authorization.allowed")
    return scene.places.get("authentication") ?? placeOf(step, scene);
  if (step.kind === "admission.mutating")
    return scene.places.get("authorization") ?? placeOf(step, scene);
  if (step.kind === "admission.validating")
    return scene.places.get("admission") ?? placeOf(step, scene);
  const cause = steps.get(step.cause ?? 0);
  return cause ? placeOf(cause, scene) : placeOf(step, scene);
}

/** What is known of a cluster at one step of a command. */
export interface Moment {
  readonly revision: string;
  /** This command's pods on each node: bound, and those of them that were started. */
  readonly pods: ReadonlyMap<string, { readonly bound: number; readonly started: number }>;
  /** Names of whom the server asks, as its steps tell: by station. */
  readonly asked: ReadonlyMap<string, readonly string[]>;
}

/** What the first steps of a command have come to. */
export function momentOf(steps: readonly TraceStep[]): Moment {
  let revision = "";
  const bound = new Map<string, Set<string>>();
  const begun = new Map<string, Set<string>>();
  const asked = new Map<string, readonly string[]>();
  const note = (on: Map<string, Set<string>>, node: string, pod: string) => {
    if (node !== "") on.set(node, (on.get(node) ?? new Set()).add(pod));
  };
  for (const { kind, details, node = "", object } of steps) {
    const pod = object?.name ?? "";
    if (kind === "etcd.put") revision = text(details, "revision") || revision;
    if (kind === "scheduler.bind") note(bound, text(details, "node"), pod);
    if (kind === "cri.StartContainer") note(begun, node, pod);
    if (kind === "authentication.accepted") asked.set("authentication", names(details, "asked"));
    if (kind === "authorization.allowed") asked.set("authorization", names(details, "asked"));
    if (kind === "admission.mutating") asked.set("admission", names(details, "plugins"));
    if (kind === "admission.validating") asked.set("validation", names(details, "plugins"));
  }
  const pods = new Map<string, { bound: number; started: number }>();
  for (const node of new Set([...bound.keys(), ...begun.keys()])) {
    const started = begun.get(node)?.size ?? 0;
    pods.set(node, { bound: Math.max(started, bound.get(node)?.size ?? 0), started });
  }
  return { revision, pods, asked };
}

function text(of: unknown, key: string): string {
  const value = typeof of === "object" && of !== null ? (of as Record<string, unknown>)[key] : "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function names(of: unknown, key: string): readonly string[] {
  const list = typeof of === "object" && of !== null ? (of as Record<string, unknown>)[key] : [];
  return Array.isArray(list) ? list.map((one) => text(one, "name")).filter(Boolean) : [];
}
