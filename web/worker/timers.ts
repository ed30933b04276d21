import type { GoRuntime } from "./gohost.ts";

/** A timer event that the program waits for. */
interface Event {
  /** Milliseconds of `performance.now` at which it is due. */
  due: number;
  handle: ReturnType<typeof setTimeout> | undefined;
}

/**
 * The program's timer events, in the place of wasm_exec.js' own, so that they can be held back: that is
 * how a cluster sleeps that nobody looks at. What is held comes as much later as it was held.
 */
export class Timers {
  readonly #go: GoRuntime;
  readonly #events = new Map<number, Event>();
  #next = 1;
  /** Since when they are held, as `performance.now` tells it. */
  #held: number | undefined;

  constructor(go: GoRuntime) {
    this.#go = go;
    Object.assign(go.importObject.gojs ?? {}, {
      // func scheduleTimeoutEvent(delay int64) int32
      "runtime.scheduleTimeoutEvent": (sp: number): void => {
        const at = sp >>> 0;
        const id = this.#next++;
        const delay = this.#int64(at + 8);
        const event = { due: performance.now() + delay, handle: undefined };
        this.#events.set(id, event);
        if (this.#held === undefined) this.#arm(id, event, delay);
        go.mem.setInt32(at + 16, id, true);
      },
      // func clearTimeoutEvent(id int32)
      "runtime.clearTimeoutEvent": (sp: number): void => {
        const id = go.mem.getInt32((sp >>> 0) + 8, true);
        clearTimeout(this.#events.get(id)?.handle);
        this.#events.delete(id);
      },
    });
  }

  /** Nothing comes from now on. */
  hold(): void {
    if (this.#held !== undefined) return;
    this.#held = performance.now();
    for (const event of this.#events.values()) {
      clearTimeout(event.handle);
      event.handle = undefined;
    }
  }

  /** Those that wait, by their numbers, and the next number. */
  get waiting(): { ids: number[]; next: number } {
    return { ids: [...this.#events.keys()], next: this.#next };
  }

  /** Those that waited in the page before come at once: Go looks which of its timers are due, and asks for the next. */
  putBack({ ids, next }: { ids: number[]; next: number }): void {
    this.#next = next;
    for (const id of ids) {
      const event = { due: performance.now(), handle: undefined };
      this.#events.set(id, event);
      this.#arm(id, event, 0);
    }
  }

  /** None of them comes. */
  stop(): void {
    for (const { handle } of this.#events.values()) clearTimeout(handle);
    this.#events.clear();
  }

  /** They go on where they were. */
  release(): void {
    if (this.#held === undefined) return;
    const now = performance.now();
    for (const [id, event] of this.#events) {
      event.due += now - this.#held;
      this.#arm(id, event, Math.ceil(event.due - now));
    }
    this.#held = undefined;
  }

  /** In `delay` milliseconds, whole ones: a browser cuts off the rest, and it would come too early. */
  #arm(id: number, event: Event, delay: number): void {
    event.handle = setTimeout(() => {
      this.#go._resume();
      // The program takes the event out; sometimes it has missed it (golang/go#28975).
      while (this.#events.has(id)) {
        console.warn("a timer event was missed");
        this.#go._resume();
      }
    }, delay);
  }

  #int64(at: number): number {
    return this.#go.mem.getUint32(at, true) + this.#go.mem.getInt32(at + 4, true) * 2 ** 32;
  }
}
