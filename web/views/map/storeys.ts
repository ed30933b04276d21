import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { ABOVE, type Storeys, type Thing } from "../../map/storeys.ts";

/** What of the map they need. */
export interface StoreysNeeds {
  readonly selected: string | undefined;
  readonly related: ReadonlySet<string>;
  readonly select: (thing: Thing) => void;
}

/** Squares of one ReplicaSet's pods that are drawn. */
const SQUARES = 40;

/** Two storeys: Services and workloads, and the ReplicaSets of these, between which a rollout trades pods. */
export function storeys({ tops, sets, more }: Storeys, on: StoreysNeeds) {
  if (tops.length === 0 && sets.length === 0) return nothing;
  return html`<div class="storeys" role="group" aria-label="What made the pods">
    ${storey(tops, on)} ${storey(sets, on)}
    ${more > 0 ? html`<p class="more">and ${more} more</p>` : nothing}
  </div>`;
}

function storey(things: readonly Thing[], on: StoreysNeeds) {
  if (things.length === 0) return nothing;
  return html`<div class="storey">
    ${repeat(
      things,
      ({ uid }) => uid,
      (thing) => drawn(thing, on),
    )}
  </div>`;
}

function drawn(thing: Thing, { selected, related, select }: StoreysNeeds) {
  const { uid, resource, name, namespace, wanted, ready, revision, pods } = thing;
  const { kind, short } = ABOVE[resource];
  const shown = namespace === "default" ? name : `${namespace}/${name}`;
  const of = wanted === undefined ? "" : `${ready}/${wanted}`;
  const label = `${kind}/${shown}${of && `: ${ready} of ${wanted} ready`}${revision && resource === "replicasets" ? `, revision ${revision}` : ""}`;
  return html`<button
    class="thing"
    data-item
    data-uid=${uid}
    tabindex="-1"
    ?data-related=${related.has(uid) && uid !== selected}
    aria-pressed=${uid === selected}
    title=${label}
    @click=${() => select(thing)}
  >
    <span class="kind">${short}</span><span class="name mono">${shown}</span>${
      of ? html`<span class="of mono" ?data-short=${ready < (wanted ?? 0)}>${of}</span>` : nothing
    }${
      resource === "replicasets"
        ? html`<span class="squares"
            >${pods.slice(0, SQUARES).map(({ state }) => html`<i class="square" data-state=${state}></i>`)}</span
          >`
        : nothing
    }
  </button>`;
}
