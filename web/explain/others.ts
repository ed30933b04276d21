import { conditionsOf } from "../kube/conditions.ts";
import { inNamespace } from "../kube/kubectl.ts";
import { sh } from "../kube/shell-line.ts";
import { expressionWarnings } from "../kube/type-checking.ts";
import type { KubeObject } from "../kube/types.ts";
import { eventsOf, lastEvent, named, record } from "./about.ts";
import { leaving } from "./leaving.ts";
import { selectorText } from "./selector.ts";
import type { Around, Explanation } from "./types.ts";
import { counted, listed, sentence, told } from "./words.ts";

/** Why a PersistentVolumeClaim has no volume. */
export function explainClaim(claim: KubeObject, around: Around): Explanation | undefined {
  const spec = record(record(claim).spec);
  const { phase } = record(record(claim).status);
  const line = sh`kubectl describe pvc ${named(claim)}`;
  if (phase === "Lost") {
    return {
      state: "failing",
      sentence: sentence(
        `its volume ${told(spec.volumeName, 80)} is gone, and what it held with it`,
      ),
      line,
    };
  }
  if (phase !== "Pending") return undefined;
  const event = lastEvent(
    eventsOf(claim, around),
    "ProvisioningFailed",
    "FailedBinding",
    "WaitForFirstConsumer",
    "WaitForPodScheduled",
    "ExternalProvisioning",
  );
  if (event?.reason === "WaitForFirstConsumer") {
    const words = "it waits for a pod that uses it: its StorageClass binds volumes only then";
    return { state: "pending", sentence: sentence(words), line };
  }
  const gone = /^storageclass\.storage\.k8s\.io "([^"]{1,253})" not found/.exec(
    event?.message ?? "",
  )?.[1];
  if (gone !== undefined) {
    return {
      state: "failing",
      sentence: sentence(
        `there is no StorageClass “${told(gone, 80)}”, so nobody makes its volume`,
      ),
      line: "kubectl get storageclass",
    };
  }
  const why = told(event?.message);
  return {
    state: "pending",
    sentence: sentence(`it has no volume yet${why ? `: ${why}` : ""}`),
    line,
  };
}

/** Why a PodDisruptionBudget lets no pod be evicted. */
export function explainBudget(budget: KubeObject): Explanation | undefined {
  const spec = record(record(budget).spec);
  const status = record(record(budget).status);
  const number = (key: string) => Number(status[key] ?? 0);
  if (number("expectedPods") === 0 || number("disruptionsAllowed") > 0) return undefined;
  const selector = selectorText(spec.selector ?? {});
  return {
    state: "unready",
    sentence: sentence(
      `no pod of it may be evicted, so a drain waits: ${number("currentHealthy")} of ${counted(number("expectedPods"), "pod")} healthy, ${number("desiredHealthy")} must stay`,
    ),
    line: sh`kubectl get ${["pods", ...inNamespace(budget.metadata.namespace)]} -l ${selector}`,
  };
}

/** What keeps a namespace that was deleted. */
export function explainNamespace(namespace: KubeObject, around: Around): Explanation | undefined {
  const { phase } = record(record(namespace).status);
  const { name, deletionTimestamp } = namespace.metadata;
  if (phase !== "Terminating" && !deletionTimestamp) return undefined;
  // The controller's words of what is left, and of what could not be asked or deleted.
  const left = conditionsOf(namespace).filter(({ status }) => status === "True");
  const finalizers = left.find(({ type }) => type === "NamespaceFinalizersRemaining");
  const others = left.filter((condition) => condition !== finalizers);
  const said = [finalizers, ...others]
    .filter((one) => one !== undefined)
    .map(({ message }) => told(message));
  if (said.length === 0) return leaving(namespace, around);
  const bad = finalizers ?? others.find(({ type }) => type.endsWith("Failure"));
  return {
    state: "terminating",
    sentence: sentence(`it goes when all in it is gone: ${listed(said, 2)}`),
    line: bad
      ? sh`kubectl get namespace ${name} -o jsonpath='{.status.conditions}'`
      : sh`kubectl get all -n ${name}`,
  };
}

/** What a HorizontalPodAutoscaler cannot do. */
export function explainAutoscaler(autoscaler: KubeObject): Explanation | undefined {
  const failed = conditionsOf(autoscaler).find(
    ({ type, status }) => ["ScalingActive", "AbleToScale"].includes(type) && status === "False",
  );
  if (!failed || failed.reason === "ScalingDisabled") return undefined;
  return {
    state: "unready",
    sentence: sentence(`it does not scale: ${told(failed.message) || told(failed.reason, 60)}`),
    line: sh`kubectl describe hpa ${named(autoscaler)}`,
  };
}

/** What type checking says of a policy's expressions: such a one fails when it is evaluated. */
export function explainPolicy(policy: KubeObject): Explanation | undefined {
  const [first, ...more] = expressionWarnings(record(record(policy).status).typeChecking);
  if (!first) return undefined;
  const rest = more.length > 0 && `, and ${counted(more.length, "more expression")}`;
  return {
    state: "unready",
    sentence: sentence(`it does not fit what it is for: ${told(first.message)}`, rest),
    line: sh`kubectl get validatingadmissionpolicy ${policy.metadata.name} -o jsonpath='{.status.typeChecking}'`,
  };
}
