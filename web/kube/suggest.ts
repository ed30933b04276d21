import type { Command } from "./selection.ts";
import { inNamespace } from "./kubectl.ts";
import { sh } from "./shell-line.ts";
import type { Pod, Row } from "./types.ts";

/** What to begin with, while there is no pod. */
const EMPTY: readonly Command[] = [
  { verb: "Create", line: "kubectl create deployment nginx --image=nginx --replicas=3" },
  { verb: "Look", line: "kubectl get nodes -o wide" },
  { verb: "Ask what a field means", line: "kubectl explain pod.spec.containers" },
];

/** How many replicas are suggested at most. */
const MOST = 20;

/**
 * Commands that make sense now: with a Deployment's pods there, what one does with it next. What has
 * been done once is not suggested again.
 */
export function suggest(pods: Iterable<Row<Pod>>): readonly Command[] {
  const owned = new Map<string, Row<Pod>[]>();
  let newest: Row<Pod> | undefined;
  let any = false;
  for (const row of pods) {
    const { metadata } = row.object;
    any = true;
    if (metadata.deletionTimestamp) continue;
    const name = deploymentOf(row);
    if (name === undefined) continue;
    const key = `${metadata.namespace ?? ""}/${name}`;
    owned.set(key, [...(owned.get(key) ?? []), row]);
    if (!newest || created(row) > created(newest)) newest = row;
  }
  const name = newest && deploymentOf(newest);
  if (!newest || name === undefined) return any ? EMPTY.slice(1) : EMPTY;
  const { name: pod, namespace = "" } = newest.object.metadata;
  const where = inNamespace(namespace);
  const replicas = owned.get(`${namespace}/${name}`)?.length ?? 1;
  const next = replicas * 2 > MOST ? 1 : replicas * 2;
  const deployment = `deployment/${name}`;
  return [
    { verb: "Look", line: sh`kubectl get ${["pods", "-o", "wide", ...where]}` },
    { verb: "Describe", line: sh`kubectl describe ${[deployment, ...where]}` },
    { verb: "Scale", line: sh`kubectl scale ${[deployment, ...where, `--replicas=${next}`]}` },
    {
      verb: "Delete a pod, and see it replaced",
      line: sh`kubectl delete pod ${[pod, ...where]}`,
      mutates: true,
    },
  ];
}

/** The Deployment of a pod: its ReplicaSet's name without the hash of the template. */
function deploymentOf({ object: { metadata } }: Row<Pod>): string | undefined {
  const hash = metadata.labels?.["pod-template-hash"];
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!hash || owner?.kind !== "ReplicaSet" || !owner.name.endsWith(`-${hash}`)) return undefined;
  return owner.name.slice(0, -hash.length - 1);
}

function created({ object }: Row<Pod>): string {
  return object.metadata.creationTimestamp ?? "";
}
