import { byName } from "../kube/order.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { isRead, WRITE } from "../trace/told.ts";
import { actorOf, textOf } from "../trace/words.ts";
import { Boxes, isOfManager, MANAGER } from "./boxes.ts";
import { layoutFor, type Frame, type Label, type Point } from "./layout.ts";
import { joins, waysOf, type Way } from "./lines.ts";
import { Schedulers } from "./schedulers.ts";

export { fitsHigh, stays } from "./layout.ts";

/*
 * The drawing of the machine inside the tab: what stands where. It is made of what runs: a node of the
 * cluster, a controller that has acted. Coordinates are those of a viewBox of the scene's size.
 */

/** How many nodes are drawn; the others are counted. */
const NODES = 6;
/** How big small words are, in units of the viewBox, and how wide a letter of them is by that. */
const SMALL = 14;
const LETTER = 0.6;

export interface Place extends Frame {
  readonly id: string;
  readonly name: string;
  /** What kind of thing stands there, "rest" being words for those without a box. `x` and `y` are its middle. */
  readonly shape: "box" | "station" | "rest";
  /** Where a station's name stands. */
  readonly label?: Label;
  /** How big the words are, if they are not as others. */
  readonly size?: number;
}

export interface Scene {
  readonly width: number;
  readonly height: number;
  /** Higher than wide, for a phone: stations stand below each other, with their names beside them. */
  readonly narrow: boolean;
  /** The frame round the API server's stations, from its corner. */
  readonly server: Frame;
  /** Where that frame's name begins. */
  readonly title: Point;
  /** The frame round those controllers that are one process; its name is a place. */
  readonly manager: Frame | undefined;
  /** Up here go the lines to the nodes. */
  readonly riser: number;
  readonly places: ReadonlyMap<string, Place>;
  /** Ways that are always drawn, faintly. */
  readonly ways: readonly Way[];
  /** The ways of requests, which go along those: all of them come in at the server's first station. */
  readonly requests: readonly Way[];
  /** At whose place a step is that does not say so itself, a batch or what an informer has heard: a controller's or a node's. */
  readonly whose: ReadonlyMap<number, string>;
  readonly schedulers: Schedulers;
}

/** The stations of the API server, in the order in which a request passes them. */
export const STATIONS = [
  "authentication",
  "authorization",
  "admission",
  "validation",
  "storage",
] as const;

/** What a controller's place has before its name. */
const CONTROLLER = "controller ";

/** An informer's step, which does not say who listens. */
const INFORMED = "controllers.informed";

/** Who is told of each revision by etcd, and tells everybody who watches: the server's own, upstream's word. */
export const WATCH_CACHE = "watch cache";

/** Components that have a place of their own; whoever else acts is a controller. */
const FIXED: Readonly<Record<string, string>> = {
  kubectl: "kubectl",
  "kube-apiserver": "authentication",
  etcd: "etcd",
  "kube-scheduler": "scheduler",
};

/**
 * `at` is the step that is looked at: whoever does it is drawn, however many others there are. `boxes` has those
 * of the controllers from one time to the next.
 */
export function sceneOf(
  nodes: readonly string[],
  steps: readonly TraceStep[],
  narrow = false,
  at?: TraceStep,
  boxes: Boxes = new Boxes(),
): Scene {
  const layout = layoutFor(narrow);
  const places = new Map<string, Place>();
  const put = (place: Place) => void places.set(place.id, place);
  const box = (id: string, name: string, { x, y, width, height }: Frame) =>
    put({ id, name, shape: "box", x: x + width / 2, y: y + height / 2, width, height });
  box("kubectl", "kubectl", layout.kubectl);
  const station = (id: string, at: Point, label: Label) =>
    put({ id, name: id, shape: "station", ...at, width: 20, height: 20, label });
  const { x, y, dx, dy, label } = layout.stations;
  STATIONS.forEach((id, i) => station(id, { x: x + dx * i, y: y + dy * i }, label));
  station(WATCH_CACHE, layout.cache, layout.cacheLabel);
  box("etcd", "etcd", layout.etcd);
  const wrote = writers(steps);
  const whose = whoseIn(steps, works(steps));
  const named = (step: TraceStep) => {
    const place = whose.get(step.id) ?? "";
    return place.startsWith(CONTROLLER) ? place.slice(CONTROLLER.length) : actorOf(step);
  };
  const rest = (id: string, name: string, at: Point, size = SMALL) => {
    const width = name.length * LETTER * size;
    put({ id, name, shape: "rest", x: at.x + width / 2, y: at.y, width, height: SMALL, size });
  };
  const more = (kind: string, n: number, at: Point, size?: number) => {
    if (n > 0)
      rest(`more ${kind}`, `and ${n} more ${n === 1 ? kind.replace(/s$/, "") : kind}`, at, size);
  };
  const controllers = [...new Set(steps.filter(isController).map(named))].filter(isApart);
  const doing = [at, steps.find(({ id }) => id === at?.cause)];
  const acts = doing.flatMap((step) => (step && isController(step) ? [named(step)] : []));
  const standing = boxes.of(steps[0]?.id, controllers, new Set([...wrote].filter(isApart)));
  const drawn = boxes.withResting(boxes.withActing(standing, acts.filter(isApart), wrote));
  drawn.forEach((name, i) => {
    const at = layout.controllers[i];
    if (at && name !== undefined) box(`controller ${name}`, name, at);
  });
  const frames = managerOf(drawn);
  const [, , whole] = layout.manager;
  const isThere = [...controllers, ...drawn].some((name = "") => isOfManager(name));
  const manager = isThere ? layout.manager[frames - 1] : undefined;
  if (!drawn.some(Boolean)) box(`controller ${MANAGER}`, MANAGER, whole);
  else if (manager)
    rest(`controller ${MANAGER}`, MANAGER, layout.managerName, layout.managerName.size[frames - 1]);
  const schedulers = new Schedulers(steps);
  const other =
    doing.map((step) => (step ? schedulers.of(step) : "")).find(Boolean) ?? schedulers.names.at(-1);
  // The cluster's own, and below it the other one that acts, or acted last.
  const [first, second] = halves(layout.scheduler);
  box("scheduler", "kube-scheduler", other === undefined ? layout.scheduler : first);
  if (other !== undefined) box(`scheduler ${other}`, other, second);
  // Of more nodes than have room those that the command came to, and first the one that is looked at.
  const came = [at, ...steps].flatMap((step) => step?.node ?? []);
  const all = [...new Set([...came, ...[...nodes].sort(byName)])];
  const shown = all.slice(0, NODES).sort(byName);
  const column = layout.nodes;
  const height = Math.min(column.most, (column.height + 12) / Math.max(1, shown.length) - 12);
  shown.forEach((name, i) =>
    box(`node ${name}`, name, { ...column, y: column.y + (height + 12) * i, height }),
  );
  const others = controllers.filter((name) => !drawn.includes(name)).length;
  more("controllers", others, layout.moreControllers, layout.moreControllers.size);
  more("schedulers", schedulers.names.length - 1, layout.moreSchedulers);
  more("nodes", all.length - shown.length, layout.moreNodes);
  return {
    width: layout.width,
    height: layout.height,
    narrow,
    server: layout.server,
    places,
    title: layout.title,
    manager,
    riser: layout.riser,
    ...waysOf(places, STATIONS, layout),
    whose,
    schedulers,
  };
}

/** What of kube-controller-manager is no controller's has no box beside theirs, but their frame. */
const isApart = (name: string) => name !== MANAGER;

/** How many of the boxes, from the first one on, are in kube-controller-manager's frame; none if others stand among them. */
function managerOf(drawn: readonly (string | undefined)[]): number {
  const isOther = (name: string | undefined) => name !== undefined && !isOfManager(name);
  const first = drawn.findIndex(isOther);
  if (first < 0) return drawn.length;
  return drawn.slice(first).every((name) => name === undefined || isOther(name)) ? first : 0;
}

/** A frame cut in two, one above the other. */
function halves({ x, y, width, height }: Frame): readonly [Frame, Frame] {
  const half = (height - 6) / 2;
  return [
    { x, y, width, height: half },
    { x, y: y + height - half, width, height: half },
  ];
}

/** Whose work each batch is part of, and who took up what an informer has heard: first of all who wrote because of it. */
function whoseIn(
  steps: readonly TraceStep[],
  wrote: ReadonlySet<TraceStep>,
): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const sure = new Set<number>();
  const known = new Map(steps.map((step) => [step.id, step]));
  for (const step of steps) {
    const by = known.get(step.cause ?? 0);
    if (!by) continue;
    if (step.kind === "controllers.batch") found.set(step.id, CONTROLLER + actorOf(by));
    // What leads the pods of nodes to Services hears by informers, too.
    const leads = step.kind.startsWith("network.") && step.node;
    if (leads && by.kind === INFORMED && !found.has(by.id)) found.set(by.id, `node ${step.node}`);
    if (by.kind !== INFORMED || step.kind !== "controllers.reconcile") continue;
    if (sure.has(by.id)) continue;
    if (wrote.has(step)) sure.add(by.id);
    // The API server has controllers of its own, and is told in its frame.
    found.set(by.id, FIXED[step.component] ?? CONTROLLER + actorOf(step));
  }
  return found;
}

/** A controller is drawn when it has worked on something; what only listens is none. */
function isController({ kind, component, node }: TraceStep): boolean {
  return (
    FIXED[component] === undefined &&
    !node &&
    component !== "" &&
    kind !== INFORMED &&
    !kind.startsWith("scheduler.") &&
    !kind.startsWith("start.")
  );
}

/** The controllers whose requests came to a write. */
function writers(steps: readonly TraceStep[]): ReadonlySet<string> {
  return new Set([...works(steps)].map(actorOf));
}

/** The work of controllers whose requests came to a write. */
function works(steps: readonly TraceStep[]): ReadonlySet<TraceStep> {
  const known = new Map(steps.map((step) => [step.id, step]));
  const found = new Set<TraceStep>();
  for (const { kind, cause } of steps) {
    if (!WRITE.test(kind)) continue;
    const by = known.get(known.get(cause ?? 0)?.cause ?? 0);
    const work = by?.kind === "controllers.batch" ? known.get(by.cause ?? 0) : by;
    if (work && isController(work)) found.add(work);
  }
  return found;
}

/** Where a step happens. Every step has a place: that of who is not drawn is where those are counted. */
export function placeOf(step: TraceStep, { places, whose, schedulers }: Scene): Place {
  const scheduler = schedulers.of(step);
  const own = whose.get(step.id) ?? placeName(step);
  const name = scheduler === "" ? own : `scheduler ${scheduler}`;
  const found = places.get(name);
  const first = places.values().next().value;
  if (found) return found;
  const kin = name.split(" ")[0] ?? "";
  const like =
    places.get(`more ${kin}s`) ??
    [...places.values()].filter(({ id }) => id === kin || id.startsWith(`${kin} `)).at(-1);
  if (like) return like;
  if (!first) throw new Error("the scene of the journey is empty");
  return places.get("etcd") ?? first;
}

/** The last step at each place, by the place's id. */
export function lastsOf(
  steps: readonly TraceStep[],
  scene: Scene,
  until?: TraceStep,
): ReadonlyMap<string, TraceStep> {
  const so = until ? steps.slice(0, steps.indexOf(until) + 1) : steps;
  return new Map(so.map((step) => [placeOf(step, scene).id, step]));
}

function placeName(step: TraceStep): string {
  const { kind, component, node } = step;
  if (kind.startsWith("authentication.")) return "authentication";
  if (kind.startsWith("authorization.")) return "authorization";
  if (kind === "apiserver.decoded") return "admission";
  // "etcd" or WATCH_CACHE, as their places are called.
  if (isRead(step)) return textOf(step.details, "from");
  if (AT_STORAGE.has(kind)) return "storage";
  if (AT_VALIDATION.has(kind)) return "validation";
  if (kind.startsWith("admission.")) return "admission";
  if (kind === "etcd.watched") return WATCH_CACHE;
  if (kind.startsWith("etcd.")) return "etcd";
  if (node) return `node ${node}`;
  if (kind.startsWith("scheduler.")) return "scheduler";
  return FIXED[component] ?? CONTROLLER + actorOf(step);
}

/** An object is prepared and validated by its registry, and only then may plugins refuse it. */
export const AT_VALIDATION: ReadonlySet<string> = new Set([
  "registry.created",
  "registry.updated",
  "admission.validating",
  "validation.refused",
]);

/** What the server does around writing, which is told of the last station. */
const AT_STORAGE: ReadonlySet<string> = new Set([
  "apiserver.handler",
  "apiserver.audit",
  "registry.stored",
  "registry.exists",
  "initializers.waited",
]);

/** The station before each, where a step of these kinds comes from. */
const BEFORE: Readonly<Record<string, string>> = {
  // What is written comes out of the last station.
  "etcd.put": "storage",
  "etcd.delete": "storage",
  "etcd.watched": "etcd",
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
};

/** Where a step comes from: the place of what caused it. */
export function originOf(
  step: TraceStep,
  steps: ReadonlyMap<number, TraceStep>,
  scene: Scene,
): Place {
  const known = Object.hasOwn(BEFORE, step.kind) ? BEFORE[step.kind] : undefined;
  // What is read was not admitted by anybody.
  const before = isRead(step) ? "authorization" : known;
  if (before !== undefined) return scene.places.get(before) ?? placeOf(step, scene);
  const to = placeOf(step, scene);
  const cause = steps.get(step.cause ?? 0);
  const from = cause ? placeOf(cause, scene) : to;
  const cache = scene.places.get(WATCH_CACHE);
  if (!cache || from === to) return from;
  // Nobody but the API server is told by etcd, and no controller by another one: a cause that only the object shows,
  // or that was heard elsewhere, came through the cache that tells everybody who watches.
  const within = from.shape === "station" && to.shape === "station";
  const through = from.id === "etcd" || (!within && !joins(from, to, scene));
  return through && joins(cache, to, scene) ? cache : from;
}
