import { Disposables, type Disposable } from "../state/disposable.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "../trace/feed.ts";
import { top } from "../trace/told.ts";

/** Milliseconds without a new step after which what a command has set off is taken to have come to rest. */
export const REST = 2500;

/** What it stands over. */
export interface GiveWayNeeds {
  readonly trace: Pick<TraceFeed, "arrivals" | "steps">;
  /** The journey's place becomes the map's. */
  give(): void;
}

/**
 * Gives the journey's place to the map once a first command has ended and what it set off has come to
 * rest; not while somebody holds the journey, since nothing may go away under their eyes.
 */
export class GiveWay implements Disposable {
  readonly #on: GiveWayNeeds;
  readonly #held = new Disposables();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #holders = 0;
  /** The first command that has ended. */
  #first: number | undefined;
  #rests = false;

  constructor(on: GiveWayNeeds) {
    this.#on = on;
    this.#held.add(on.trace.arrivals.subscribe((fresh) => this.#look(fresh)));
    this.#held.add({ dispose: () => clearTimeout(this.#timer) });
  }

  /** Keeps the journey where it is until disposed. */
  hold(): Disposable {
    this.#holders++;
    let holds = true;
    return {
      dispose: () => {
        if (!holds) return;
        holds = false;
        this.#holders--;
        this.#giveIfFree();
      },
    };
  }

  dispose(): void {
    this.#held.dispose();
  }

  #look(fresh: readonly TraceStep[]): void {
    if (this.#rests) return;
    const { steps } = this.#on.trace;
    let stirs = false;
    for (const { id, kind, cause } of fresh) {
      if (kind === "kubectl.exit") this.#first ??= cause;
      stirs ||= this.#first !== undefined && top(steps, id) === this.#first;
    }
    if (!stirs) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#rests = true;
      this.#giveIfFree();
    }, REST);
  }

  #giveIfFree(): void {
    if (!this.#rests || this.#holders > 0) return;
    this.dispose();
    this.#on.give();
  }
}
