import type { Pod, Row } from "../kube/types.ts";

/** By what the map puts pods together. */
export type Grouping =
  | { by: "node" }
  | { by: "namespace" }
  | { by: "owner" }
  /** The value of one label; pods without it stand under "". */
  | { by: "label"; label: string };

/** The group of pods that belong nowhere: on no node, owned by nobody, without the label. */
export const NOWHERE = "";

/** The group that a pod stands in. */
export function groupOf(row: Row<Pod>, grouping: Grouping): string {
  const { metadata, spec } = row.object;
  switch (grouping.by) {
    case "node":
      return spec.nodeName ?? NOWHERE;
    case "namespace":
      return metadata.namespace ?? NOWHERE;
    case "owner":
      return ownerOf(row);
    case "label":
      return metadata.labels?.[grouping.label] ?? NOWHERE;
  }
}

/** What stands for a group that has no name of its own. */
export function nowhere({ by }: Grouping): string {
  return { node: "unscheduled", namespace: "no namespace", owner: "no owner", label: "without it" }[
    by
  ];
}

/**
 * "kind/name" of a pod's controller. A ReplicaSet whose name ends with the hash that its Deployment
 * gave it (the label pod-template-hash) stands for the Deployment.
 */
function ownerOf({ object: { metadata } }: Row<Pod>): string {
  const owner = metadata.ownerReferences?.find((ref) => ref.controller);
  if (!owner) return NOWHERE;
  const hash = metadata.labels?.["pod-template-hash"];
  const inNamespace = metadata.namespace === "default" ? "" : `${metadata.namespace ?? ""}/`;
  if (owner.kind === "ReplicaSet" && hash && owner.name.endsWith(`-${hash}`)) {
    return `${inNamespace}deployment/${owner.name.slice(0, -hash.length - 1)}`;
  }
  return `${inNamespace}${owner.kind.toLowerCase()}/${owner.name}`;
}

/** A grouping as the address has it (`by=label&label=app`); nonsense is by node. */
export function parseGrouping({ by, label }: Readonly<Record<string, string>>): Grouping {
  if (by === "namespace" || by === "owner") return { by };
  if (by === "label" && label) return { by, label };
  return { by: "node" };
}

/** A grouping as an attribute has it: "owner", or "label:" and a label's name. */
export function groupingSaid(text: string): Grouping {
  const [by = "", ...label] = text.split(":");
  return parseGrouping({ by, label: label.join(":") });
}

/** The other way of parseGrouping; the usual grouping is not worth a mention. */
export function formatGrouping(grouping: Grouping): Record<string, string> {
  if (grouping.by === "node") return { by: "", label: "" };
  return { by: grouping.by, label: grouping.by === "label" ? grouping.label : "" };
}

/** The labels that pods have, those of most pods first: what grouping by label may offer. */
export function labelsOf(rows: Iterable<Row<Pod>>, limit = 12): string[] {
  const count = new Map<string, number>();
  for (const { object } of rows) {
    for (const key of Object.keys(object.metadata.labels ?? {})) {
      count.set(key, (count.get(key) ?? 0) + 1);
    }
  }
  return [...count]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, limit)
    .map(([key]) => key);
}
