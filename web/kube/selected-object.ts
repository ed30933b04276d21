import type { Disposable } from "../state/disposable.ts";
import type { Store } from "../state/store.ts";
import { placePath, type ApiPlace } from "./apipath.ts";
import { fieldSelector } from "./fields.ts";
import { follow, type Followed } from "./follow.ts";
import type { Fetch } from "./reflector.ts";
import { selectedPlace, type Selection } from "./selection.ts";
import type { Column, KubeObject, Row } from "./types.ts";

export interface SelectedObjectOptions {
  fetch: Fetch;
  selection: Store<Selection | undefined, Selection | undefined>;
  /** Called when anything of the object has changed. */
  changed(): void;
}

/** The object that is selected, of whatever kind, live: one at a time. */
export class SelectedObject implements Disposable {
  /** Where it is in the API; undefined if nothing is selected. */
  place: ApiPlace | undefined;
  /** The last that was known of the object, which outlives it. */
  row: Row<KubeObject> | undefined;
  readonly #on: SelectedObjectOptions;
  #followed: Followed<KubeObject> | undefined;
  #path = "";

  constructor(on: SelectedObjectOptions) {
    this.#on = on;
  }

  /** Follows what is selected now, if it is another object than before; tells whether it is. */
  select(): boolean {
    const selected = this.#on.selection.state;
    const place = selected && selectedPlace(selected);
    const path = place ? placePath(place) : "";
    if (path === this.#path) return false;
    this.dispose();
    this.#path = path;
    this.place = place;
    this.row = undefined;
    if (!place?.name) return true;
    const { name, ...collection } = place;
    const followed = follow<KubeObject>({
      fetch: this.#on.fetch,
      path: placePath(collection),
      query: { fieldSelector: fieldSelector({ "metadata.name": name }) },
      changed: () => this.#changed(followed),
    });
    this.#followed = followed;
    return true;
  }

  /** Whether the API server has answered. */
  get synced(): boolean {
    return this.#followed?.rows.state.synced ?? false;
  }

  /** Whether the API server has it no longer, or never had. */
  get deleted(): boolean {
    return this.synced && this.#followed?.rows.state.rows.size === 0;
  }

  get columns(): readonly Column[] {
    return this.#followed?.columns ?? [];
  }

  /** Why it may be old; empty while it is live. */
  get problem(): string {
    return this.#followed?.problem ?? "";
  }

  #changed(followed: Followed<KubeObject>): void {
    if (followed !== this.#followed) return;
    const [row] = followed.rows.state.rows.values();
    if (row) {
      this.row = row;
      const { selection } = this.#on;
      const { uid } = row.object.metadata;
      // An address names no uid; the views that mark what is selected need it.
      if (selection.state && selection.state.uid !== uid)
        selection.dispatch({ ...selection.state, uid });
    }
    this.#on.changed();
  }

  /** Ends it until somebody selects again. */
  dispose(): void {
    this.#followed?.dispose();
    this.#followed = undefined;
    this.#path = "";
  }
}
