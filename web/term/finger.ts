import type { Disposable } from "../state/disposable.ts";

/** Pixels after which a finger's way is known to be up and down, or sideways. */
const SETTLED = 8;

/** What of a terminal it needs. */
export interface Scrolls {
  scrollLines(lines: number): void;
}

/** The lines that a finger has moved a text by, of the height of each. What is left of a line counts for the next move. */
export class Drag {
  readonly #x: number;
  #y: number;
  readonly #begun: number;
  /** Undefined until it is known. */
  #upright: boolean | undefined;

  constructor(x: number, y: number) {
    this.#x = x;
    this.#y = this.#begun = y;
  }

  /** Lines to scroll by, down if positive; 0 for a finger that goes sideways, which the browser follows. */
  to(x: number, y: number, height: number): number {
    const [far, high] = [Math.abs(x - this.#x), Math.abs(y - this.#begun)];
    if (this.#upright === undefined && Math.max(far, high) >= SETTLED) this.#upright = high > far;
    if (!this.#upright || height <= 0) return 0;
    const lines = Math.trunc((this.#y - y) / height);
    this.#y -= lines * height;
    return lines;
  }
}

/**
 * Scrolls a terminal's text by a finger, which xterm.js 6.0 does not (github.com/xtermjs/xterm.js/issues/5489). The
 * style leaves sideways to the browser. `height` is a line's in pixels.
 */
export function followFinger(of: HTMLElement, terminal: Scrolls, height: () => number): Disposable {
  let drag: Drag | undefined;
  const begin = ({ touches }: TouchEvent) => {
    const [one, another] = touches;
    // Two of them are the browser's: they enlarge the page.
    drag = one && !another ? new Drag(one.clientX, one.clientY) : undefined;
  };
  const move = ({ touches: [one] }: TouchEvent) => {
    const lines = one && drag ? drag.to(one.clientX, one.clientY, height()) : 0;
    if (lines !== 0) terminal.scrollLines(lines);
  };
  of.addEventListener("touchstart", begin, { passive: true });
  of.addEventListener("touchmove", move, { passive: true });
  return {
    dispose: () => {
      of.removeEventListener("touchstart", begin);
      of.removeEventListener("touchmove", move);
    },
  };
}
