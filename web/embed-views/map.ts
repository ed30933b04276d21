import type { OpenView, ViewGround } from "../embed/view-element.ts";
import { formatGrouping, groupingSaid, parseGrouping } from "../map/grouping.ts";
import { MapModel } from "../map/model.ts";
import { MapView } from "../views/map/map.ts";
import { Place } from "./place.ts";
import { joinSession } from "./session.ts";

/** The page's map, in an element. */
export function openMap(on: ViewGround): OpenView {
  const query = formatGrouping(groupingSaid(on.element.getAttribute("group-by") ?? ""));
  const place = new Place(on, { path: ["map"], query });
  const { session } = place.add(joinSession(on.cluster, true));
  const map = place.add(new MapModel(session.pods, parseGrouping(query)));
  const view = new MapView({ session, page: place, map });
  place.follow(view);
  return { element: view, repaint: () => view.repaint(), dispose: () => place.dispose() };
}
