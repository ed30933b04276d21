import type { Disposable } from "../state/disposable.ts";

/** Pixels after which a finger's way is known to be up and down, or sideways. */
const SETTLED = 8;

/** What of a terminal it needs. */
export interface Scrolls {
  readonly buffer: { readonly active: { readonly viewportY: number; readonly baseY: number } };
  scrollLines(lines: number): void;
}

/** Whether there is text behind the edge that a finger draws it from: above for one that goes down the screen. */
export function canScroll({ buffer: { active } }: Scrolls, down: boolean): boolean {
  return down ? active.viewportY > 0 : active.viewportY < active.baseY;
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

  /** Whether it goes up and down; undefined until that is known. */
  get upright(): boolean | undefined {
    return this.#upright;
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
 * Scrolls a terminal's text by a finger, which xterm.js 6.0 does not (github.com/xtermjs/xterm.js/issues/5489). What it
 * does not need is the browser's: sideways, two fingers, and up or down where there is no more text, so that the page
 * around a terminal is scrolled on. `height` is a line's in pixels.
 */
export function followFinger(of: HTMLElement, terminal: Scrolls, height: () => number): Disposable {
  let drag: Drag | undefined;
  let from = 0;
  /** The browser asks once, at the first move, who scrolls. */
  let ours = false;
  const begin = ({ touches }: TouchEvent) => {
    const [one, another] = touches;
    // Two of them are the browser's: they enlarge the page.
    drag = one && !another ? new Drag(one.clientX, one.clientY) : undefined;
    from = one?.clientY ?? 0;
    ours = false;
  };
  const move = (event: TouchEvent) => {
    const [one] = event.touches;
    if (!one || !drag) return;
    const lines = drag.to(one.clientX, one.clientY, height());
    if (!ours && drag.upright !== undefined) {
      ours = drag.upright && canScroll(terminal, one.clientY > from);
      if (!ours) drag = undefined;
    }
    if (!ours) return;
    if (event.cancelable) event.preventDefault();
    if (lines !== 0) terminal.scrollLines(lines);
  };
  of.addEventListener("touchstart", begin, { passive: true });
  of.addEventListener("touchmove", move, { passive: false });
  return {
    dispose: () => {
      of.removeEventListener("touchstart", begin);
      of.removeEventListener("touchmove", move);
    },
  };
}
