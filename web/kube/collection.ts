import type { Change } from "./reflector.ts";
import type { KubeObject, Row } from "./types.ts";

/** A followed list: rows by uid, in the order in which they came. */
export interface Collection<T extends KubeObject> {
  /** False until the first list has come: nothing there is not the same as not known yet. */
  synced: boolean;
  rows: ReadonlyMap<string, Row<T>>;
}

export function emptyCollection<T extends KubeObject>(): Collection<T> {
  return { synced: false, rows: new Map() };
}

export function reduceCollection<T extends KubeObject>(
  state: Collection<T>,
  change: Change<T>,
): Collection<T> {
  switch (change.type) {
    case "list":
      return {
        synced: true,
        rows: new Map(change.rows.map((row) => [row.object.metadata.uid, row])),
      };
    case "put": {
      const rows = new Map(state.rows);
      rows.set(change.row.object.metadata.uid, change.row);
      return { ...state, rows };
    }
    case "delete": {
      if (!state.rows.has(change.row.object.metadata.uid)) return state;
      const rows = new Map(state.rows);
      rows.delete(change.row.object.metadata.uid);
      return { ...state, rows };
    }
  }
}
