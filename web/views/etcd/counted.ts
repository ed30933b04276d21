import type { EtcdEntry, EtcdPage } from "../../rpc/protocol.ts";

/** What the number beside an entry of the tree counts: a directory's keys, and of a key when it last changed. */
export function counted({
  directory = false,
  keys = 0,
  atLeast = false,
  modRevision,
}: Pick<EtcdEntry, "directory" | "keys" | "atLeast" | "modRevision">): string {
  if (!directory) return `revision ${modRevision}`;
  return `${atLeast ? "at least " : ""}${keysOf(keys)}`;
}

/** All that the store holds. Not each key is below "/": the API server notes its compactions in one beside it. */
export function heldIn({ keys, bytes }: Pick<EtcdPage, "keys" | "bytes">): string {
  return `${keysOf(keys)} in all, ${bytes} bytes`;
}

function keysOf(n: number): string {
  return `${n} key${n === 1 ? "" : "s"}`;
}
