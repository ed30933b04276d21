import { apiVersionOf } from "./apipath.ts";
import type { Fetch } from "./reflector.ts";

/** One resource that the API serves, at one version. */
export interface Resource {
  group: string;
  version: string;
  /** The plural name: "deployments". */
  name: string;
  kind: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  verbs: readonly string[];
  /** Names of its subresources: "log", "scale", "status". */
  subresources: readonly string[];
}

/** APIGroupDiscoveryList of apidiscovery.k8s.io/v2, as much of it as is read. */
export interface AggregatedDiscovery {
  items?: {
    metadata?: { name?: string };
    versions?: {
      version: string;
      resources?: {
        resource: string;
        responseKind?: { kind?: string };
        scope?: "Namespaced" | "Cluster";
        singularResource?: string;
        verbs?: string[];
        shortNames?: string[];
        categories?: string[];
        subresources?: { subresource: string }[];
      }[];
    }[];
  }[];
}

const ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Asks the API what it serves, every version of it, in the API's own order of preference. */
export async function discover(fetch: Fetch): Promise<Resource[]> {
  const answers = await Promise.all(
    ["/api", "/apis"].map(async (path) => {
      const response = await fetch(path, { headers: { accept: ACCEPT } });
      if (!response.ok) throw new Error(`discovery ${path}: ${response.status}`);
      return (await response.json()) as AggregatedDiscovery;
    }),
  );
  return answers.flatMap(resourcesOf);
}

/** The resources in a discovery document. */
export function resourcesOf(discovery: AggregatedDiscovery): Resource[] {
  return (discovery.items ?? []).flatMap((group) =>
    (group.versions ?? []).flatMap(({ version, resources = [] }) =>
      resources.map((r) => ({
        group: group.metadata?.name ?? "",
        version,
        name: r.resource,
        kind: r.responseKind?.kind ?? r.resource,
        singular: r.singularResource ?? "",
        shortNames: r.shortNames ?? [],
        categories: r.categories ?? [],
        namespaced: r.scope === "Namespaced",
        verbs: r.verbs ?? [],
        subresources: (r.subresources ?? []).map((s) => s.subresource),
      })),
    ),
  );
}

/** One version of each resource that can be listed: the group's preferred one, which comes first. */
export function listable(resources: readonly Resource[]): Resource[] {
  const seen = new Set<string>();
  return resources.filter((r) => {
    const key = `${r.name}.${r.group}`;
    if (!r.verbs.includes("list") || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** How good a match of `word` is, 0 for an exact one; undefined for none. */
export function matchResource(resource: Resource, word: string): number | undefined {
  const typed = word.toLowerCase();
  const { name, group, singular, shortNames, kind } = resource;
  const names = [name, singular, kind.toLowerCase(), ...shortNames, `${name}.${group}`];
  if (names.includes(typed)) return 0;
  if (names.some((n) => n.startsWith(typed))) return 1;
  if (`${name}.${group}`.includes(typed)) return 2;
  return undefined;
}

/** What `word` names: plural, singular, kind, short name or name.group, the best match first. */
export function findResources(resources: readonly Resource[], word: string): Resource[] {
  return resources
    .map((resource, i) => ({ resource, i, rank: matchResource(resource, word) }))
    .filter((m): m is typeof m & { rank: number } => m.rank !== undefined)
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map(({ resource }) => resource);
}

/** The resource of a manifest or of an owner reference. */
export function byKind(
  resources: readonly Resource[],
  apiVersion: string,
  kind: string,
): Resource | undefined {
  return resources.find((r) => r.kind === kind && apiVersionOf(r) === apiVersion);
}

/** As kubectl names a resource in an argument; the group only where the name alone is not enough. */
export function kubectlName(resource: Resource, resources: readonly Resource[]): string {
  const first = resources.find((r) => r.name === resource.name);
  return first && first.group !== resource.group
    ? `${resource.name}.${resource.group}`
    : resource.name;
}
