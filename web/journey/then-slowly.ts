import { Disposables, type Disposable } from "../state/disposable.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { AtRest, type AtRestNeeds } from "./at-rest.ts";

/** What it stands over. */
export interface ThenSlowlyNeeds extends Pick<AtRestNeeds, "trace"> {
  /** What hears of all that is pressed in the page. */
  readonly page: EventTarget;
  /** Shows the command slowly, from its beginning. */
  slowly(command: TraceStep): void;
}

/**
 * Who had a command run to follow it has seen it pass in a second: once it rests it is told slowly, by itself. Not to
 * somebody who has pressed anything meanwhile: they have found a way of their own, and nothing changes under their hand.
 */
export class ThenSlowly implements Disposable {
  readonly #held = new Disposables();

  constructor(on: ThenSlowlyNeeds) {
    const rests = (id: number) => {
      this.dispose();
      const command = on.trace.steps.get(id);
      if (command) on.slowly(command);
    };
    this.#held.add(new AtRest({ trace: on.trace, rests }));
    for (const press of ["pointerdown", "keydown"] as const)
      this.#held.listen(on.page, press, () => this.dispose(), { capture: true });
  }

  dispose(): void {
    this.#held.dispose();
  }
}
