import type { Resource } from "./discovery.ts";

/**
 * The place of a collection or an object in the API, as its path says it
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris).
 */
export interface ApiPlace {
  /** Empty for the core group. */
  group: string;
  version: string;
  /** The plural name: "pods". */
  resource: string;
  namespace?: string;
  name?: string;
}

/** Reads ["apis","apps","v1","namespaces","default","deployments","web"]; undefined for less. */
export function parsePlace(path: readonly string[]): ApiPlace | undefined {
  const core = path[0] === "api";
  if (!core && path[0] !== "apis") return undefined;
  const [group, rest] = core ? ["", path.slice(1)] : [path[1], path.slice(2)];
  const [version, ...tail] = rest;
  if (group === undefined || version === undefined) return undefined;
  // /namespaces/x is the object itself, /namespaces/x/pods a collection in it.
  const inNamespace = tail[0] === "namespaces" && tail.length > 2;
  const [resource, name] = inNamespace ? tail.slice(2) : tail;
  if (resource === undefined) return undefined;
  const namespace = inNamespace ? tail[1] : undefined;
  return {
    group,
    version,
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

/** The parts of the path of a place, for a route. */
export function placeParts({ group, version, resource, namespace, name }: ApiPlace): string[] {
  return [
    ...(group === "" ? ["api", version] : ["apis", group, version]),
    ...(namespace ? ["namespaces", namespace] : []),
    resource,
    ...(name ? [name] : []),
  ];
}

/** The path of a place in the API. */
export function placePath(place: ApiPlace): string {
  return `/${placeParts(place).map(encodeURIComponent).join("/")}`;
}

/** The place of a resource, or of an object of it. The namespace counts only where there is one. */
export function placeOf(resource: Resource, namespace?: string, name?: string): ApiPlace {
  return {
    group: resource.group,
    version: resource.version,
    resource: resource.name,
    ...(resource.namespaced && namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  };
}

/** An apiVersion as manifests have it: "v1", "apps/v1". */
export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
