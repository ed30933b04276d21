import type { ContainerStatus } from "../kube/container-state.ts";
import { conditionsOf } from "../kube/conditions.ts";
import { sh } from "../kube/shell-line.ts";
import { standInWords } from "../kube/standin.ts";
import type { Event, KubeObject } from "../kube/types.ts";
import { eventsOf, happened, lastEvent, named, record } from "./about.ts";
import { containerTrouble, missingConfig, type OfPod } from "./container.ts";
import { leaving } from "./leaving.ts";
import { unscheduled } from "./scheduling.ts";
import type { Around, Explanation } from "./types.ts";
import { sentence, told } from "./words.ts";

/** Why a pod does not do what it should; undefined if it does, or is on its way. */
export function explainPod(pod: KubeObject, around: Around): Explanation | undefined {
  const status = record(record(pod).status);
  const events = eventsOf(pod, around);
  if (pod.metadata.deletionTimestamp) return leaving(pod, around);
  if (status.phase === "Succeeded") return undefined;
  if (status.phase === "Failed" && typeof status.reason === "string") return ended(pod, status);
  const placed = conditionsOf(pod).find(({ type }) => type === "PodScheduled");
  if (placed?.status === "False") return unscheduled(pod, placed);
  const containers = containersOf(pod, events);
  const found = containers
    .map((of) => containerTrouble(of, around))
    .filter((one) => one !== undefined);
  // What has failed keeps others from being ready, and not the other way round.
  const worst = found.find(({ state }) => state === "failing") ?? found[0];
  if (worst) return worst;
  return notPrepared(pod, status, events) ?? standIn(pod);
}

/** The kubelet, or a controller, has given the whole pod up. */
function ended(pod: KubeObject, status: Record<string, unknown>): Explanation {
  const message = told(status.message);
  const words = message ? `: ${message}` : "";
  const line = sh`kubectl describe pod ${named(pod)}`;
  if (status.reason !== "Evicted") {
    return {
      state: "failing",
      sentence: sentence(`the pod was ended (${told(status.reason, 60)})`, words),
      line,
    };
  }
  const node = record(record(pod).spec).nodeName;
  return {
    state: "failing",
    sentence: sentence("the pod was evicted", words),
    line:
      typeof node === "string" && message.startsWith("The node")
        ? sh`kubectl describe node ${node}`
        : line,
  };
}

/** Its containers that have a status, in the order in which they start. */
function containersOf(pod: KubeObject, events: readonly Event[]): OfPod[] {
  const spec = record(record(pod).spec);
  const status = record(record(pod).status);
  const of = (specs: unknown, statuses: unknown, what: string, once: boolean): OfPod[] => {
    if (!Array.isArray(statuses)) return [];
    const known: unknown[] = Array.isArray(specs) ? specs : [];
    return (statuses as ContainerStatus[]).map((one) => {
      const its = record(known.find((container) => record(container).name === one.name));
      const sidecar = once && its.restartPolicy === "Always";
      return {
        pod,
        status: one,
        spec: its,
        what: `${sidecar ? "sidecar" : what} ${told(one.name, 80)}`,
        once: once && !sidecar,
        events,
      };
    });
  };
  return [
    ...of(spec.initContainers, status.initContainerStatuses, "init container", true),
    ...of(spec.containers, status.containerStatuses, "container", false),
  ];
}

/** What a pod needs before its containers: volumes and a network. */
function notPrepared(
  pod: KubeObject,
  status: Record<string, unknown>,
  events: readonly Event[],
): Explanation | undefined {
  if (status.phase !== "Pending") return undefined;
  const event = lastEvent(events, "FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox");
  const began = Date.parse(typeof status.startTime === "string" ? status.startTime : "") || 0;
  if (!event || happened(event) < began) return undefined;
  const message = event.message ?? "";
  const line = sh`kubectl describe pod ${named(pod)}`;
  if (event.reason === "FailedCreatePodSandBox") {
    const why = message.replace(
      /^Failed to create pod sandbox: (?:rpc error: code = \w+ desc = )?/,
      "",
    );
    return { state: "failing", sentence: sentence(`the pod gets no sandbox: ${told(why)}`), line };
  }
  const volume = /for volume "([^"]{1,253})"/.exec(message)?.[1];
  const missing = missingConfig(pod, message);
  const why = message.replace(/^MountVolume\.SetUp failed for volume "[^"]*" ?: /, "");
  return {
    state: "failing",
    sentence: sentence(
      `its containers wait for the volume${volume ? ` “${told(volume, 80)}”` : "s"}: `,
      missing?.words ?? told(why),
    ),
    line: missing?.line ?? line,
  };
}

function standIn(pod: KubeObject): Explanation | undefined {
  const words = standInWords(pod);
  if (words === "") return undefined;
  return { state: "standin", sentence: words, line: sh`kubectl describe pod ${named(pod)}` };
}
