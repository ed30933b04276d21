import type { RpcClient } from "../rpc/client.ts";
import type { InTabState } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";

/** Milliseconds between two questions: a node that is stopped looks Ready for most of a minute. */
const ASK_EVERY = 1000;

/** Which nodes the tab has, and whether they run; asked while somebody wants to know. */
export class InTab implements Disposable {
  states: ReadonlyMap<string, InTabState> = new Map();
  readonly #client: Pick<RpcClient, "call">;
  readonly #changed: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(client: Pick<RpcClient, "call">, changed: () => void) {
    this.#client = client;
    this.#changed = changed;
  }

  /** Whether to ask. */
  follow(wanted: boolean): void {
    if (wanted === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = wanted ? setInterval(() => void this.#ask(), ASK_EVERY) : undefined;
    if (wanted) void this.#ask();
  }

  dispose(): void {
    this.follow(false);
  }

  async #ask(): Promise<void> {
    try {
      const { nodes } = await this.#client.call("nodes", { action: "list" }).result;
      const next = new Map(nodes.map(({ name, state }) => [name, state]));
      const before = this.states;
      this.states = next;
      const same =
        next.size === before.size && [...next].every(([name, state]) => before.get(name) === state);
      if (!same && this.#timer !== undefined) this.#changed();
    } catch {
      // While the cluster starts there are none; what is asked next will say.
    }
  }
}
