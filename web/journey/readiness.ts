import type { PodState } from "../kube/podstate.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { listOf } from "../trace/look.ts";
import { textOf } from "../trace/words.ts";

/*
 * When a pod whose container has started is ready: when its kubelet says so. A real node tells what its runtime
 * does, and not what its kubelet reports: there a pod counts as running once it has started.
 */

const REPORT = "kubelet.status";

export class Readiness {
  /** The nodes whose kubelets report. */
  readonly #report: ReadonlySet<string>;

  constructor(steps: readonly TraceStep[]) {
    this.#report = new Set(
      steps.flatMap(({ kind, node }) => (kind === REPORT && node !== undefined ? [node] : [])),
    );
  }

  /** What a pod is when a container of it has started there. */
  started(node: string): PodState {
    return this.#report.has(node) ? "unready" : "running";
  }

  /** What a step makes of a pod that stood so until then; undefined: nothing. */
  reported({ kind, details }: TraceStep, state: PodState | undefined): PodState | undefined {
    if (kind !== REPORT || state !== "unready") return undefined;
    if (textOf(details, "phase") === "Succeeded") return "succeeded";
    return listOf(details, "conditions").includes("Ready=True") ? "running" : undefined;
  }
}
