import { conditionsOf } from "../kube/conditions.ts";
import { sh } from "../kube/shell-line.ts";
import type { KubeObject } from "../kube/types.ts";
import { named } from "./about.ts";
import { explainIngress } from "./ingress.ts";
import { leaving } from "./leaving.ts";
import { explainNode } from "./node.ts";
import {
  explainAutoscaler,
  explainBudget,
  explainClaim,
  explainNamespace,
  explainPolicy,
} from "./others.ts";
import { explainPod } from "./pod.ts";
import { explainService } from "./service.ts";
import type { Around, Explanation } from "./types.ts";
import { sentence, told } from "./words.ts";
import { explainJob, explainWorkload } from "./workload.ts";

type Explain = (object: KubeObject, around: Around) => Explanation | undefined;

/** Kinds of which more is known than their conditions, by group and kind. */
const KINDS: Record<string, Explain> = {
  "/Pod": explainPod,
  "/Service": explainService,
  "/Node": explainNode,
  "/PersistentVolumeClaim": explainClaim,
  "/Namespace": explainNamespace,
  "apps/Deployment": explainWorkload,
  "apps/ReplicaSet": explainWorkload,
  "apps/StatefulSet": explainWorkload,
  "apps/DaemonSet": explainWorkload,
  "batch/Job": explainJob,
  "networking.k8s.io/Ingress": explainIngress,
  "policy/PodDisruptionBudget": explainBudget,
  "autoscaling/HorizontalPodAutoscaler": explainAutoscaler,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": explainPolicy,
};

/**
 * Why an object is not as it should be, in one sentence, from its own status, conditions and events;
 * undefined if it is, or if it does not say. It never throws, whatever an object has in its fields.
 */
export function explain(object: KubeObject, around: Around): Explanation | undefined {
  try {
    const { apiVersion = "v1", kind = "" } = object;
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
    const key = `${group}/${kind}`;
    if (!["/Pod", "/Namespace"].includes(key)) {
      const goes = object.metadata.deletionTimestamp && leaving(object, around);
      if (goes) return goes;
    }
    return Object.hasOwn(KINDS, key)
      ? KINDS[key]?.(object, around)
      : byConditions(object, kind, group);
  } catch {
    // An object of a kind that has other fields than its name promises: nothing is known of it.
    return undefined;
  }
}

/** Conditions that, being False, say that something of any kind is not as it should be. */
const SHOULD_BE_TRUE = new Set(["Ready", "Available", "Established", "NamesAccepted"]);

function byConditions(object: KubeObject, kind: string, group: string): Explanation | undefined {
  const failed = conditionsOf(object).find(
    ({ type, status }) => status === "False" && SHOULD_BE_TRUE.has(type),
  );
  if (!failed) return undefined;
  const why = told(failed.message) || told(failed.reason, 60);
  const name = `${kind.toLowerCase()}${group ? `.${group}` : ""}`;
  return {
    state: "unready",
    sentence: sentence(
      `it is not ${failed.type === "NamesAccepted" ? "named as it wants" : failed.type.toLowerCase()}`,
      why && `: ${why}`,
    ),
    line: sh`kubectl describe ${[name, ...named(object)]}`,
  };
}
