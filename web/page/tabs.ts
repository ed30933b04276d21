import type { Disposable } from "../state/disposable.ts";

/** A promise with a key. */
export class Gate {
  readonly open: Promise<void>;
  readonly unlock: () => void;

  constructor() {
    let unlock: () => void = () => undefined;
    this.open = new Promise((resolve) => (unlock = resolve));
    this.unlock = unlock;
  }
}

const LOCK = "tabernetes.cluster";

/**
 * Resolves with true in the first tab of this origin, and with false while another one holds a
 * cluster. A page inside another page is not asked: whoever embeds it has chosen. Where the browser
 * has no locks (they need a secure address) every tab is the first.
 */
export function claim(
  locks: Pick<LockManager, "request"> | undefined = typeof navigator === "undefined"
    ? undefined
    : (navigator as Partial<Navigator>).locks,
  embedded = typeof window !== "undefined" && window.parent !== window,
): Promise<boolean> {
  if (!locks || embedded) return Promise.resolve(true);
  return new Promise((resolve) => {
    locks
      .request(LOCK, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        // Held as long as the page lives.
        return lock === null ? undefined : new Promise(() => undefined);
      })
      .catch(() => resolve(true));
  });
}

/** Has the browser ask before the page is left while `worthIt` says so. */
export function warnBeforeLeaving(worthIt: () => boolean): Disposable {
  const ask = (event: BeforeUnloadEvent) => {
    if (worthIt()) event.preventDefault();
  };
  if (typeof window === "undefined") return { dispose: () => undefined };
  window.addEventListener("beforeunload", ask);
  return { dispose: () => window.removeEventListener("beforeunload", ask) };
}
