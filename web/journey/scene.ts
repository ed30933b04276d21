import { byName } from "../kube/order.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { actorOf, textOf } from "../trace/words.ts";

/*
 * The drawing of the machine inside the tab: what stands where. It is made of what runs: a node of the
 * cluster, a controller that has acted. Coordinates are those of a viewBox of the scene's size.
 */

/** How many controllers and nodes are drawn; the others are counted. */
const CONTROLLERS = 3;
const NODES = 6;

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Place extends Frame {
  readonly id: string;
  readonly name: string;
  /** What kind of thing stands there. `x` and `y` are its middle. */
  readonly shape: "box" | "station";
}

export interface Scene {
  readonly width: number;
  readonly height: number;
  /** Higher than wide, for a phone: stations stand below each other, with their names beside them. */
  readonly narrow: boolean;
  /** The frame round the API server's stations, from its corner. */
  readonly server: Frame;
  readonly places: ReadonlyMap<string, Place>;
  /** Ways that are always drawn, faintly: from, to. */
  readonly ways: readonly (readonly [string, string])[];
  readonly moreControllers: number;
  readonly moreNodes: number;
}

/** The stations of the API server, in the order in which a request passes them. */
export const STATIONS = [
  "authentication",
  "authorization",
  "admission",
  "validation",
  "storage",
] as const;

/** Where everything stands: corners and sizes. */
interface Layout {
  readonly width: number;
  readonly height: number;
  readonly kubectl: Frame;
  readonly server: Frame;
  /** The middle of the first station, and how far it is to the next. */
  readonly stations: { x: number; y: number; dx: number; dy: number };
  readonly etcd: Frame;
  readonly controllers: readonly Frame[];
  /** All of them together, until one has acted. */
  readonly manager: Frame;
  readonly scheduler: Frame;
  /** The column of the nodes, and the height that one has at most. */
  readonly nodes: Frame & { most: number };
}

const frame = (x: number, y: number, width: number, height: number): Frame => ({
  x,
  y,
  width,
  height,
});

const WIDE: Layout = {
  width: 1060,
  height: 400,
  kubectl: frame(10, 44, 100, 56),
  server: frame(130, 14, 642, 128),
  stations: { x: 195, y: 72, dx: 128, dy: 0 },
  etcd: frame(530, 190, 220, 64),
  controllers: [0, 1, 2].map((i) => frame(10 + 180 * i, 312, 168, 64)),
  manager: frame(10, 312, 240, 64),
  scheduler: frame(566, 312, 184, 64),
  nodes: { ...frame(800, 14, 250, 370), most: 108 },
};

const NARROW: Layout = {
  width: 400,
  height: 588,
  kubectl: frame(10, 8, 120, 44),
  server: frame(10, 70, 218, 290),
  stations: { x: 38, y: 112, dx: 0, dy: 52 },
  etcd: frame(10, 384, 184, 60),
  controllers: [frame(10, 464, 184, 56), frame(206, 464, 184, 56), frame(10, 528, 184, 56)],
  manager: frame(10, 464, 260, 56),
  scheduler: frame(206, 384, 184, 60),
  nodes: { ...frame(252, 8, 138, 352), most: 108 },
};

/** Whether more can be read of the drawing that is higher than wide, in a room of so many pixels. */
export function fitsHigh(room: { readonly width: number; readonly height: number }): boolean {
  const scale = ({ width, height }: Layout) => Math.min(room.width / width, room.height / height);
  return scale(NARROW) > scale(WIDE);
}

/** Components that have a place of their own; whoever else acts is a controller. */
const FIXED: Readonly<Record<string, string>> = {
  kubectl: "kubectl",
  "kube-apiserver": "authentication",
  etcd: "etcd",
  "kube-scheduler": "scheduler",
};

export function sceneOf(
  nodes: readonly string[],
  steps: readonly TraceStep[],
  narrow = false,
): Scene {
  const layout = narrow ? NARROW : WIDE;
  const places = new Map<string, Place>();
  const put = (place: Place) => void places.set(place.id, place);
  const box = (id: string, name: string, { x, y, width, height }: Frame) =>
    put({ id, name, shape: "box", x: x + width / 2, y: y + height / 2, width, height });
  box("kubectl", "kubectl", layout.kubectl);
  const { x, y, dx, dy } = layout.stations;
  STATIONS.forEach((id, i) =>
    put({ id, name: id, shape: "station", x: x + dx * i, y: y + dy * i, width: 20, height: 20 }),
  );
  box("etcd", "etcd", layout.etcd);
  const controllers = [...new Set(steps.filter(isController).map(actorOf))];
  // Who wrote something is what a command is about; most others only looked whether it concerns them.
  const wrote = writers(steps);
  const drawn = [
    ...controllers.filter((name) => !wrote.has(name)),
    ...controllers.filter((name) => wrote.has(name)),
  ].slice(-CONTROLLERS);
  if (drawn.length === 0)
    box("controller kube-controller-manager", "kube-controller-manager", layout.manager);
  drawn.forEach((name, i) => {
    const at = layout.controllers[i];
    if (at) box(`controller ${name}`, name, at);
  });
  box("scheduler", "kube-scheduler", layout.scheduler);
  const all = [...new Set([...nodes, ...steps.flatMap(({ node }) => node ?? [])])].sort(byName);
  const shown = all.slice(0, NODES);
  const column = layout.nodes;
  const height = Math.min(column.most, (column.height + 12) / Math.max(1, shown.length) - 12);
  shown.forEach((name, i) =>
    box(`node ${name}`, name, frame(column.x, column.y + (height + 12) * i, column.width, height)),
  );
  const watchers = [...places.keys()].filter((id) => /^(controller|node) |^scheduler$/.test(id));
  return {
    width: layout.width,
    height: layout.height,
    narrow,
    server: layout.server,
    places,
    ways: [
      ["kubectl", "authentication"],
      ...STATIONS.slice(1).map((id, i) => [STATIONS[i] ?? "", id] as const),
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
    FIXED[component] === undefined &&
    !node &&
    component !== "" &&
    kind !== "controllers.informed" &&
    !kind.startsWith("scheduler.") &&
    !kind.startsWith("start.")
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
  const found = places.get(placeName(step, places));
  const first = places.values().next().value;
  if (found) return found;
  const kin = placeName(step, places).split(" ")[0] ?? "";
  const like = [...places.values()].filter(({ id }) => id.startsWith(`${kin} `)).at(-1);
  if (like) return like;
  if (!first) throw new Error("the scene of the journey is empty");
  return places.get("etcd") ?? first;
}

function placeName(step: TraceStep, places: Scene["places"]): string {
  const { kind, component, node, details } = step;
  if (kind.startsWith("authentication.")) return "authentication";
  if (kind.startsWith("authorization.")) return "authorization";
  if (kind === "apiserver.decoded") return "admission";
  if (AT_STORAGE.has(kind)) return "storage";
  if (kind === "admission.validating" || kind === "validation.refused") return "validation";
  if (kind.startsWith("admission.")) return "admission";
  if (kind.startsWith("etcd.")) return "etcd";
  // A binding draws a line to its node.
  const bound = kind === "scheduler.bind" ? `node ${textOf(details, "node")}` : "";
  if (places.has(bound)) return bound;
  if (node) return `node ${node}`;
  // Each profile's and each further scheduler's: there is one box, which says whose pod it looks at.
  if (kind.startsWith("scheduler.")) return "scheduler";
  return FIXED[component] ?? `controller ${actorOf(step)}`;
}

/** What the server does around writing, which is told of the last station. */
const AT_STORAGE: ReadonlySet<string> = new Set([
  "apiserver.handler",
  "apiserver.audit",
  "registry.created",
  "registry.updated",
  "registry.stored",
  "registry.exists",
  "initializers.waited",
]);

/** The station before each, where a step of these kinds comes from. */
const BEFORE: Readonly<Record<string, string>> = {
  // What is written comes out of the last station.
  "etcd.put": "storage",
  "etcd.delete": "storage",
  "authorization.allowed": "authentication",
  "authorization.forbidden": "authentication",
  "admission.mutating": "authorization",
  "admission.refused": "authorization",
  "admission.validating": "admission",
  "apiserver.decoded": "authorization",
  "registry.created": "admission",
  "registry.updated": "admission",
  "validation.refused": "admission",
  "registry.stored": "validation",
  "registry.exists": "validation",
  "apiserver.audit": "storage",
  "scheduler.bind": "scheduler",
};

/** Where a step comes from: the place of what caused it. */
export function originOf(
  step: TraceStep,
  steps: ReadonlyMap<number, TraceStep>,
  scene: Scene,
): Place {
  const before = Object.hasOwn(BEFORE, step.kind) ? BEFORE[step.kind] : undefined;
  if (before !== undefined) return scene.places.get(before) ?? placeOf(step, scene);
  const cause = steps.get(step.cause ?? 0);
  return cause ? placeOf(cause, scene) : placeOf(step, scene);
}
