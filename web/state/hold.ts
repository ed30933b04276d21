import type { Disposable } from "./disposable.ts";

/** How long other tabs have to say that they hold something, in milliseconds. */
const ANSWER_MS = 300;

/** A name among the tabs of this browser and origin, held until disposed. */
export interface Hold extends Disposable {
  /** False when another tab has it. */
  readonly held: Promise<boolean>;
}

/**
 * Holds a name by a lock, which the browser gives back with the tab, however it ends. Browsers have
 * locks at secure addresses only; elsewhere the other tabs are asked.
 */
export function hold(
  name: string,
  locks: Pick<LockManager, "request"> | undefined = typeof navigator === "undefined"
    ? undefined
    : (navigator as Partial<Navigator>).locks,
): Hold {
  if (!locks) return holdByAsking(name);
  let letGo: () => void = () => undefined;
  const until = new Promise<void>((resolve) => (letGo = resolve));
  const held = new Promise<boolean>((resolve) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : until;
      })
      // Forbidden here: nobody else of this origin can have it either.
      .catch(() => resolve(true));
  });
  return { held, dispose: letGo };
}

/**
 * Holds a name by asking the other tabs, and answers those that ask later. A tab that is frozen says
 * nothing, and counts as none.
 */
export function holdByAsking(name: string, patience = ANSWER_MS): Hold {
  if (typeof BroadcastChannel === "undefined") {
    return { held: Promise.resolve(true), dispose: () => undefined };
  }
  const channel = new BroadcastChannel(name);
  const me = [...crypto.getRandomValues(new Uint32Array(4))].join("-");
  const held = new Promise<boolean>((resolve) => {
    let asking = true;
    const settle = (mine: boolean) => {
      if (!asking) return;
      asking = false;
      if (!mine) channel.close();
      resolve(mine);
    };
    channel.onmessage = ({ data }: MessageEvent<{ asks?: string; held?: boolean }>) => {
      if (data.held) settle(false);
      else if (data.asks && !asking) channel.postMessage({ held: true });
      // Both ask at once: one of them has to give way. That one may have come after this one asked.
      else if (data.asks && data.asks < me) settle(false);
      else if (data.asks) channel.postMessage({ asks: me });
    };
    channel.postMessage({ asks: me });
    // The second timer comes after the answers that wait: this tab may have slept through the first.
    setTimeout(() => setTimeout(() => settle(true)), patience);
  });
  return { held, dispose: () => channel.close() };
}
