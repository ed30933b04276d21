import type { Event, Row } from "./types.ts";

const times = new WeakMap<Row<Event>, number>();

/**
 * When an event last happened, in milliseconds since 1970; 0 when it does not say. Whole seconds:
 * most events say no more, and those that do would stand before the others of their second.
 */
export function eventTime(row: Row<Event>): number {
  let time = times.get(row);
  if (time === undefined) {
    const { object } = row;
    const stamp = object.lastTimestamp ?? object.eventTime ?? object.firstTimestamp;
    const exact = Date.parse(stamp ?? object.metadata.creationTimestamp ?? "") || 0;
    time = exact - (exact % 1000);
    times.set(row, time);
  }
  return time;
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
  if (limit === 1) return newest(rows, matches);
  return (
    [...rows]
      .map((row, i) => ({ row, i, at: eventTime(row) }))
      .filter(({ row }) => matches(row.object))
      // Within a second the order of arrival decides.
      .sort((a, b) => b.at - a.at || b.i - a.i)
      .slice(0, limit)
      .map(({ row }) => row)
  );
}

/** The last of the newest: without sorting thousands of them for one line. */
function newest(rows: Iterable<Row<Event>>, matches: (event: Event) => boolean): Row<Event>[] {
  let found: Row<Event> | undefined;
  for (const row of rows) {
    if (matches(row.object) && (!found || eventTime(row) >= eventTime(found))) found = row;
  }
  return found ? [found] : [];
}
