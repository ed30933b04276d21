import type { Fetch } from "./reflector.ts";
import { ask } from "./request.ts";
import type { Node, Row } from "./types.ts";

/** The part of a Lease (coordination.k8s.io/v1) that is read. */
interface Lease {
  spec?: { renewTime?: string };
}

/**
 * Whether nobody has heard of the node for longer than its lease is good for: the node lifecycle
 * controller then says Unknown. A kubelet that says itself that it is not ready is there.
 */
export function isGone({ object }: Row<Node>): boolean {
  return (
    object.status.conditions?.some((c) => c.type === "Ready" && c.status === "Unknown") ?? false
  );
}

/**
 * Since when nodes are gone, in milliseconds since 1970, by name: the last time that each has
 * renewed its lease. `known` is what was found before, so that each lease is read once; where there
 * is none, the condition's transition has to do, which is some 50 seconds later.
 */
export async function goneSince(
  fetch: Fetch,
  rows: Iterable<Row<Node>>,
  known: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const gone = [...rows].filter(isGone);
  const found = await Promise.all(
    gone.map(async (row): Promise<[string, number]> => {
      const { name } = row.object.metadata;
      return [name, known.get(name) ?? (await lastRenewal(fetch, name)) ?? transition(row)];
    }),
  );
  return new Map(found.filter(([, since]) => !Number.isNaN(since)));
}

async function lastRenewal(fetch: Fetch, name: string): Promise<number | undefined> {
  try {
    const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`;
    const lease = (await (await ask(fetch, path)).json()) as Lease;
    const at = Date.parse(lease.spec?.renewTime ?? "");
    return Number.isNaN(at) ? undefined : at;
  } catch {
    return undefined; // deleted, or the API is away
  }
}

function transition({ object }: Row<Node>): number {
  const ready = object.status.conditions?.find((c) => c.type === "Ready");
  return Date.parse(ready?.lastTransitionTime ?? "");
}

/** "14:03:07", and the day before it when that is not today. */
export function clockTime(at: number, now: number): string {
  const then = new Date(at);
  const time = then.toLocaleTimeString("en-GB");
  return then.toDateString() === new Date(now).toDateString()
    ? time
    : `${then.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}
