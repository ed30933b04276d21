import type { ApiPlace } from "./apipath.ts";
import type { Resource } from "./discovery.ts";

/** As kubectl's arguments name an object: "deployment.apps/web -n shop", "pod/web". */
export function kubectlArgument(place: ApiPlace, resources: readonly Resource[]): string {
  const { group, resource, namespace, name } = place;
  const known = resources.find((r) => r.name === resource && r.group === group);
  const singular = [known?.singular, resource].find((name) => name) ?? resource;
  // The name alone is enough when the first resource of that name is this one.
  const ambiguous = resources.find((r) => r.name === resource)?.group !== group;
  const kind = ambiguous && group !== "" ? `${singular}.${group}` : singular;
  const where = namespace && namespace !== "default" ? ` -n ${namespace}` : "";
  return `${kind}${name ? `/${name}` : ""}${where}`;
}
