import type { SettingsStore } from "../state/settings.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";

/** Makes the line between map and terminal draggable, also with the arrow keys. */
export function attachSplit(
  handle: HTMLElement,
  work: HTMLElement,
  settings: SettingsStore,
): Disposable {
  const held = new Disposables();
  const apply = () => {
    const { split } = settings.state;
    work.style.setProperty("--split", `${split}%`);
    handle.setAttribute("aria-valuenow", String(Math.round(split)));
  };
  apply();
  held.add(settings.subscribe(apply));
  held.listen(handle, "pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
  });
  held.listen(handle, "pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const { top, height } = work.getBoundingClientRect();
    settings.dispatch({ split: ((event.clientY - top) / height) * 100 });
  });
  held.listen(handle, "keydown", (event) => {
    const by = { ArrowUp: -2, ArrowDown: 2 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    settings.dispatch({ split: settings.state.split + by });
  });
  return held;
}
