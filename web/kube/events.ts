import type { Event, Row } from "./types.ts";

/** When an event last happened, in milliseconds since 1970; 0 when it does not say. */
export function eventTime({ object }: Row<Event>): number {
  const stamp = object.lastTimestamp ?? object.eventTime ?? object.firstTimestamp;
  return Date.parse(stamp ?? object.metadata.creationTimestamp ?? "") || 0;
}

/** The newest events, the newest first. */
export function latestEvents(
  rows: Iterable<Row<Event>>,
  limit: number,
  about?: { kind: string; name: string; namespace?: string | undefined },
): Row<Event>[] {
  const matches = (event: Event) =>
    !about ||
    (event.involvedObject.kind === about.kind &&
      event.involvedObject.name === about.name &&
      (event.involvedObject.namespace ?? "") === (about.namespace ?? ""));
  return (
    [...rows]
      .map((row, i) => ({ row, i, at: eventTime(row) }))
      .filter(({ row }) => matches(row.object))
      // Timestamps have whole seconds: within one the order of arrival decides.
      .sort((a, b) => b.at - a.at || b.i - a.i)
      .slice(0, limit)
      .map(({ row }) => row)
  );
}
