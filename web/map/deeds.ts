import { inNamespace } from "../kube/kubectl.ts";
import { actionsFor } from "../kube/nodes.ts";
import { selectedPlace, type Selection } from "../kube/selection.ts";
import { returns } from "../kube/returns.ts";
import { sh } from "../kube/shell-line.ts";
import type { Node, Pod, Row } from "../kube/types.ts";
import type { InTabState } from "../rpc/protocol.ts";
import { ABOVE, type AboveResource } from "./storeys.ts";

/** What can be done with something on the map, as the line of the terminal that does it. */
export interface Deed {
  readonly verb: string;
  readonly line: string;
  /** What it does, for whoever points at the verb. */
  readonly means?: string;
  /** What is lost by it, and whether that comes back: asked about before it is done. */
  readonly loses?: string;
}

/** What is known of what is on the map. */
export interface Known {
  readonly nodes: ReadonlyMap<string, Row<Node>>;
  readonly pods: ReadonlyMap<string, Row<Pod>>;
  /** The nodes of the tab. */
  readonly inTab: ReadonlyMap<string, InTabState>;
}

/** What `kubectl rollout restart` restarts. */
const RESTARTED: readonly string[] = ["deployments", "statefulsets", "daemonsets"];

/** What is lost by some actions on a node. */
const NODE_LOSES: Partial<Record<string, string>> = {
  Drain:
    "Its pods are evicted: those that a controller made come up elsewhere, all others are gone for good, and so is what emptyDir volumes hold.",
  Remove: "Its kubelet and its containers end, and what is on its disk goes with it.",
};

/** What can be done with what is selected; nothing with what does not stand on the map. */
export function deedsOf(selection: Selection, known: Known): readonly Deed[] {
  const { resource, group, name = "", namespace } = selectedPlace(selection);
  if (group === "" && resource === "nodes") return ofNode(name, known);
  if (group === "" && resource === "pods") return ofPod(selection, known.pods);
  if (group === "" && resource === "namespaces") {
    const loses = `Everything in it is deleted with it. ${returns({ resource, group })}`;
    return [{ verb: "Delete", line: sh`kubectl delete namespace ${name}`, loses }];
  }
  if (!Object.hasOwn(ABOVE, resource)) return [];
  const above = ABOVE[resource as AboveResource];
  if (above.group !== group) return [];
  const args = [`${above.kind}/${name}`, ...inNamespace(namespace)];
  const deeds: Deed[] = [];
  if (RESTARTED.includes(resource)) {
    const means = "Makes its pods anew, a few at a time.";
    deeds.push({ verb: "Restart", line: sh`kubectl rollout restart ${args}`, means });
  }
  const loses =
    resource === "services"
      ? "Its address answers no more. Its pods stay."
      : "Its pods are deleted with it.";
  return [...deeds, { verb: "Delete", line: sh`kubectl delete ${args}`, loses }];
}

function ofNode(name: string, { nodes, inTab }: Known): Deed[] {
  const row = [...nodes.values()].find(({ object }) => object.metadata.name === name);
  if (!row) return [];
  return actionsFor(row, inTab.get(name)).map(({ verb, line, fault, same }) => {
    const loses = NODE_LOSES[verb];
    return {
      verb,
      line: line ?? same ?? "",
      ...(fault ? { means: fault } : {}),
      ...(loses ? { loses } : {}),
    };
  });
}

function ofPod({ uid, name, namespace }: Selection, pods: Known["pods"]): Deed[] {
  const row = [...pods.values()].find(({ object }) => object.metadata.uid === uid);
  if (!row) return [];
  const owner = row.object.metadata.ownerReferences?.find(({ controller }) => controller);
  return [
    {
      verb: "Delete",
      line: sh`kubectl delete pod ${[name, ...inNamespace(namespace)]}`,
      loses: owner
        ? `Its containers end, and what they hold is lost. ${owner.kind} ${owner.name} may make another in its place.`
        : "Its containers end, and what they hold is lost. No controller made it, so nothing makes it again.",
    },
  ];
}
