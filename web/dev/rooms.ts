import { Cluster } from "../cluster/cluster.ts";
import { HubConnection } from "../hub/connection.ts";
import { MapModel } from "../map/model.ts";
import { Page } from "../page/page.ts";
import { clusterConfig } from "../page/settings.ts";
import { Session } from "../session/session.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { EventsView } from "../views/events/strip.ts";
import { InspectorView } from "../views/inspector/inspector.ts";
import { MapView } from "../views/map/map.ts";
import { ObjectsView } from "../views/objects/objects.ts";
import { TerminalView } from "../views/terminal/terminal.ts";
import { workbench, type Workbench } from "../workbench.ts";

/* What tests make and dispose of, on a page that is not index.html. */

/** A cluster of its own with two of each view over it, below one element. */
function views(name: string): Disposable {
  const held = new Disposables();
  const page = held.add(new Page());
  const cluster = held.add(
    new Cluster(
      { ...clusterConfig(page.settings.state), verbose: false },
      new URL("assets/", document.baseURI),
    ),
  );
  const session = held.add(new Session(cluster));
  const map = held.add(new MapModel(session.pods, { by: "node" }));
  const on = { session, page, map, hub: held.add(new HubConnection()) };
  const place = document.createElement("section");
  place.id = name;
  for (let n = 0; n < 2; n++) {
    const made = [
      new TerminalView(on),
      new MapView(on),
      new ObjectsView(on),
      new InspectorView(on),
      new EventsView(on),
    ];
    for (const view of made) view.style.cssText = "height: 300px";
    place.append(...made);
  }
  document.body.append(place);
  held.add({ dispose: () => place.remove() });
  return held;
}

/** The whole page, in the frame of index.html. */
async function whole(): Promise<Workbench> {
  const text = await (await fetch(new URL("../../index.html", location.href))).text();
  const { body } = new DOMParser().parseFromString(text, "text/html");
  for (const script of body.querySelectorAll("script")) script.remove();
  const frame = [...body.children];
  document.body.append(...frame);
  const made = workbench(Promise.resolve(undefined));
  return {
    ...made,
    dispose: () => {
      made.dispose();
      for (const part of frame) part.remove();
    },
  };
}

declare global {
  var rooms: { views: typeof views; whole: typeof whole };
}

globalThis.rooms = { views, whole };
