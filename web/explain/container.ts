import {
  isFault,
  nextStart,
  type ContainerState,
  type ContainerStatus,
} from "../kube/container-state.ts";
import { sh } from "../kube/shell-line.ts";
import type { Event, KubeObject } from "../kube/types.ts";
import { happened, lastEvent, named, record } from "./about.ts";
import { probeTrouble } from "./probes.ts";
import type { Around, Explanation } from "./types.ts";
import { sentence, times, told } from "./words.ts";

/** A container of a pod, with all that is said of it. */
export interface OfPod {
  readonly pod: KubeObject;
  readonly status: ContainerStatus;
  /** As the pod's spec has it. */
  readonly spec: Record<string, unknown>;
  /** "container c", "init container c". */
  readonly what: string;
  /** It ends before the next one begins. */
  readonly once: boolean;
  /** The pod's events, the newest first. */
  readonly events: readonly Event[];
}

/**
 * For how long a container that runs again is said to have ended, in milliseconds: the kubelet's
 * back-off forgets an end after twice its longest wait of 5 minutes
 * (k8s.io/client-go/util/flowcontrol/backoff.go, hasExpired).
 */
const REMEMBERED = 600_000;

type Terminated = NonNullable<ContainerState["terminated"]>;

/** Why a container is not as it should be; undefined if it is, or if nobody knows yet. */
export function containerTrouble(of: OfPod, around: Around): Explanation | undefined {
  const { waiting, running, terminated } = of.status.state ?? {};
  const last = of.status.lastState?.terminated;
  if (waiting && isFault(waiting.reason ?? "")) {
    if (waiting.reason === "CrashLoopBackOff" && last) return crashed(of, last, true, around);
    return notStarted(of, waiting);
  }
  if (terminated && isBad(terminated)) return crashed(of, terminated, false, around);
  if (!running) return undefined;
  const probe = of.once ? undefined : probeTrouble(of, around);
  if (probe) return probe;
  const since = around.now - Date.parse(last?.finishedAt ?? "");
  return last && isBad(last) && since < REMEMBERED ? crashed(of, last, true, around) : undefined;
}

function isBad({ exitCode = 0, signal = 0, reason = "" }: Terminated): boolean {
  return exitCode !== 0 || signal !== 0 || reason === "OOMKilled";
}

/** It has ended, now or before it was started again. */
function crashed(of: OfPod, end: Terminated, previous: boolean, around: Around): Explanation {
  const { pod, status } = of;
  const { state = {}, restartCount = 0, name } = status;
  // The run that is under way, or awaited, has not ended: restarts are counted when one begins.
  const count = state.running ? restartCount : restartCount + 1;
  const next = nextStart(state.waiting, end.finishedAt, around.now);
  // What could not be started has said nothing.
  const container = isStartError(end)
    ? undefined
    : { ...where(pod), container: name, previous, restarts: restartCount };
  const words = told(end.message) || (container ? told(around.lastWords?.(container)) : "");
  return {
    state: "failing",
    sentence: sentence(
      howItEnded(of, end),
      times(count),
      state.running && "; it runs again",
      next && `; next start ${next}`,
      state.terminated && isRestarted(of) && "; it is started again, each time after a longer wait",
      words && `; last words: “${words}”`,
    ),
    line: sh`kubectl logs ${[...named(pod), "-c", name, ...(previous ? ["--previous"] : [])]}`,
    ...(container ? { crashed: container } : {}),
  };
}

/**
 * It has ended with an error, and its kubelet starts it again: how long that waits is told only once it has
 * begun to wait. (pkg/kubelet/container/helpers.go, ShouldContainerBeRestarted)
 */
function isRestarted({ pod, spec }: OfPod): boolean {
  if (pod.metadata.deletionTimestamp || spec.restartPolicyRules) return false;
  const { restartPolicy } = record(record(pod).spec);
  return (spec.restartPolicy ?? restartPolicy) !== "Never";
}

function where({ metadata: { name, namespace = "" } }: KubeObject) {
  return { pod: name, namespace };
}

/** Exit codes that shells and signals give a meaning. */
const CODES: Record<number, string> = {
  0: "which its pod's restart policy does not leave at that",
  126: "its command cannot be run",
  127: "its command is not there",
  130: "SIGINT ended it",
  134: "it gave up itself, SIGABRT",
  137: "SIGKILL ended it",
  139: "it reached for memory that is not its own, SIGSEGV",
  143: "SIGTERM ended it",
};

function howItEnded({ what, spec, events, status }: OfPod, end: Terminated): string {
  const { exitCode = 0, signal = 0, reason = "" } = end;
  if (reason === "OOMKilled") {
    const limit = told(record(record(spec.resources).limits).memory, 20);
    return `${what} wanted more memory than ${limit ? `its limit of ${limit}` : "there was"} and was killed (OOMKilled)`;
  }
  if (isStartError(end)) return `${what} could not be started (${told(reason, 40)})`;
  const probe = killedBy(status.name, events, end);
  if (probe) return `${what} was ended because its ${probe} probe failed`;
  if (signal !== 0) return `${what} was ended by signal ${signal}`;
  const code = CODES[exitCode];
  return `${what} ended with code ${exitCode}${code ? ` (${code})` : ""}`;
}

function isStartError({ reason = "" }: Terminated): boolean {
  return ["StartError", "ContainerCannotRun", "RunContainerError"].includes(reason);
}

/** The probe that had a run of a container ended: "Container c failed liveness probe, will be restarted". */
function killedBy(name: string, events: readonly Event[], end: Terminated): string | undefined {
  const began = Date.parse(end.startedAt ?? "") || 0;
  const ended = Date.parse(end.finishedAt ?? "") || Infinity;
  // Events and states have whole seconds.
  const killing = events.filter(
    (event) =>
      event.reason === "Killing" && happened(event) >= began && happened(event) <= ended + 1000,
  );
  for (const { message = "" } of killing) {
    const probe = [" failed liveness probe", " failed startup probe"].find((words) =>
      message.startsWith(`Container ${name}${words}`),
    );
    if (probe) return probe.split(" ")[2];
  }
  return undefined;
}

/** It waits, and there is a fault: its image, what it is configured with, or that it cannot be started. */
function notStarted(
  { pod, what, spec, events }: OfPod,
  waiting: NonNullable<ContainerState["waiting"]>,
): Explanation {
  const { reason = "", message } = waiting;
  const describe = sh`kubectl describe pod ${named(pod)}`;
  const image = told(spec.image, 120);
  const state = "failing";
  switch (reason) {
    case "InvalidImageName":
      return {
        state,
        sentence: sentence(`“${image}” of ${what} is no name of an image`),
        line: describe,
      };
    case "ErrImageNeverPull":
      return {
        state,
        sentence: sentence(
          `the image ${image} of ${what} is not on the node, and its imagePullPolicy Never forbids to pull it`,
        ),
        line: describe,
      };
    case "ErrImagePull":
    case "ImagePullBackOff": {
      const why = pullTrouble(message ?? "");
      const secret = lastEvent(events, "FailedToRetrieveImagePullSecret");
      const secrets = /image pull secrets \(([^)]*)\)/.exec(secret?.message ?? "")?.[1];
      return {
        state,
        sentence: sentence(
          `the image ${image} of ${what} cannot be pulled`,
          why && `: ${told(why)}`,
          secrets !== undefined && `; its pull secret ${told(secrets, 80)} is not there`,
          reason === "ImagePullBackOff" && "; the node tries again, each time later",
        ),
        line: describe,
      };
    }
    case "CreateContainerConfigError": {
      const missing = missingConfig(pod, message ?? "");
      return {
        state,
        sentence: sentence(
          `${what} cannot be made: `,
          missing?.words ?? (told(message) || told(reason, 60)),
        ),
        line: missing?.line ?? describe,
      };
    }
    default:
      return {
        state,
        sentence: sentence(
          `${what} cannot be started (${told(reason, 60)})`,
          message && `: ${told(message)}`,
        ),
        line: describe,
      };
  }
}

/** What the registry, or the tab, has said; the kubelet puts its own words before it. */
function pullTrouble(message: string): string {
  return message
    .replace(/^Back-off pulling image "[^"]*"(?:: ErrImagePull: )?/, "")
    .replace(/^(?:rpc error: code = \w+ desc = )+/, "");
}

/** `configmap "x" not found`, `couldn't find key k in Secret shop/x` (pkg/kubelet/kubelet_pods.go). */
export function missingConfig(
  pod: KubeObject,
  message: string,
): { words: string; line: string } | undefined {
  const where = named(pod).slice(1);
  const gone = /\b(configmap|secret) "([^"]{1,253})" not found/.exec(message);
  if (gone) {
    const [, kind = "", name = ""] = gone;
    const shown = kind === "secret" ? "Secret" : "ConfigMap";
    return {
      words: `the ${shown} “${told(name, 80)}” is not there`,
      line: sh`kubectl get ${[`${kind}s`, ...where]}`,
    };
  }
  const key = /couldn't find key (\S{1,253}) in (ConfigMap|Secret) [^/\s]+\/(\S{1,253})/.exec(
    message,
  );
  if (!key) return undefined;
  const [, which = "", kind = "", name = ""] = key;
  return {
    words: `the ${kind} “${told(name, 80)}” has no key “${told(which, 80)}”`,
    line: sh`kubectl describe ${[kind.toLowerCase(), name, ...where]}`,
  };
}
