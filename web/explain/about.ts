import { inNamespace } from "../kube/kubectl.ts";
import type { Event, KubeObject } from "../kube/types.ts";
import type { Around } from "./types.ts";

/** How many events of an object are looked at; the newest of them. */
const LOOKED_AT = 100;

/** The events about an object, the newest first. */
export function eventsOf({ kind, metadata }: KubeObject, { events }: Around): Event[] {
  const { name, namespace = "", uid } = metadata;
  const mine: Event[] = [];
  for (const event of events) {
    const of = event.involvedObject;
    if (of.name !== name || of.kind !== kind) continue;
    if ((of.namespace ?? "") !== namespace && namespace !== "") continue;
    // One that had the same name before says nothing of this one. A node's events have its name there.
    if (of.uid && uid && of.uid !== uid && kind !== "Node") continue;
    mine.push(event);
  }
  return mine
    .map((event, i) => ({ event, i, at: happened(event) }))
    .sort((a, b) => b.at - a.at || b.i - a.i)
    .slice(0, LOOKED_AT)
    .map(({ event }) => event);
}

/** When an event last happened, in milliseconds since 1970. */
export function happened(event: Event): number {
  const stamp = event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp;
  return Date.parse(stamp ?? event.metadata.creationTimestamp ?? "") || 0;
}

/** The newest of an object's events that has one of these reasons. */
export function lastEvent(events: readonly Event[], ...reasons: string[]): Event | undefined {
  return events.find(({ reason = "" }) => reasons.includes(reason));
}

/** kubectl's words for the object behind a kind: ["web-1", "-n", "shop"]. */
export function named({ metadata: { name, namespace } }: KubeObject): string[] {
  return [name, ...inNamespace(namespace)];
}

/** An object of which nothing is known yet; empty for what is none. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
