/*
 * Kubernetes writes some kinds below names that nobody knows them by any more, and a few keys that are no objects.
 */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["/registry/minions/", "nodes, by their first name"],
  ["/registry/services/specs/", "Services"],
  ["/registry/services/endpoints/", "Endpoints"],
  ["/registry/masterleases/", "addresses of API servers"],
  ["/registry/ranges/", "addresses and ports that Services have"],
  ["compact_rev_key", "the revision up to which history was thrown away last"],
]);

/** What a key or a directory of etcd holds, where its name does not say it; empty where it does. */
export function named(key: string): string {
  return NAMED.get(key) ?? "";
}
