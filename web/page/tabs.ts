import { hold, type Hold } from "../state/hold.ts";
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
 * Asks for the one cluster that the tabs of this origin have: held by the first of them. A page
 * inside another page is not asked: whoever embeds it has chosen.
 */
export function claim(
  embedded = typeof window !== "undefined" && window.parent !== window,
  take: (name: string) => Hold = hold,
): Hold {
  return embedded ? { held: Promise.resolve(true), dispose: () => undefined } : take(LOCK);
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
