import { Store } from "../state/store.ts";
import type { Disposable } from "../state/disposable.ts";
import { follow, type Followed } from "./follow.ts";
import type { Fetch } from "./reflector.ts";
import type { KubeObject } from "./types.ts";

/** The names of the namespaces, live from their first use. */
export class Namespaces implements Disposable {
  readonly names = new Store<readonly string[], readonly string[]>((_old, next) => next, []);
  readonly #fetch: Fetch;
  #followed: Followed<KubeObject> | undefined;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** Begins to follow them. */
  use(): void {
    const followed = (this.#followed ??= follow({
      fetch: this.#fetch,
      path: "/api/v1/namespaces",
      include: "Metadata",
      changed: () => {
        const rows = [...followed.rows.state.rows.values()];
        this.names.dispatch(rows.map((row) => row.object.metadata.name).sort());
      },
    }));
  }

  dispose(): void {
    this.#followed?.dispose();
  }
}
