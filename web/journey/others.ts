import type { TraceStep } from "../rpc/protocol.ts";
import { WRITE } from "../trace/told.ts";

/*
 * Of several pods one is followed: the one that was written first. What pods come to is told of that one, though another
 * may have come there before.
 */

/** What is told of each pod. */
export const OF_EACH_POD: ReadonlySet<string> = new Set(["scheduler.bind", "cri.StartContainer"]);

export class Others {
  readonly #followed: string | undefined;

  constructor(steps: readonly TraceStep[]) {
    this.#followed = steps
      .map((step) => (WRITE.test(step.kind) ? podOf(step) : undefined))
      .find(Boolean);
  }

  /** All steps, those about other pods behind. */
  last(steps: readonly TraceStep[]): readonly TraceStep[] {
    const is = (step: TraceStep) => this.#isOther(step);
    return [...steps.filter((step) => !is(step)), ...steps.filter(is)];
  }

  /** A story in which other pods are bound, and start, once the followed one has come as far as it comes. */
  behind(story: readonly TraceStep[]): readonly TraceStep[] {
    const ofEach = (step: TraceStep) => OF_EACH_POD.has(step.kind);
    const ahead = new Set(story.filter((step) => this.#isFollowed(step) && ofEach(step)));
    return story.filter((step) => {
      ahead.delete(step);
      return !ofEach(step) || !this.#isOther(step) || ahead.size === 0;
    });
  }

  #isFollowed(step: TraceStep): boolean {
    const pod = podOf(step);
    return pod !== undefined && pod === this.#followed;
  }

  #isOther(step: TraceStep): boolean {
    const pod = podOf(step);
    return pod !== undefined && pod !== this.#followed;
  }
}

/** The pod that a step is about, by namespace and name. */
function podOf({ object }: TraceStep): string | undefined {
  if (object?.resource !== "pods" || !object.name) return undefined;
  return `${object.namespace ?? ""}/${object.name}`;
}
