import type { Disposable } from "../state/disposable.ts";

/** Milliseconds after which a page that is never idle has it all the same. */
const PATIENCE = 10_000;
/** The same after which a browser without idle callbacks (Safari) is taken for idle. */
const PAUSE = 500;

/** Calls `begin` once the page has nothing else to do, unless disposed of before. */
export function whenIdle(begin: () => void): Disposable {
  const { requestIdleCallback, cancelIdleCallback } = globalThis as Partial<typeof globalThis>;
  if (!requestIdleCallback) {
    const timer = setTimeout(begin, PAUSE);
    return { dispose: () => clearTimeout(timer) };
  }
  const idle = requestIdleCallback(begin, { timeout: PATIENCE });
  return { dispose: () => cancelIdleCallback?.(idle) };
}
