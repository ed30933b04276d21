import { backOff } from "../kube/container-state.ts";
import type { Node, Pod, Row } from "../kube/types.ts";

/** The part of a pod that is read here besides; whoever made it wrote it. */
interface Waiting {
  spec?: {
    restartPolicy?: string;
    tolerations?: { key?: string; effect?: string; tolerationSeconds?: number }[];
  };
  status?: {
    containerStatuses?: {
      restartCount?: number;
      state?: {
        waiting?: { reason?: string; message?: string };
        terminated?: { exitCode?: number; finishedAt?: string };
      };
      lastState?: { terminated?: { finishedAt?: string } };
    }[];
  };
}

export interface Wait {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** A kubelet's first wait, and its longest (pkg/kubelet/kubelet.go: initialCrashLoopBackOff, MaxCrashLoopBackOff). */
const FIRST = 10_000;
const LONGEST = 300_000;

/**
 * The wait of a pod's container that is started again last. A kubelet says how long only once it shows
 * CrashLoopBackOff; before, while it shows how the container has ended, it is what it will say: none at first, then
 * 10 s, and twice as long each time.
 */
export function backOffOf(pod: Pod): Wait | undefined {
  let last: Wait | undefined;
  const { spec, status } = pod as unknown as Waiting;
  if (pod.metadata.deletionTimestamp || spec?.restartPolicy === "Never") return undefined;
  for (const { restartCount = 0, state, lastState } of status?.containerStatuses ?? []) {
    const { waiting, terminated } = state ?? {};
    const again = terminated && (terminated.exitCode !== 0 || spec?.restartPolicy !== "OnFailure");
    const wait = again
      ? expected(restartCount, Date.parse(terminated.finishedAt ?? ""))
      : backOff(waiting, lastState?.terminated?.finishedAt);
    if (wait && (!last || wait.until > last.until)) last = wait;
  }
  return last;
}

function expected(restarts: number, from: number): Wait | undefined {
  if (restarts < 1 || Number.isNaN(from)) return undefined;
  return { from, until: from + Math.min(LONGEST, FIRST * 2 ** Math.min(restarts - 1, 10)) };
}

/** The taints by which the node controller has pods leave a node that is not there. */
const LEAVING = ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"];

/**
 * When the next pod is evicted from a node that is gone, in milliseconds since 1970: since its taint for as long as
 * the pod tolerates that (pkg/controller/tainteviction). Undefined if none is.
 */
export function nextEviction(node: Node, pods: Iterable<Row<Pod>>): number | undefined {
  const { taints = [] } = node.spec as {
    taints?: { key?: string; effect?: string; timeAdded?: string }[];
  };
  const taint = taints.find(
    ({ key = "", effect }) => effect === "NoExecute" && LEAVING.includes(key),
  );
  const since = Date.parse(taint?.timeAdded ?? "");
  if (!taint || Number.isNaN(since)) return undefined;
  let next: number | undefined;
  for (const { object } of pods) {
    const { metadata, spec } = object;
    if (spec.nodeName !== node.metadata.name || metadata.deletionTimestamp) continue;
    const tolerated = ((object as unknown as Waiting).spec?.tolerations ?? []).filter(
      ({ key, effect }) => (!key || key === taint.key) && (!effect || effect === "NoExecute"),
    );
    const seconds = tolerated.map(({ tolerationSeconds }) => tolerationSeconds ?? Infinity);
    const at = since + 1000 * (tolerated.length > 0 ? Math.min(...seconds) : 0);
    if (at !== Infinity && (next === undefined || at < next)) next = at;
  }
  return next;
}

/** "4:07", and "0:00" for what is due. */
export function countdown(left: number): string {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
