import { Disposables, type Disposable } from "../state/disposable.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "../trace/feed.ts";
import { top } from "../trace/told.ts";

/** Milliseconds without a new step after which what a command has set off is taken to have come to rest. */
export const REST = 2500;

/** What it stands over. */
export interface AtRestNeeds {
  readonly trace: Pick<TraceFeed, "arrivals" | "steps">;
  /** Called once, with the command's step. */
  rests(command: number): void;
}

/** Hears when the next command has ended, and what it set off has come to rest. */
export class AtRest implements Disposable {
  readonly #on: AtRestNeeds;
  readonly #held = new Disposables();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The first command that has ended since. */
  #first: number | undefined;

  constructor(on: AtRestNeeds) {
    this.#on = on;
    this.#held.add(on.trace.arrivals.subscribe((fresh) => this.#look(fresh)));
    this.#held.add({ dispose: () => clearTimeout(this.#timer) });
  }

  dispose(): void {
    this.#held.dispose();
  }

  #look(fresh: readonly TraceStep[]): void {
    const { steps } = this.#on.trace;
    let stirs = false;
    for (const { id, kind, cause } of fresh) {
      if (kind === "kubectl.exit") this.#first ??= cause;
      stirs ||= this.#first !== undefined && top(steps, id) === this.#first;
    }
    const first = this.#first;
    if (!stirs || first === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.dispose();
      this.#on.rests(first);
    }, REST);
  }
}
