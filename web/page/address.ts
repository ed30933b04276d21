import { parsePlace, placeParts, placePath, type ApiPlace } from "../kube/apipath.ts";
import { selectedPlace, type Selection } from "../kube/selection.ts";
import { parseRoute, type Route } from "./route.ts";

/*
 * How the selected object stands in the page's address: as the path itself where the objects are
 * shown, as the query's `object` in every other view. `show` names the inspector's tab, `all` says
 * that the list beside the object is of all namespaces.
 */

/** The place that a route's list shows: without a name; undefined outside the objects. */
export function listPlace(route: Route): ApiPlace | undefined {
  const place = parsePlace(route.path);
  if (!place) return undefined;
  const { group, version, resource, namespace } = place;
  const narrowed = namespace !== undefined && route.query.all !== "1";
  return { group, version, resource, ...(narrowed ? { namespace } : {}) };
}

/** The place of the object that a route selects. */
export function objectPlace(route: Route): ApiPlace | undefined {
  const place = parsePlace(route.path);
  if (place) return place.name === undefined ? undefined : place;
  const { object } = route.query;
  if (object === undefined) return undefined;
  const named = parsePlace(parseRoute(object).path);
  return named?.name === undefined ? undefined : named;
}

/** The route on which `place` is selected as well; the view stays what it is. */
export function withObject(route: Route, place: ApiPlace | undefined): Route {
  const query = without(route.query, "object", "all", "show");
  const kept = without(route.query, "object", "all");
  const list = listPlace(route);
  if (list) {
    if (!place) return { path: placeParts(list), query };
    // Something of another list: that list it is, then.
    if (!isIn(place, list)) return objectRoute(place);
    const all: Record<string, string> = list.namespace === undefined ? { all: "1" } : {};
    return { path: placeParts(place), query: { ...kept, ...all } };
  }
  if (!place) return { path: route.path, query };
  return { path: route.path, query: { ...kept, object: placePath(place) } };
}

/** The route of an object in the list it belongs to. */
export function objectRoute(place: ApiPlace, show?: string): Route {
  return { path: placeParts(place), query: show ? { show } : {} };
}

/** The selection that a route stands for; `known` keeps what was already known of it. */
export function selectionOf(route: Route, known: Selection | undefined): Selection | undefined {
  const place = objectPlace(route);
  if (!place?.name) return undefined;
  if (known && placePath(selectedPlace(known)) === placePath(place)) return known;
  const { name, namespace, resource, group } = place;
  const kind = group === "" ? resource.replace(/s$/, "") : resource;
  return { kind, name, ...(namespace ? { namespace } : {}), uid: "", place };
}

function isIn(place: ApiPlace, list: ApiPlace): boolean {
  return (
    list.resource === place.resource &&
    list.group === place.group &&
    (list.namespace === undefined || list.namespace === place.namespace)
  );
}

function without(query: Route["query"], ...keys: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([key]) => !keys.includes(key)));
}
