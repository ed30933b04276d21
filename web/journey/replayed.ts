import type { TraceStep } from "../rpc/protocol.ts";
import { inOrder } from "./order.ts";
import { story } from "./story.ts";

/** From this many steps on they are told slowly only. */
export const MUCH = 3000;

type Steps = readonly TraceStep[];

/** The steps of the command that is drawn, and those of them that are told. */
export class Replayed {
  steps: Steps = [];
  told: Steps = [];
  /** What `told` was made of. */
  #of: { readonly steps: Steps; readonly every: boolean } | undefined;

  /** As it happens. Very much would be ordered, and its story made, anew too often. */
  live(all: Steps, every: boolean): void {
    const much = all.length > MUCH;
    this.#take(much ? all : inOrder(all), every || much);
  }

  /**
   * While it is told slowly: what comes of it meanwhile is told, too, up to its end, and none of it is taken away when
   * the ring has no more of it.
   */
  slow(all: Steps, every: boolean): void {
    this.#take(all.length > this.steps.length ? inOrder(all) : this.steps, every);
  }

  /**
   * The step at which pods stand while `until` is told. Of many that go one way it is told of one: where the story ends
   * the others have gone it, too.
   */
  seen(until: TraceStep): TraceStep {
    const last = this.steps.at(-1);
    if (!last || until !== this.told.at(-1)) return until;
    return { ...last, at: this.steps.reduce((latest, { at }) => Math.max(latest, at), until.at) };
  }

  clear(): void {
    this.steps = [];
    this.told = [];
    this.#of = undefined;
  }

  #take(steps: Steps, every: boolean): void {
    if (this.#of?.steps === steps && this.#of.every === every) return;
    this.#of = { steps, every };
    this.steps = steps;
    this.told = every ? steps : story(steps);
  }
}
