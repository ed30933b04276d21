import { formatRoute, type Route, type RouteStore } from "../page/route.ts";
import type { Disposable } from "../state/disposable.ts";

/**
 * The guide stands beside the views: an address that names it, `#/guide/etcd` (docs/editions.md has
 * many), has the chapter read there, at one of its headings if it names one, and the view stays that there was.
 */
export function readByAddress(
  route: RouteStore,
  read: (chapter: string, heading: string) => void,
): Disposable {
  let view: Route = { path: [], query: {} };
  const look = (at: Route) => {
    const [first, chapter = "", heading = ""] = at.path;
    if (first !== "guide") {
      view = at;
      return;
    }
    // Not at once: those who are told of this address after us would take it for the latest.
    queueMicrotask(() => {
      // In the place of that address, so that nobody who goes back comes by it again.
      history.replaceState(null, "", formatRoute(view));
      route.dispatch(view);
      read(chapter, heading);
    });
  };
  look(route.state);
  return route.subscribe(look);
}
