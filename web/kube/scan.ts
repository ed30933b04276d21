import { placeOf, placePath } from "./apipath.ts";
import { listable, type Resource } from "./discovery.ts";
import type { Fetch } from "./reflector.ts";
import { ask } from "./request.ts";
import type { Listed } from "./tree.ts";
import type { KubeObject } from "./types.ts";

const ACCEPT = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
/** Lists asked for at once. */
const AT_ONCE = 4;

/**
 * The metadata of all objects of all kinds, in one namespace and outside namespaces. A kind that
 * cannot be listed is left out: an aggregated API may be down.
 */
export async function scan(
  fetch: Fetch,
  resources: readonly Resource[],
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Listed[]> {
  const kinds = listable(resources).filter((r) => r.verbs.includes("watch") && r.kind !== "Event");
  const found = new Map<Resource, Listed>();
  const waiting = [...kinds];
  const work = async () => {
    for (let resource = waiting.shift(); resource; resource = waiting.shift()) {
      try {
        const path = placePath(placeOf(resource, namespace));
        const query = { resourceVersion: "0" };
        const response = await ask(fetch, path, { accept: ACCEPT, query, signal });
        // An empty list comes as null.
        const { items } = (await response.json()) as { items?: KubeObject[] | null };
        found.set(resource, { resource, objects: items ?? [] });
      } catch {
        signal.throwIfAborted();
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return kinds.flatMap((resource) => found.get(resource) ?? []);
}
