import {
  reducePlacement,
  unsettled,
  type GroupOf,
  type Placement,
  type PlacementAction,
} from "../kube/placement.ts";
import type { Collection } from "../kube/collection.ts";
import type { Pod } from "../kube/types.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { Store } from "../state/store.ts";
import { groupOf, type Grouping } from "./grouping.ts";

/** Milliseconds for which a deleted pod leaves its place before the others close up. */
const PLACE_KEPT = 1200;
/** Milliseconds between two looks for places that can close up. */
const SETTLE_EVERY = 250;

/** What the map shows: which pod stands where, by which grouping. */
export class MapModel implements Disposable {
  readonly placement = new Store<Placement, PlacementAction>(reducePlacement, new Map());
  /** True while the pointer is over the map: nothing may shift under it. */
  pointerOver = false;

  readonly #pods: { readonly state: Collection<Pod> };
  readonly #held = new Disposables();
  #grouping: Grouping;
  readonly #group: GroupOf = (row) => groupOf(row, this.#grouping);

  constructor(
    pods: Pick<Store<Collection<Pod>, never>, "state" | "subscribe">,
    grouping: Grouping,
  ) {
    this.#pods = pods;
    this.#grouping = grouping;
    if (pods.state.rows.size > 0) this.#place("pods"); // it may be known already
    this.#held.add(pods.subscribe(() => this.#place("pods")));
    const settle = setInterval(() => this.#settle(), SETTLE_EVERY);
    this.#held.add({ dispose: () => clearInterval(settle) });
  }

  /** By what the map puts pods together. */
  get grouping(): Grouping {
    return this.#grouping;
  }

  /** Places everything anew, if the grouping is another one. */
  regroup(next: Grouping): void {
    if (JSON.stringify(next) === JSON.stringify(this.#grouping)) return;
    this.#grouping = next;
    this.#place("regroup");
  }

  dispose(): void {
    this.#held.dispose();
  }

  #place(type: "pods" | "regroup"): void {
    const { rows: pods } = this.#pods.state;
    this.placement.dispatch({ type, pods, now: performance.now(), group: this.#group });
  }

  #settle(): void {
    if (this.pointerOver || !unsettled(this.placement.state)) return;
    this.placement.dispatch({ type: "settle", leftBefore: performance.now() - PLACE_KEPT });
  }
}
