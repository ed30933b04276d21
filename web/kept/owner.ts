/*
 * One tab has a kept cluster: the one that holds its Web Lock. Another may take the lock from it, upon
 * which the first ends its cluster. What a Worker has open says when that is done: a tab that is frozen
 * hears nothing, and keeps it until it wakes up or is closed.
 */
import { isOpen } from "./clusters.ts";
import type { Disposable } from "../state/disposable.ts";

/** For how long a lock is waited for which the page before may just be giving back, in milliseconds. */
const CLAIM_MS = 1000;

/** How many milliseconds apart is looked whether the other tab has let go. */
const BETWEEN_MS = 200;

/** After how many looks it is said that the other tab seems to sleep. */
const PATIENCE = 25;

type Locks = Pick<LockManager, "request">;

/** Where the browser has no locks, it has no storage for clusters either. */
function browserLocks(): Locks | undefined {
  return (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
}

/** A tab's right to open the kept cluster `name`. */
export class Owner implements Disposable {
  readonly name: string;
  /** Called when another tab has taken the cluster: this one must end it at once. */
  readonly #lost: () => void;
  readonly #locks: Locks | undefined;
  /** Gives the lock back; undefined while this tab does not have it. */
  #letGo: (() => void) | undefined;
  /** Ends the wait for what another tab has. */
  #queue: AbortController | undefined;

  constructor(name: string, lost: () => void, locks = browserLocks()) {
    this.name = name;
    this.#lost = lost;
    this.#locks = locks;
  }

  /**
   * Whether this tab has it now, without taking it from another. `freed` is called if the other lets go
   * after that was said.
   */
  async claim(freed: () => void = () => undefined, patience = CLAIM_MS): Promise<boolean> {
    // The browser says so itself, however busy it is; a timer could not tell slow from taken.
    if (await this.#request({ ifAvailable: true })) return true;
    this.#queue = new AbortController();
    const turn = this.#request({ signal: this.#queue.signal });
    let late = false;
    void turn.then((has) => {
      if (late && has) freed();
    });
    return Promise.race([
      turn,
      new Promise<boolean>((resolve) =>
        setTimeout(() => {
          late = true;
          resolve(false);
        }, patience),
      ),
    ]);
  }

  /**
   * Takes it from the tab that has it, and waits until that one has let go; false if a third tab was
   * quicker. `slow` is called once if the other does not let go soon: it may be frozen.
   */
  async take(slow: () => void, open = isOpen, between = BETWEEN_MS): Promise<boolean> {
    this.#queue?.abort();
    await this.#request({ steal: true });
    for (let looks = 1; this.#letGo && (await open(this.name)); looks++) {
      if (looks === PATIENCE) slow();
      await new Promise((resolve) => setTimeout(resolve, between));
    }
    return this.#letGo !== undefined;
  }

  dispose(): void {
    this.#queue?.abort();
    this.#letGo?.();
    this.#letGo = undefined;
  }

  /** Whether the lock was granted. */
  #request(options: LockOptions): Promise<boolean> {
    if (!this.#locks) {
      this.#letGo = () => undefined;
      return Promise.resolve(true);
    }
    const locks = this.#locks;
    return new Promise((resolve) => {
      let letGo: (() => void) | undefined;
      locks
        .request(`tabernetes.kept.${this.name}`, options, (lock) => {
          if (!lock) {
            resolve(false);
            return undefined;
          }
          const until = new Promise<void>((end) => (letGo = end));
          this.#letGo = letGo;
          resolve(true);
          return until;
        })
        .catch((error: unknown) => {
          if (!letGo) {
            const refused = error instanceof DOMException && error.name === "AbortError";
            // Forbidden here: the Worker's own lock on the files decides.
            if (!refused) this.#letGo = () => undefined;
            resolve(!refused);
          } else if (this.#letGo === letGo) {
            this.#letGo = undefined;
            this.#lost();
          }
        });
    });
  }
}
