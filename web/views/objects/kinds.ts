import { apiVersionOf } from "../../kube/apipath.ts";
import { listable, type Resource } from "../../kube/discovery.ts";
import { byUse } from "../../page/search.ts";
import type { Column } from "../../kube/types.ts";
import type { GridRow } from "./grid.ts";

/** The columns of `kubectl api-resources`. */
export const kindColumns: Column[] = [
  { name: "Name", description: "As it stands in paths and after kubectl get" },
  { name: "Shortnames", description: "Abbreviations" },
  { name: "APIVersion", description: "Group and version, as they stand in a manifest" },
  { name: "Namespaced", description: "Whether its objects are in a namespace" },
  { name: "Kind", description: "As it stands in a manifest" },
  { name: "Verbs", description: "What can be done with it" },
];

/** What the API serves and can list, as the rows of a table: what people look for first, as the palette has it. */
export function kindRows(resources: readonly Resource[]): GridRow[] {
  return byUse(listable(resources)).map((r) => ({
    object: { metadata: { name: r.name, uid: `${r.name}.${r.group}`, resourceVersion: "" } },
    cells: {
      Name: r.name,
      Shortnames: r.shortNames.join(","),
      APIVersion: apiVersionOf(r),
      Namespaced: String(r.namespaced),
      Kind: r.kind,
      Verbs: r.verbs.join(","),
    },
  }));
}
