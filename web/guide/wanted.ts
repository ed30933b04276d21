import type { TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "../trace/feed.ts";
import { commands, justHappened } from "../trace/told.ts";

/** What the reader has run to be told next: the first command from then on that does something, or is refused. */
export class Wanted {
  readonly #trace: Pick<TraceFeed, "steps" | "tree">;
  /** The last command when it was asked for. */
  #since: number | undefined;

  constructor(trace: Pick<TraceFeed, "steps" | "tree">) {
    this.#trace = trace;
  }

  ask(): void {
    this.#since = commands(this.#trace.steps).at(-1)?.id ?? 0;
  }

  /** Somebody has chosen another one meanwhile. */
  forget(): void {
    this.#since = undefined;
  }

  /** The command, once: when it has come. */
  take(): TraceStep | undefined {
    const since = this.#since;
    if (since === undefined) return undefined;
    const found = commands(this.#trace.steps).find(
      (one) => one.id > since && justHappened(this.#trace, [one]) === one,
    );
    if (found) this.#since = undefined;
    return found;
  }
}
