import { Store } from "../state/store.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";

/**
 * Where the page is, as its address says it after "#": a path and a query, so that every view can
 * be linked to. `#/map`, `#/editor` and the like name a view; what begins with /api or /apis is
 * the API's own path of a collection or an object: `#/apis/apps/v1/namespaces/default/deployments`.
 */
export interface Route {
  /** The path's parts, decoded; the first names the view. */
  path: readonly string[];
  query: Readonly<Record<string, string>>;
}

export type RouteStore = Store<Route, Route>;

/** Reads the fragment of an address, with or without its "#". What cannot be read is no path. */
export function parseRoute(fragment: string): Route {
  const [path, query] = split(fragment.replace(/^#/, ""), "?");
  return {
    path: path
      .split("/")
      .filter((part) => part !== "")
      .map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The fragment of a route, with its "#". Empty values are left out of the query. */
export function formatRoute({ path, query }: Route): string {
  const kept = Object.entries(query).filter(([, value]) => value !== "");
  const words = new URLSearchParams(kept).toString();
  // A colon is legal in a fragment, and RBAC's names are full of them.
  const parts = path.map((part) => encodeURIComponent(part).replaceAll("%3A", ":"));
  return `#/${parts.join("/")}${words ? `?${words}` : ""}`;
}

/** A link to a view: `href={link("editor")}`. */
export function link(...path: string[]): string {
  return formatRoute({ path, query: {} });
}

/** The name of the view that shows a route; `home` is what one without a path shows. */
export function viewOf({ path: [first] }: Route, home = "map"): string {
  if (first === undefined) return home;
  if (first === "api" || first === "apis") return "objects";
  // A short link (wasm/edge) is opened as a long one is.
  return first === "shared" ? "open" : first;
}

/** A route that begins where the page's address is, or elsewhere. */
export function createRoute(
  from = parseRoute(typeof location === "undefined" ? "" : location.hash),
): RouteStore {
  return new Store<Route, Route>(
    (old, next) => (formatRoute(old) === formatRoute(next) ? old : next),
    from,
  );
}

/** Keeps a route and the page's address the same, both ways. */
export function attachRoute(route: RouteStore): Disposable {
  const held = new Disposables();
  held.listen(window, "hashchange", () => route.dispatch(parseRoute(location.hash)));
  held.add(
    route.subscribe((next) => {
      const fragment = formatRoute(next);
      if (formatRoute(parseRoute(location.hash)) === fragment) return;
      // A step that changes only the query (a filter being typed) is no place to come back to.
      const same = parseRoute(location.hash).path.join("/") === next.path.join("/");
      history[same ? "replaceState" : "pushState"](null, "", fragment);
    }),
  );
  return held;
}

function split(text: string, at: string): [string, string] {
  const i = text.indexOf(at);
  return i < 0 ? [text, ""] : [text.slice(0, i), text.slice(i + 1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
