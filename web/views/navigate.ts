import type { App } from "../app.ts";
import { objectPlace, selectionOf, withObject } from "../kube/address.ts";
import { placePath } from "../kube/apipath.ts";
import { selectedPlace } from "../kube/selection.ts";
import { attachRoute } from "../state/route.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";

/**
 * Keeps the address, the route and the selection the same: what is selected can be linked to,
 * whichever view selected it.
 */
export function attachNavigation(app: App): Disposable {
  const held = new Disposables();
  const fromRoute = () => app.selection.dispatch(selectionOf(app.route.state, app.selection.state));
  fromRoute();
  held.add(attachRoute(app.route));
  held.add(app.route.subscribe(fromRoute));
  held.add(
    app.selection.subscribe((selected) => {
      const now = objectPlace(app.route.state);
      const next = selected && selectedPlace(selected);
      if ((now && placePath(now)) === (next && placePath(next))) return;
      app.route.dispatch(withObject(app.route.state, next));
    }),
  );
  return held;
}
