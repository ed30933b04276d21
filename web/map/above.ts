import { follow, type Followed } from "../kube/follow.ts";
import type { Fetch } from "../kube/reflector.ts";
import type { KubeObject } from "../kube/types.ts";
import type { Disposable } from "../state/disposable.ts";
import { ABOVE, ABOVE_RESOURCES, type AboveResource, type Lists } from "./storeys.ts";

/** Follows what stands above pods, as long as a map is shown. */
export class Above implements Disposable {
  readonly #followed = new Map<AboveResource, Followed<KubeObject>>();

  constructor(fetch: Fetch, changed: () => void) {
    for (const resource of ABOVE_RESOURCES) {
      const { group } = ABOVE[resource];
      const path = `${group ? `/apis/${group}` : "/api"}/v1/${resource}`;
      this.#followed.set(resource, follow<KubeObject>({ fetch, path, changed }));
    }
  }

  get lists(): Lists {
    const all = ABOVE_RESOURCES.map((resource): [AboveResource, KubeObject[]] => [
      resource,
      [...(this.#followed.get(resource)?.rows.state.rows.values() ?? [])].map(
        ({ object }) => object,
      ),
    ]);
    return Object.fromEntries(all) as unknown as Lists;
  }

  dispose(): void {
    for (const followed of this.#followed.values()) followed.dispose();
    this.#followed.clear();
  }
}
