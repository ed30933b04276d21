import { Disposables, type Disposable } from "../state/disposable.ts";
import type { Page } from "./page.ts";
import { viewOf } from "./route.ts";

/**
 * Brings to the front of a phone what has just been asked for: another view, or what was selected.
 * `root` has the pane in front as its `data-pane`, and the style sheet does the rest.
 */
export function attachFront(
  page: Pick<Page, "home" | "pane" | "route" | "selection">,
  ...roots: readonly HTMLElement[]
): Disposable {
  const held = new Disposables();
  const draw = () => {
    for (const root of roots) root.dataset.pane = page.pane.state;
  };
  let shown = viewOf(page.route.state);
  // The address of a view that somebody was given, or the first look at all; else the page opens on
  // its terminal.
  if (location.hash !== "" || page.home.state === "journey") page.pane.dispatch("map");
  draw();
  held.add(page.pane.subscribe(draw));
  held.add(
    page.route.subscribe((route) => {
      const now = viewOf(route);
      if (now === shown) return;
      shown = now;
      page.pane.dispatch("map");
    }),
  );
  held.add(
    page.selection.subscribe((selected) => {
      if (selected) page.pane.dispatch("inspect");
    }),
  );
  return held;
}
