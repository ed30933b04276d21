import type { ApiPlace } from "./apipath.ts";
import type { Resource } from "./discovery.ts";
import { quoteAll } from "./shell-line.ts";

/** kubectl's arguments for an object, unquoted: ["deployment.apps/web", "-n", "shop"]. */
export function kubectlArguments(place: ApiPlace, resources: readonly Resource[]): string[] {
  const { group, resource, namespace, name } = place;
  const known = resources.find((r) => r.name === resource && r.group === group);
  const singular = [known?.singular, resource].find((name) => name) ?? resource;
  // The name alone is enough when the first resource of that name is this one.
  const ambiguous = resources.find((r) => r.name === resource)?.group !== group;
  const kind = ambiguous && group !== "" ? `${singular}.${group}` : singular;
  return [`${kind}${name ? `/${name}` : ""}`, ...inNamespace(namespace)];
}

/** The same as it stands in a line, to be shown: "deployment.apps/web -n shop", "pod/web". */
export function kubectlArgument(place: ApiPlace, resources: readonly Resource[]): string {
  return quoteAll(kubectlArguments(place, resources));
}

/** The namespace is named only where it must be. */
export function inNamespace(namespace: string | undefined): string[] {
  return namespace && namespace !== "default" ? ["-n", namespace] : [];
}
