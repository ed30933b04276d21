import { age, humanDuration } from "./age.ts";
import { isStandIn } from "./standin.ts";
import type { Pod } from "./types.ts";

/** core/v1 ContainerState: one of three. */
export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: {
    exitCode?: number;
    signal?: number;
    reason?: string;
    message?: string;
    startedAt?: string;
    finishedAt?: string;
  };
}

/** core/v1 ContainerStatus, as far as it is shown. */
export interface ContainerStatus {
  name: string;
  ready?: boolean;
  started?: boolean | null;
  restartCount?: number;
  imageID?: string;
  state?: ContainerState;
  lastState?: ContainerState;
}

interface Spec {
  name: string;
  image?: string;
  restartPolicy?: string;
}

interface Whole {
  spec?: Partial<Record<"containers" | "initContainers" | "ephemeralContainers", Spec[]>>;
  status?: Partial<
    Record<
      "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
      ContainerStatus[]
    >
  > & { conditions?: Pod["status"]["conditions"]; reason?: string; message?: string };
}

/** A container of a pod in words, for whoever asks why it does not run. */
export interface ContainerFacts {
  name: string;
  image: string;
  kind: "" | "init" | "sidecar" | "debug";
  /** How it is: "Running for 3m", "CrashLoopBackOff", "Ended with code 7 (Error) 5s ago". */
  state: string;
  /** True when it does not do what it should. */
  bad: boolean;
  /** True when it runs, or ran, in the place of an image that the tab does not have. */
  standIn: boolean;
  /** What the kubelet says of it. */
  message: string;
  /** How it ended the last time. */
  before: string;
  /** When it is started again: "in 18s", "any moment now". */
  next: string;
  restarts: number;
}

/** The containers of a pod, in the order in which they start. */
export function containerFacts(pod: object, now: number): ContainerFacts[] {
  const { spec = {}, status = {} } = pod as Whole;
  const of = (specs: Spec[] = [], statuses: ContainerStatus[] = [], kind: ContainerFacts["kind"]) =>
    specs.map((container) => {
      const sidecar = kind === "init" && container.restartPolicy === "Always";
      const known = statuses.find(({ name }) => name === container.name);
      return facts(container, known, sidecar ? "sidecar" : kind, now);
    });
  return [
    ...of(spec.initContainers, status.initContainerStatuses, "init"),
    ...of(spec.containers, status.containerStatuses, ""),
    ...of(spec.ephemeralContainers, status.ephemeralContainerStatuses, "debug"),
  ];
}

function facts(
  { name, image = "" }: Spec,
  status: ContainerStatus | undefined,
  kind: ContainerFacts["kind"],
  now: number,
): ContainerFacts {
  const { state = {}, lastState = {}, restartCount = 0, ready = false } = status ?? {};
  const once = kind === "init" || kind === "debug";
  const { waiting, running, terminated } = state;
  const code = terminated?.exitCode ?? 0;
  const words = running
    ? `Running for ${age(running.startedAt, now)}${ready || once ? "" : ", not ready"}`
    : terminated
      ? ended(terminated, now)
      : (waiting?.reason ?? "Not started");
  return {
    name,
    image,
    kind,
    state: words,
    bad: terminated ? code !== 0 : waiting !== undefined && isFault(waiting.reason ?? ""),
    standIn: isStandIn(status ?? {}),
    message: waiting?.message ?? terminated?.message ?? "",
    before: lastState.terminated ? ended(lastState.terminated, now) : "",
    next: nextStart(waiting, lastState.terminated?.finishedAt, now),
    restarts: restartCount,
  };
}

function ended(
  { exitCode, signal, reason, finishedAt }: ContainerState["terminated"] & object,
  now: number,
) {
  const how = signal ? `by signal ${signal}` : `with code ${exitCode ?? 0}`;
  return `Ended ${how}${reason ? ` (${reason})` : ""}${finishedAt ? ` ${age(finishedAt, now)} ago` : ""}`;
}

/** What a kubelet waits for while all is well. */
export function isFault(reason: string): boolean {
  return !["", "ContainerCreating", "PodInitializing"].includes(reason);
}

/**
 * From when on the kubelet waits, and until when, before it starts a container again, in milliseconds since
 * 1970. Its message has how long it waits, from the container's end on
 * (pkg/kubelet/kuberuntime/kuberuntime_manager.go, doBackOff).
 */
export function backOff(
  waiting: ContainerState["waiting"],
  finishedAt: string | undefined,
): { from: number; until: number } | undefined {
  if (waiting?.reason !== "CrashLoopBackOff" || !finishedAt) return undefined;
  const said = /back-off ((?:\d+m)?\d+s) restarting/.exec(waiting.message ?? "")?.[1];
  const [, minutes = "0", seconds = "0"] = /^(?:(\d+)m)?(\d+)s$/.exec(said ?? "") ?? [];
  const wait = (Number(minutes) * 60 + Number(seconds)) * 1000;
  const from = Date.parse(finishedAt);
  return wait === 0 || Number.isNaN(from) ? undefined : { from, until: from + wait };
}

/** When the kubelet starts it again, in words. */
export function nextStart(
  waiting: ContainerState["waiting"],
  finishedAt: string | undefined,
  now: number,
): string {
  const wait = backOff(waiting, finishedAt);
  if (!wait) return "";
  const left = wait.until - now;
  return left > 0 ? `in ${humanDuration(left)}` : "any moment now";
}
