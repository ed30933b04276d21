import { html, nothing } from "lit";
import type { Grouping } from "../../map/grouping.ts";

/** What stands above the map, and what is chosen there. */
export interface ToolbarNeeds {
  readonly grouping: Grouping;
  /** Labels that pods have, where they are grouped by one. */
  readonly labels: readonly string[];
  /** The one group that is shown. */
  readonly only: string | undefined;
  /** What pods have asked for of what there is. */
  readonly sum: string;
  readonly regroup: (by: Grouping["by"]) => void;
  readonly relabel: (label: string) => void;
  readonly all: () => void;
}

export function toolbar({ grouping, labels, only, sum, regroup, relabel, all }: ToolbarNeeds) {
  const chosen = (event: Event) => (event.target as HTMLSelectElement).value;
  return html`<div class="toolbar">
    <h2 class="sr">Map</h2>
    <label
      >Group by
      <select
        @change=${(event: Event) => regroup(chosen(event) as Grouping["by"])}
        .value=${grouping.by}
      >
        ${["node", "namespace", "owner", "label"].map(
          (by) => html`<option value=${by} ?selected=${by === grouping.by}>${by}</option>`,
        )}
      </select>
    </label>
    ${
      grouping.by === "label"
        ? html`<select aria-label="Label" @change=${(event: Event) => relabel(chosen(event))}>
            ${[...new Set([grouping.label, ...labels])].map(
              (key) =>
                html`<option value=${key} ?selected=${key === grouping.label}>${key}</option>`,
            )}
          </select>`
        : nothing
    }
    ${
      only === undefined
        ? nothing
        : html`<button class="quiet" @click=${all}>
            ← all, not only <span class="mono">${only || "(unscheduled)"}</span>
          </button>`
    }
    <span class="sum mono" title="Requested by pods, of what the nodes offer">${sum}</span>
  </div>`;
}
