import type { Page } from "./page.ts";
import { objectPlace, selectionOf, withObject } from "./address.ts";
import { placePath } from "../kube/apipath.ts";
import { selectedPlace } from "../kube/selection.ts";
import { attachRoute } from "./route.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";

/**
 * Keeps the address, the route and the selection the same: what is selected can be linked to,
 * whichever view selected it.
 */
export function attachNavigation(page: Pick<Page, "route" | "selection">): Disposable {
  const held = new Disposables();
  held.add(attachRoute(page.route));
  held.add(attachSelection(page));
  return held;
}

/** Keeps the route and the selection the same, whatever the document's address is. */
export function attachSelection(page: Pick<Page, "route" | "selection">): Disposable {
  const held = new Disposables();
  const fromRoute = () =>
    page.selection.dispatch(selectionOf(page.route.state, page.selection.state));
  fromRoute();
  held.add(page.route.subscribe(fromRoute));
  held.add(
    page.selection.subscribe((selected) => {
      const now = objectPlace(page.route.state);
      const next = selected && selectedPlace(selected);
      if ((now && placePath(now)) === (next && placePath(next))) return;
      page.route.dispatch(withObject(page.route.state, next));
    }),
  );
  return held;
}
