import { Disposables, type Disposable } from "../state/disposable.ts";
import { Store, type Readable } from "../state/store.ts";
import { viewOf, type RouteStore } from "./route.ts";

/** What an address without a path shows: the journey until a first command has ended, then the map. */
export type Home = "journey" | "map";

export type HomeStore = Store<Home, Home>;

export function createHome(intro: boolean): HomeStore {
  return new Store<Home, Home>((_old, next) => next, intro ? "journey" : "map");
}

/** The name of the view that is shown, by the address or, if that names none, because it is home. */
export function createShown(route: RouteStore, home: HomeStore): Readable<string> & Disposable {
  const read = () => viewOf(route.state, home.state);
  const shown = new Store<string, string>((_old, next) => next, read());
  const held = new Disposables();
  for (const store of [route, home]) {
    held.add(store.subscribe(() => shown.dispatch(read())));
  }
  return {
    // Read anew: whoever heard of the address before this did must not see the view of before.
    get state() {
      return read();
    },
    subscribe: (listener) => shown.subscribe(listener),
    dispose: () => held.dispose(),
  };
}
