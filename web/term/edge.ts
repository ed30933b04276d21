import type { IBuffer, Terminal } from "@xterm/xterm";
import { Disposables, type Disposable } from "../state/disposable.ts";

/** Set on what holds a screen that is wider than it, as long as a line in sight goes on behind its right edge. */
const GOES_ON = "data-goes-on";

/** How much of such a line fades at the edge, in pixels. */
export const FADE = 20;

type Lines = Pick<IBuffer, "viewportY" | "getLine">;

/** Whether one of the `rows` lines in sight has text from a column on. */
export function goesOn(buffer: Lines, rows: number, column: number): boolean {
  for (let y = buffer.viewportY; y < buffer.viewportY + rows; y++) {
    if (buffer.getLine(y)?.translateToString(true, column)) return true;
  }
  return false;
}

/**
 * Says at the edge that a line goes on (style.ts): a table is wide, and a phone shows no scroll bar before one
 * scrolls. `cell` is a cell's width in pixels; 0 before it is drawn.
 */
export function watchEdge(terminal: Terminal, around: HTMLElement, cell: () => number): Disposable {
  const held = new Disposables();
  const look = () => {
    const { scrollLeft, clientWidth } = around;
    const width = cell();
    const column = width === 0 ? terminal.cols : Math.floor((scrollLeft + clientWidth) / width);
    const { active } = terminal.buffer;
    around.toggleAttribute(
      GOES_ON,
      column < terminal.cols && goesOn(active, terminal.rows, column),
    );
  };
  held.add(terminal.onRender(look));
  around.addEventListener("scroll", look, { passive: true });
  held.add({ dispose: () => around.removeEventListener("scroll", look) });
  return held;
}
