/*
 * What controllers read of their informers' caches, and what informers heard, in words for people who do not
 * know Go's names of types or upstream's of indices.
 */

/** One way to look something up: Go's name of the type, "key", "selector" or an index, and how many each look found. */
export interface Looks {
  readonly type: string;
  readonly by: string;
  readonly found: readonly string[];
}

/** "0 Pods by owner", "0, then 1 Pod by owner", "the Deployment by key", "a list of 3 ReplicaSets". */
export function found({ type, by, found }: Looks): string {
  const name = typeName(type);
  if (by === "key" && found.join() === "1") return `the ${name} by key`;
  const many = `${found.join(", then ")} ${found.at(-1) === "1" ? name : plural(name)}`;
  return by === "selector" ? `a list of ${many}` : `${many} by ${INDICES.get(by) ?? by}`;
}

/** What was looked up in the same way, together: a ReplicaSet looks for its pods, then for those that nobody owns. */
export function together(looks: readonly Looks[]): readonly Looks[] {
  const ways = new Map<string, Looks>();
  for (const { type, by, found } of looks) {
    const way = `${type} ${by}`;
    ways.set(way, { type, by, found: [...(ways.get(way)?.found ?? []), ...found] });
  }
  return [...ways.values()];
}

/** "a new Pod", of an informer's event. */
export function heard(event: string, type: string): string {
  const was = EVENTS.get(event);
  return was === undefined ? `${typeName(type)} (${event})` : `a ${was} ${typeName(type)}`;
}

/** Those that name a controller by its UID (upstream's pkg/controller: PodControllerIndex, controllerUIDIndex). */
const INDICES: ReadonlyMap<string, string> = new Map([
  ["podController", "owner"],
  ["controllerUID", "owner"],
]);

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
