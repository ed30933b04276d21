import type { ReactiveControllerHost } from "lit";

/** Milliseconds of a frame in which elements draw; layout and paint need the rest. */
const SHARE = 4;

const waiting = new Set<ReactiveControllerHost>();
let asked = false;

/**
 * Has an element draw in the next frame that has room for it. Where several views follow the same
 * change, their work in one frame would be a gap that all can see.
 */
export function redraw(host: ReactiveControllerHost): void {
  waiting.add(host);
  ask();
}

/** Takes back what redraw was asked for. */
export function leave(host: ReactiveControllerHost): void {
  waiting.delete(host);
}

function ask(): void {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => void frame());
}

/** Only microtasks lie between two elements, so that all of it is within one frame. */
async function frame(): Promise<void> {
  const begun = performance.now();
  for (const host of [...waiting]) {
    if (!waiting.delete(host)) continue;
    try {
      host.requestUpdate();
      await host.updateComplete;
    } catch (error) {
      // As Lit has it where nobody waits: the page's own handler tells of it.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is what was thrown
      void Promise.reject(error);
    }
    if (performance.now() - begun >= SHARE) break;
  }
  asked = false;
  if (waiting.size > 0) ask();
}
