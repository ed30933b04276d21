import type { PageCommand } from "./commands.ts";
import { objectRoute } from "./address.ts";
import { apiVersionOf, placeOf } from "../kube/apipath.ts";
import { findResources, listable, type Resource } from "../kube/discovery.ts";
import type { KubeObject } from "../kube/types.ts";
import type { Route } from "./route.ts";

/** One line of the palette. */
export interface Hit {
  title: string;
  /** What stands at the right: a group, a namespace, a key. */
  detail: string;
  group: "Views and actions" | "Kinds" | "Objects";
  run: () => void;
}

export interface Searched {
  commands: readonly PageCommand[];
  resources: readonly Resource[];
  namespaces: readonly string[];
  /** Objects that the page knows anyway, with where they are. */
  objects: readonly { resource: Resource; object: KubeObject }[];
  go: (route: Route) => void;
}

const MOST = { commands: 8, kinds: 12, objects: 12 };

/**
 * What the palette offers for a text. After ":" kinds alone, as in k9s, and a second word is a
 * namespace or a filter: ":deploy kube-system", ":po web".
 */
export function search(text: string, among: Searched): Hit[] {
  const kindsOnly = text.startsWith(":");
  const words = text.replace(/^:/, "").trim().split(/\s+/);
  const [first = "", second = ""] = words;
  const kinds = kindHits(first, second, among);
  if (kindsOnly) return kinds.slice(0, 40);
  const typed = text.trim().toLowerCase();
  const commands = among.commands
    .filter(({ title, words: more = "" }) => all(`${title} ${more}`.toLowerCase(), typed))
    // What is called so comes before what has only to do with it.
    .sort(
      (a, b) =>
        Number(all(b.title.toLowerCase(), typed)) - Number(all(a.title.toLowerCase(), typed)),
    )
    .map(({ title, keys = "", run }): Hit => ({
      title,
      detail: keys,
      group: "Views and actions",
      run,
    }));
  if (typed === "") return [...commands, ...kinds.slice(0, USED.length)];
  const objects = among.objects
    .filter(({ object }) => all(object.metadata.name, typed))
    .map(({ resource, object }): Hit => {
      const { name, namespace } = object.metadata;
      return {
        title: `${resource.singular || resource.name}/${name}`,
        detail: namespace ?? "",
        group: "Objects",
        run: () => among.go(objectRoute(placeOf(resource, namespace, name))),
      };
    });
  return [
    ...commands.slice(0, MOST.commands),
    ...kinds.slice(0, MOST.kinds),
    ...objects.slice(0, MOST.objects),
  ];
}

/** The kinds that people look for first; the others follow by their names. */
const USED = [
  "pods",
  "deployments",
  "services",
  "configmaps",
  "secrets",
  "namespaces",
  "nodes",
  "statefulsets",
  "daemonsets",
  "jobs",
  "cronjobs",
  "ingresses",
];

/** The most used kinds before the others; where a name is served by two groups, the first one. */
export function byUse(kinds: readonly Resource[]): Resource[] {
  const first = USED.flatMap((name) => kinds.find((kind) => kind.name === name) ?? []);
  const rest = kinds.filter((kind) => !first.includes(kind));
  return [...first, ...rest.sort((a, b) => a.name.localeCompare(b.name, "en"))];
}

function kindHits(word: string, second: string, { resources, namespaces, go }: Searched): Hit[] {
  const kinds = listable(resources);
  const found = word === "" ? byUse(kinds) : findResources(kinds, word);
  const namespace = namespaces.includes(second) ? second : undefined;
  const query: Record<string, string> = second !== "" && !namespace ? { filter: second } : {};
  return found.map((resource) => ({
    title: resource.name,
    detail: [...resource.shortNames, apiVersionOf(resource), namespace ?? second]
      .filter((part) => part !== "")
      .join("  "),
    group: "Kinds",
    run: () => go({ ...objectRoute(placeOf(resource, namespace)), query }),
  }));
}

function all(text: string, typed: string): boolean {
  return typed.split(/\s+/).every((word) => text.includes(word));
}
