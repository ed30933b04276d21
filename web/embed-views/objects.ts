import type { OpenView, ViewGround } from "../embed/view-element.ts";
import { attachSelection } from "../page/navigate.ts";
import { ObjectsView } from "../views/objects/objects.ts";
import { ObjectsPair } from "./objects-pair.ts";
import { Place } from "./place.ts";
import { joinSession } from "./session.ts";

/** The page's tables of objects, in an element, with what is opened beside them. */
export function openObjects(on: ViewGround): OpenView {
  const { element } = on;
  const said = (name: string) => element.getAttribute(name) ?? "";
  const query = { namespace: said("namespace"), filter: said("filter") };
  const place = new Place(on, { path: ["objects", said("kind") || "pods"], query });
  const { session } = place.add(joinSession(on.cluster));
  place.add(attachSelection(place));
  const ground = { session, page: place };
  const view = new ObjectsPair(ground, new ObjectsView(ground, true));
  return { element: view, dispose: () => place.dispose() };
}
