import { Store } from "../state/store.ts";
import type { Disposable } from "../state/disposable.ts";
import {
  emptyCollection,
  gather,
  reduceCollection,
  type Changes,
  type Collection,
} from "./collection.ts";
import { reflect, type Change, type Fetch } from "./reflector.ts";
import type { Column, KubeObject } from "./types.ts";

/** A list that is being followed. */
export interface Followed<T extends KubeObject> extends Disposable {
  readonly rows: Store<Collection<T>, Change<T> | Changes<T>>;
  readonly columns: readonly Column[];
  /** Why it may be old; empty while it is live. */
  readonly problem: string;
}

export interface FollowOptions {
  fetch: Fetch;
  path: string;
  query?: Readonly<Record<string, string>>;
  include?: "Object" | "Metadata";
  once?: boolean;
  /** Called, at most once a frame or so, when anything of it has changed. */
  changed(): void;
}

/** Milliseconds between two redraws of a long list: a rollout changes it hundreds of times. */
const CALM = 200;
const LONG = 1000;

/** Follows a list and tells of its changes in batches. */
export function follow<T extends KubeObject>(options: FollowOptions): Followed<T> {
  const rows = new Store<Collection<T>, Change<T> | Changes<T>>(
    reduceCollection,
    emptyCollection<T>(),
  );
  const state = { columns: [] as readonly Column[], problem: "", disposed: false };
  const listening = rows.subscribe(() => state.disposed || options.changed());
  const { fetch, path, query, include, once } = options;
  const reflecting = reflect<T>({
    fetch,
    path,
    ...(query ? { query } : {}),
    ...(include ? { include } : {}),
    ...(once ? { once } : {}),
    onChange: gather(
      (changes) => rows.dispatch(changes),
      () => (rows.state.rows.size > LONG ? CALM : 16),
    ),
    onColumns: (columns) => (state.columns = columns),
    onState: (problem) => {
      state.problem = problem ?? "";
      if (problem !== undefined && !state.disposed) options.changed();
    },
  });
  return {
    rows,
    get columns() {
      return state.columns;
    },
    get problem() {
      return state.problem;
    },
    dispose: () => {
      state.disposed = true;
      listening.dispose();
      reflecting.dispose();
    },
  };
}
