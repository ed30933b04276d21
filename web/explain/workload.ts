import { conditionsOf } from "../kube/conditions.ts";
import { sh } from "../kube/shell-line.ts";
import type { KubeObject } from "../kube/types.ts";
import { eventsOf, happened, lastEvent, named, record } from "./about.ts";
import { explainPod } from "./pod.ts";
import { selects, type LabelSelector } from "./selector.ts";
import type { Around, Explanation } from "./types.ts";
import { counted, sentence, told } from "./words.ts";

/** Pods of a workload that are looked at for what ails them. */
const LOOKED_AT = 100;

/** Why a Deployment, ReplicaSet, StatefulSet or DaemonSet has not what it should. */
export function explainWorkload(workload: KubeObject, around: Around): Explanation | undefined {
  const { kind = "" } = workload;
  const spec = record(record(workload).spec);
  const status = record(record(workload).status);
  const wanted = Number(
    kind === "DaemonSet" ? status.desiredNumberScheduled : (spec.replicas ?? 1),
  );
  const there = Number(readyOf(kind, status) ?? 0);
  const conditions = conditionsOf(workload);
  const stuck = conditions.find((c) => c.type === "Progressing" && c.status === "False");
  const refused = refusal(workload, around);
  const pods = podsOf(workload, around);
  const sick = pods
    .map((pod) => ({ pod, why: explainPod(pod, around) }))
    .filter(({ why }) => why && why.state !== "standin" && why.state !== "terminating");
  const [worst] = [...sick.filter(({ why }) => why?.state === "failing"), ...sick];
  const rollout = sh`kubectl rollout status ${[`${kind.toLowerCase()}/${workload.metadata.name}`, ...named(workload).slice(1)]}`;
  const missing = wanted - there;
  if (refused && (missing > 0 || stuck)) {
    const events = sh`kubectl describe ${[kind.toLowerCase(), ...named(workload)]}`;
    return {
      state: "failing",
      sentence: sentence(`${of(there, wanted)}; more pods are refused: ${refused}`),
      line: events,
    };
  }
  if (worst?.why) {
    const state = missing > 0 && worst.why.state === "failing" ? "failing" : worst.why.state;
    const late = stuck?.reason === "ProgressDeadlineExceeded";
    return {
      ...worst.why,
      state,
      sentence: `${late ? "The rollout is stuck, past its deadline. " : ""}${capital(of(there, wanted))}. Pod ${told(worst.pod.metadata.name, 80)}: ${worst.why.sentence}`,
    };
  }
  if (stuck) {
    const why = told(stuck.message) || told(stuck.reason, 60);
    return { state: "failing", sentence: sentence(`the rollout is stuck: ${why}`), line: rollout };
  }
  if (spec.paused === true && status.updatedReplicas !== status.replicas) {
    return {
      state: "pending",
      sentence: sentence("its rollout is paused: a change of its template reaches no pod"),
      line: sh`kubectl rollout resume ${[`${kind.toLowerCase()}/${workload.metadata.name}`, ...named(workload).slice(1)]}`,
    };
  }
  return undefined;
}

function readyOf(kind: string, status: Record<string, unknown>): unknown {
  if (kind === "DaemonSet") return status.numberReady;
  return kind === "Deployment" ? status.availableReplicas : status.readyReplicas;
}

function of(there: number, wanted: number): string {
  return `${there} of ${counted(wanted, "replica")} ready`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/**
 * Why its pods are not made: quota and admission refuse them. ReplicaSets and Deployments say so in a
 * condition, all of them in an event; a success that came later makes it history.
 */
function refusal(workload: KubeObject, around: Around): string | undefined {
  const condition = conditionsOf(workload).find(
    ({ type, status }) => type === "ReplicaFailure" && status === "True",
  );
  if (condition) return told(condition.message) || told(condition.reason, 60);
  const events = eventsOf(workload, around);
  const failed = lastEvent(events, "FailedCreate");
  const made = lastEvent(events, "SuccessfulCreate");
  if (!failed || (made && happened(made) > happened(failed))) return undefined;
  return told(failed.message?.replace(/^Error creating: /, ""));
}

/** The pods that a workload's selector selects, and that it, or a ReplicaSet of it, controls. */
function podsOf({ kind, metadata, ...workload }: KubeObject, { pods }: Around): KubeObject[] {
  const selector = record(record(workload).spec).selector as LabelSelector | undefined;
  const owner = kind === "Deployment" ? "ReplicaSet" : kind;
  const found: KubeObject[] = [];
  for (const pod of pods) {
    if (pod.metadata.namespace !== metadata.namespace) continue;
    const by = pod.metadata.ownerReferences?.find(({ controller }) => controller);
    if (by?.kind !== owner || (kind !== "Deployment" && by?.name !== metadata.name)) continue;
    if (!selects(selector, pod.metadata.labels)) continue;
    found.push(pod);
    if (found.length === LOOKED_AT) break;
  }
  return found;
}

/** Why a Job does not succeed. */
export function explainJob(job: KubeObject, around: Around): Explanation | undefined {
  const conditions = conditionsOf(job);
  const is = (type: string) => conditions.find((c) => c.type === type && c.status === "True");
  if (is("Complete")) return undefined;
  const failed = is("Failed") ?? is("FailureTarget");
  const spec = record(record(job).spec);
  const status = record(record(job).status);
  const line = sh`kubectl describe job ${named(job)}`;
  if (failed) {
    const limit = Number(spec.backoffLimit ?? 6);
    const why =
      failed.reason === "BackoffLimitExceeded"
        ? `its pods failed more often than backoffLimit ${limit} allows`
        : failed.reason === "DeadlineExceeded"
          ? `it took longer than activeDeadlineSeconds ${told(String(Number(spec.activeDeadlineSeconds)))}`
          : told(failed.message) || told(failed.reason, 60);
    return {
      state: "failing",
      sentence: sentence(`the Job has failed: ${why}`),
      line: sh`kubectl logs ${[`job/${job.metadata.name}`, ...named(job).slice(1)]}`,
    };
  }
  if (spec.suspend === true) {
    return {
      state: "pending",
      sentence: sentence("the Job is suspended: it makes no pods until that is taken back"),
      line,
    };
  }
  const refused = refusal(job, around);
  if (refused && Number(status.active ?? 0) === 0) {
    return { state: "failing", sentence: sentence(`its pods are refused: ${refused}`), line };
  }
  for (const pod of podsOf(job, around)) {
    const why = explainPod(pod, around);
    if (!why || why.state === "standin" || why.state === "terminating") continue;
    return { ...why, sentence: `Pod ${told(pod.metadata.name, 80)}: ${why.sentence}` };
  }
  return undefined;
}
