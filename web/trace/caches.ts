import { controllerOf } from "./actor.ts";
import { Details } from "./details.ts";

/*
 * What controllers read of their informers' caches, and what informers heard, in words for people who do not
 * know Go's names of types or upstream's of indices.
 */

/** Looks of one kind: Go's name of the type, "key", "selector" or an index, which of them, and how many each found. */
interface Looks {
  readonly type: string;
  readonly by: string;
  /** The kind of the owner, "nobody", "labels" or "namespace" (core/clienttrace, Read.Which). */
  readonly which: string;
  readonly found: readonly number[];
}

/** "found in its cache: 3 Pods of this ReplicaSet; no Pod without an owner", of a step's details. */
export function looked(details: unknown): string {
  const own = controllerOf(details);
  // What is there first: it is the object that is worked on, and then what of it is missing.
  const none = ({ found }: Looks) => Number(found.every((n) => n === 0));
  const said = together(looks(details))
    .toSorted((a, b) => none(a) - none(b))
    .map((some) => found(some, own));
  return `found in its cache: ${said.join("; ")}`;
}

/** What the first look found: "3 Pods of this ReplicaSet". */
export function firstLook(details: unknown): string {
  const [first] = looks(details);
  return first === undefined ? "" : found(first, controllerOf(details));
}

function looks(details: unknown): readonly Looks[] {
  return new Details(details).list("reads").map((one) => {
    const read = new Details(one);
    const [type, by, which] = [read.text("type"), read.text("by"), read.text("which")];
    return { type, by, which, found: [Number(read.text("found")) || 0] };
  });
}

/** What was looked up in the same way, together: a Deployment looks for the pods of each of its ReplicaSets. */
function together(looks: readonly Looks[]): readonly Looks[] {
  const ways = new Map<string, Looks>();
  for (const look of looks) {
    const way = `${look.type} ${look.by} ${look.which}`;
    ways.set(way, { ...look, found: [...(ways.get(way)?.found ?? []), ...look.found] });
  }
  return [...ways.values()];
}

/** What looks of one kind found, for the controller of that name. */
function found({ type, by, which, found }: Looks, controller: string): string {
  const name = typeName(type);
  const [first = 0, ...rest] = found;
  if (by === "key") {
    const there = found.reduce((sum, n) => sum + n, 0);
    if (found.length > 1) return `${there} of ${found.length} ${plural(name)}, each by its name`;
    if (there === 0) return `no ${name} of that name`;
    return name.toLowerCase() === controller ? `the ${name} itself` : `the ${name} by its name`;
  }
  const [those, again] = whose(by, which, controller);
  const next = rest.map((n) => `, then ${n || "none"}${again}`);
  return `${many(first, name)} ${those}${next.join("")}`;
}

/** Whose they are that were looked for, and whose the next time. */
function whose(by: string, which: string, controller: string): [those: string, again: string] {
  const known = WHOSE.get(`${BY_OWNER.has(by) ? "owner" : by} ${which}`);
  if (known !== undefined) return [known, ""];
  if (!BY_OWNER.has(by)) return [`by ${by}`, ""];
  return which.toLowerCase() === controller
    ? [`of this ${which}`, ""]
    : [`of a ${which}`, " of another"];
}

/** Indices by the owner (pkg/controller, PodControllerIndex; pkg/controller/history, ControllerRevisionControllerIndex). */
const BY_OWNER: ReadonlySet<string> = new Set(["podController", "controllerRevisionController"]);

/** The words for it, by the way of looking and by which of them. */
const WHOSE: ReadonlyMap<string, string> = new Map([
  ["owner nobody", "without an owner"],
  ["owner ", "by owner"],
  // The name of upstream's index is the field's path (pkg/controller, PodNodeNameKeyIndex).
  ["spec.nodeName ", "on the node"],
  // An index by the UID of what owns them (upstream's pkg/controller/replicaset, controllerUIDIndex).
  ["controllerUID ", "of the same owner"],
  ["selector labels", "with the labels it looks for"],
  ["selector namespace", "in the namespace"],
  ["selector ", "in all"],
]);

/** "no Pod", "1 Pod", "3 Pods". */
function many(n: number, type: string): string {
  if (n === 0) return `no ${type}`;
  return `${n} ${n === 1 ? type : plural(type)}`;
}

/** "a new Pod", of an informer's event. */
export function heard(event: string, type: string): string {
  const was = EVENTS.get(event);
  return was === undefined ? `${typeName(type)} (${event})` : `a ${was} ${typeName(type)}`;
}

const EVENTS: ReadonlyMap<string, string> = new Map([
  ["added", "new"],
  ["updated", "changed"],
  ["deleted", "deleted"],
]);

/** Go's name of a type without its package: "v1.Pod" is a Pod. */
function typeName(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

function plural(type: string): string {
  if (type === "Endpoints") return type;
  if (/[^aeiou]y$/.test(type)) return type.replace(/y$/, "ies");
  return `${type}${/(s|x|ch)$/.test(type) ? "es" : "s"}`;
}
