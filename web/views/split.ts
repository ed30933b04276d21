import type { SettingsStore } from "../state/settings.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";

/** Makes the line above the terminal draggable, also with the arrow keys. */
export function attachSplit(
  handle: HTMLElement,
  work: HTMLElement,
  settings: SettingsStore,
): Disposable {
  const held = new Disposables();
  const apply = () => {
    const { split, wide } = settings.state;
    work.style.setProperty("--split", `${split}%`);
    work.toggleAttribute("data-wide", wide);
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

/** Makes the line before the inspector draggable, also with the arrow keys. */
export function attachUprightSplit(
  handle: HTMLElement,
  work: HTMLElement,
  settings: SettingsStore,
): Disposable {
  const held = new Disposables();
  const apply = () => {
    const { inspect } = settings.state;
    work.style.setProperty("--inspect", `${inspect}px`);
    handle.setAttribute("aria-valuenow", String(Math.round(inspect)));
    handle.setAttribute("aria-valuemin", "240");
    handle.setAttribute("aria-valuemax", "1200");
  };
  apply();
  held.add(settings.subscribe(apply));
  held.listen(handle, "pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
  });
  held.listen(handle, "pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    settings.dispatch({ inspect: work.getBoundingClientRect().right - event.clientX });
  });
  held.listen(handle, "keydown", (event) => {
    const by = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    settings.dispatch({ inspect: settings.state.inspect + by });
  });
  return held;
}
