import { placeOf, type ApiPlace } from "./apipath.ts";
import { listable, type Resource } from "./discovery.ts";
import { fieldSelector } from "./fields.ts";
import type { Fetch } from "./reflector.ts";
import type { KubeObject, Row } from "./types.ts";

/** Where a name may be looked up. */
export interface Known {
  readonly resources: readonly Resource[];
  readonly pods: Iterable<Row<KubeObject>>;
  readonly nodes: Iterable<Row<KubeObject>>;
  readonly fetch: Fetch;
}

const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/**
 * The one object of that kind and name, if there is exactly one: the page's own stores know pods and
 * nodes, the API is asked for others. Nothing is guessed: where two namespaces have one, and none is
 * said, there is none.
 */
export async function findNamed(
  { kind, name, namespace }: { kind: string; name: string; namespace?: string },
  { resources, pods, nodes, fetch }: Known,
): Promise<ApiPlace | undefined> {
  const resource = resourceNamed(kind, resources);
  if (!resource) return undefined;
  const within = resource.namespaced ? namespace : undefined;
  const stored = resource.group === "" && { pods, nodes }[resource.name];
  const found = stored
    ? [...stored].map(({ object }) => object).filter(({ metadata }) => metadata.name === name)
    : await ask(resource, name, fetch);
  const [only, another] = found.filter(
    ({ metadata }) => within === undefined || metadata.namespace === within,
  );
  return only && !another ? placeOf(resource, only.metadata.namespace, name) : undefined;
}

async function ask(resource: Resource, name: string, fetch: Fetch): Promise<KubeObject[]> {
  const { group, version } = resource;
  const api = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const query = new URLSearchParams({ fieldSelector: fieldSelector({ "metadata.name": name }) });
  const response = await fetch(`${api}/${resource.name}?${query}`, {
    headers: { accept: METADATA },
  });
  if (!response.ok) return [];
  return ((await response.json()) as { items?: KubeObject[] }).items ?? [];
}

/** The resource that kubectl takes a word for: "po", "pods", "pod", "deployment.apps". */
export function resourceNamed(kind: string, resources: readonly Resource[]): Resource | undefined {
  const [word, group] = cut(kind.toLowerCase(), ".");
  return listable(resources).find(
    (r) =>
      (group === undefined || r.group === group) &&
      [r.name, r.singular, r.kind.toLowerCase(), ...r.shortNames].includes(word),
  );
}

function cut(text: string, at: string): [string, string | undefined] {
  const i = text.indexOf(at);
  return i < 0 ? [text, undefined] : [text.slice(0, i), text.slice(i + 1)];
}
