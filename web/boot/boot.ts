import type { BootStep, Fault } from "../rpc/protocol.ts";

/** The steps of starting, in the order they are shown. */
export const STEPS = [
  "download",
  "compile",
  "store",
  "apiserver",
  "controllers",
  "scheduler",
  "nodes",
] as const satisfies readonly BootStep["step"][];

export interface StepState {
  state: "waiting" | "running" | "done" | "failed";
  /** Milliseconds since the worker began. */
  startedAt?: number;
  endedAt?: number;
  loaded?: number;
  total?: number;
  detail?: string;
}

export interface BootState {
  steps: Record<BootStep["step"], StepState>;
  /** True once every step is done. */
  ready: boolean;
  fault?: Fault;
}

export type BootAction = BootStep | Fault;

export const initialBoot: BootState = {
  steps: Object.fromEntries(
    STEPS.map((step) => [step, { state: "waiting" }]),
  ) as BootState["steps"],
  ready: false,
};

/** What the worker said of its start, gathered. A message about the past changes nothing. */
export function reduceBoot(state: BootState, action: BootAction): BootState {
  if (action.type === "fault") {
    const steps = { ...state.steps };
    for (const step of STEPS) {
      if (steps[step].state === "running") steps[step] = { ...steps[step], state: "failed" };
    }
    // The first fault is the cause; those after it are its consequences.
    return { ...state, steps, fault: state.fault ?? action };
  }
  const before = state.steps[action.step];
  if (before.state === "done") return state;
  const step: StepState = { ...before, startedAt: before.startedAt ?? action.at };
  delete step.detail;
  if (action.detail !== undefined) step.detail = action.detail;
  if (action.loaded !== undefined) step.loaded = action.loaded;
  if (action.total !== undefined) step.total = action.total;
  step.state = action.state === "progress" || action.state === "started" ? "running" : action.state;
  if (step.state === "done" || step.state === "failed") step.endedAt = action.at;
  const steps = { ...state.steps, [action.step]: step };
  // What comes next has begun, though it says so later: the program needs seconds for its packages.
  const next = STEPS[STEPS.indexOf(action.step) + 1];
  if (step.state === "done" && next && steps[next].state === "waiting") {
    steps[next] = { state: "running", startedAt: action.at };
  }
  return { ...state, steps, ready: STEPS.every((name) => steps[name].state === "done") };
}

/** Milliseconds from the worker's beginning to the end of its last step, once ready. */
export function readyAfter(state: BootState): number | undefined {
  if (!state.ready) return undefined;
  return Math.max(...STEPS.map((step) => state.steps[step].endedAt ?? 0));
}
