import type { TraceStep } from "../rpc/protocol.ts";
import { inOrder } from "./order.ts";
import { story } from "./story.ts";

/** From this many steps on they are told slowly only. */
export const MUCH = 3000;
/** Milliseconds without a new step after which a command that begins to be told has come to rest, */
const REST = 2500;
/** and those after which what comes later is later in any case. */
const LONG = 8000;

type Steps = readonly TraceStep[];

/**
 * The steps of the command that is drawn, and those of them that are told. As it happens they are all that there are.
 * Slowly they stay: who reads does not count up, and is offered what came later. Who begins while the command is
 * still under way has the rest of it as long as they are at its beginning.
 */
export class Replayed {
  steps: Steps = [];
  told: Steps = [];
  /** Whether more has come than is told. */
  more = false;
  #held = false;
  #began = 0;
  #grew = 0;
  /** What `told` and `more` were made of. */
  #of: { readonly steps: Steps; readonly every: boolean } | undefined;
  #looked: Steps = [];

  /** As it happens. Very much would be ordered, and its story made, anew too often. */
  live(all: Steps, every: boolean, now: number): void {
    const much = all.length > MUCH;
    const found = much ? all : inOrder(all);
    if (found.length !== this.steps.length) this.#grew = now;
    this.#take(found, every || much);
  }

  /** Begins to be told. */
  begin(all: Steps, every: boolean, now: number): void {
    this.#began = now;
    this.#held = now - this.#grew > REST;
    this.#take(inOrder(all), every);
  }

  /** The reader has gone on from the beginning, or to some place of it. */
  hold(): void {
    this.#held = true;
  }

  /** While it is told; it is not taken away when the ring has no more of it. */
  slow(all: Steps, every: boolean, now: number): void {
    const isMore = all.length > this.steps.length;
    this.#held ||= now - (isMore ? this.#began + LONG - REST : this.#grew) > REST;
    if (isMore && !this.#held) {
      this.#grew = now;
      this.#take(inOrder(all), every);
      return;
    }
    this.#take(this.steps, every);
    if (!isMore || all === this.#looked) return;
    this.#looked = all;
    this.more = every || story(inOrder(all)).length > this.told.length;
  }

  /** What came later is told, too. */
  add(all: Steps, every: boolean): void {
    this.#take(inOrder(all), every);
  }

  clear(): void {
    this.steps = [];
    this.told = [];
    this.more = false;
    this.#of = undefined;
  }

  #take(steps: Steps, every: boolean): void {
    if (this.#of?.steps === steps && this.#of.every === every) return;
    if (this.#of?.steps !== steps) this.more = false;
    this.#of = { steps, every };
    this.steps = steps;
    this.told = every ? steps : story(steps);
  }
}
