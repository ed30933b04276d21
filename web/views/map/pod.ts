import { html, nothing, svg } from "lit";
import type { Slot } from "../../kube/placement.ts";
import { standInWords } from "../../kube/standin.ts";
import { backOffOf } from "../../map/waits.ts";
import { glyph } from "../../ui/glyph.ts";

/** How a pod of the map is drawn. */
export interface PodDrawn {
  /** Its node is, and what is known of it was reported before. */
  readonly gone: boolean;
  readonly related: boolean;
  /** It is pointed at elsewhere on the page. */
  readonly pointed: boolean;
  readonly selected: boolean;
  readonly select: () => void;
}

export function podButton(slot: Slot, { gone, related, pointed, selected, select }: PodDrawn) {
  const { uid, row, state, leftAt } = slot;
  const { name, namespace } = row.object.metadata;
  const status = row.cells.Status ?? "";
  const ready = row.cells.Ready ?? "";
  const shown = namespace === "default" ? name : `${namespace ?? ""}/${name}`;
  const standIn = standInWords(row.object);
  const label = `pod/${shown}: ${gone ? "node gone, was " : ""}${status}, ${ready} ready${standIn && `. ${standIn}`}`;
  if (leftAt !== undefined) {
    // As high as it was: what stands below it stays where it is.
    return html`<div class="pod gone" aria-hidden="true">
      <span class="name mono">${breakable(shown)}</span>
    </div>`;
  }
  return html`<button
    class="pod"
    data-item
    data-uid=${uid}
    data-state=${state}
    ?data-related=${related}
    ?data-pointed=${pointed}
    tabindex="-1"
    aria-pressed=${selected}
    aria-label=${label}
    title=${label}
    @click=${select}
  >
    ${ring(slot)}${glyph(state)}
    <span class="name mono">${breakable(shown)}</span>
    <span class="status"
      >${gone ? "node gone" : state === "running" ? "" : state === "standin" ? "stand-in" : status}</span
    >
  </button>`;
}

/** A ring around the glyph, which empties until a container is started again. */
function ring({ row }: Slot) {
  const wait = backOffOf(row.object);
  const now = Date.now();
  if (!wait || wait.until <= now) return nothing;
  const total = wait.until - wait.from;
  return svg`<svg class="ring" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"
    style=${`--total: ${total}ms; --gone: ${wait.from - now}ms`}><circle cx="12" cy="12" r="10.5" pathLength="1" /></svg>`;
}

/** A name that may go on in the next line after each of its words. */
function breakable(name: string) {
  return name.split(/(?<=[-/.])/).map((word, at) => (at ? html`<wbr />${word}` : word));
}
