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

/** Several changes at once: one copy of the rows for all of them. */
export interface Changes<T extends KubeObject> {
  type: "changes";
  changes: readonly Change<T>[];
}

export function reduceCollection<T extends KubeObject>(
  state: Collection<T>,
  change: Change<T> | Changes<T>,
): Collection<T> {
  if (change.type === "changes") return reduceAll(state, change.changes);
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

function reduceAll<T extends KubeObject>(
  state: Collection<T>,
  changes: readonly Change<T>[],
): Collection<T> {
  // Everything before the last whole list is told again by it.
  const from = changes.findLastIndex((change) => change.type === "list");
  const list = changes[from];
  const start = list ? reduceCollection(state, list) : state;
  const rows = new Map(start.rows);
  for (const change of changes.slice(from + 1)) {
    if (change.type === "put") rows.set(change.row.object.metadata.uid, change.row);
    else if (change.type === "delete") rows.delete(change.row.object.metadata.uid);
  }
  return { synced: start.synced, rows };
}

/**
 * Gathers changes for some milliseconds before it passes them on: a rollout changes thousands of
 * pods within a second, and nobody sees more than the last of a frame.
 */
export function gather<T extends KubeObject>(
  dispatch: (changes: Changes<T>) => void,
  milliseconds: () => number = () => 16,
): (change: Change<T>) => void {
  let changes: Change<T>[] = [];
  return (change) => {
    changes.push(change);
    if (changes.length > 1) return;
    setTimeout(() => {
      const gathered = changes;
      changes = [];
      dispatch({ type: "changes", changes: gathered });
    }, milliseconds());
  };
}
