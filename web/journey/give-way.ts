import type { Disposable } from "../state/disposable.ts";
import { AtRest, type AtRestNeeds } from "./at-rest.ts";

/** What it stands over. */
export interface GiveWayNeeds extends Pick<AtRestNeeds, "trace"> {
  /** The journey's place becomes the map's. */
  give(): void;
}

/**
 * Gives the journey's place to the map once a first command has ended and what it set off has come to
 * rest; not while somebody holds the journey, since nothing may go away under their eyes.
 */
export class GiveWay implements Disposable {
  readonly #on: GiveWayNeeds;
  readonly #rest: AtRest;
  #holders = 0;
  #rests = false;

  constructor(on: GiveWayNeeds) {
    this.#on = on;
    this.#rest = new AtRest({
      trace: on.trace,
      rests: () => {
        this.#rests = true;
        this.#giveIfFree();
      },
    });
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
    this.#rest.dispose();
    this.#rests = false;
  }

  #giveIfFree(): void {
    if (!this.#rests || this.#holders > 0) return;
    this.dispose();
    this.#on.give();
  }
}
