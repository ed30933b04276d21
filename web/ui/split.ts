import { Disposables, type Disposable } from "../state/disposable.ts";

/** A number that a line between two panes stands for. */
export interface SplitOptions {
  read(): number;
  write(value: number): void;
  /** Tells of changes, whoever made them. */
  changes: { subscribe(listener: () => void): Disposable };
  /** Puts the line where it belongs. */
  draw(value: number): void;
  /** The least and the most. */
  bounds: readonly [number, number];
  /** By how much a key moves it. */
  keys: Readonly<Record<string, number>>;
  /** What the number is with the pointer there. */
  at(pointer: { clientX: number; clientY: number }): number;
}

/** Makes the line between two panes movable, by the pointer and by the arrow keys. */
export function attachSplit(handle: HTMLElement, options: SplitOptions): Disposable {
  const held = new Disposables();
  const [min, max] = options.bounds;
  const draw = () => {
    const value = options.read();
    options.draw(value);
    handle.setAttribute("aria-valuenow", String(Math.round(value)));
  };
  handle.setAttribute("aria-valuemin", String(min));
  handle.setAttribute("aria-valuemax", String(max));
  draw();
  held.add(options.changes.subscribe(draw));
  held.listen(handle, "pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
  });
  held.listen(handle, "pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) options.write(options.at(event));
  });
  held.listen(handle, "keydown", (event) => {
    const by = options.keys[event.key];
    if (by === undefined) return;
    event.preventDefault();
    options.write(options.read() + by);
  });
  return held;
}
