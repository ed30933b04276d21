import type { Disposable } from "../state/disposable.ts";

/** Milliseconds for which nobody looks and nobody waits, before a cluster sleeps. */
const PATIENCE = 5000;

/** What can sleep: a cluster (web/cluster). */
export interface Sleeper {
  sleep(): void;
  wake(): void;
  readonly client: { onAwaited: ((awaited: boolean) => void) | undefined };
}

/**
 * Lets a cluster sleep while none of its elements is in sight, or the whole tab is not, and nobody waits
 * for an answer of it: a command that runs, a check, a client outside that is let in. It is awake
 * before anything is asked of it. A cluster that no element shows is never put to sleep.
 */
export class Sleep implements Disposable {
  readonly #of: Sleeper;
  readonly #elements: InSight;
  readonly #seen: Disposable;
  #awaited = false;
  #ready = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `ready` settles when it has started: a start is never held up. */
  constructor(of: Sleeper, ready: Promise<void>, elements: InSight) {
    this.#of = of;
    this.#elements = elements;
    this.#seen = elements.onChange(() => this.#decide());
    of.client.onAwaited = (awaited) => {
      this.#awaited = awaited;
      this.#decide();
    };
    ready.then(
      () => {
        this.#ready = true;
        this.#decide();
      },
      () => undefined,
    );
  }

  #decide(): void {
    clearTimeout(this.#timer);
    if (!this.#ready || this.#awaited || this.#elements.any) this.#of.wake();
    else this.#timer = setTimeout(() => this.#of.sleep(), PATIENCE);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#seen.dispose();
    this.#of.client.onAwaited = undefined;
    this.#of.wake();
  }
}

/** Which of some elements are in sight. */
export class InSight implements Disposable {
  readonly #shown = new Map<Element, boolean>();
  readonly #listeners = new Set<() => void>();
  readonly #observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (this.#shown.has(target)) this.#shown.set(target, isIntersecting);
    }
    this.#changed();
  });

  constructor() {
    document.addEventListener("visibilitychange", this.#changed);
  }

  /** Whether any of them is, or none is known. */
  get any(): boolean {
    if (this.#shown.size === 0) return true;
    return !document.hidden && [...this.#shown.values()].includes(true);
  }

  /** Whether there is one, in sight or not. */
  get some(): boolean {
    return this.#shown.size > 0;
  }

  /** Calls `listener` when that may have changed. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  /** Looks at an element, too, until disposed; it counts as seen until the browser says otherwise. */
  add(element: Element): Disposable {
    this.#shown.set(element, true);
    this.#observer.observe(element);
    this.#changed();
    return {
      dispose: () => {
        this.#observer.unobserve(element);
        this.#shown.delete(element);
        this.#changed();
      },
    };
  }

  readonly #changed = () => {
    for (const listener of [...this.#listeners]) listener();
  };

  dispose(): void {
    this.#observer.disconnect();
    document.removeEventListener("visibilitychange", this.#changed);
  }
}
