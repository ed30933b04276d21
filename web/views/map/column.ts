import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { nodeState } from "../../kube/nodes.ts";
import type { Slot } from "../../kube/placement.ts";
import type { Selection } from "../../kube/selection.ts";
import type { Usage } from "../../map/capacity.ts";
import type { Group } from "../../map/groups.ts";
import { countdown } from "../../map/waits.ts";
import { meters } from "./meters.ts";

type NodeRow = Group["node"] & object;

/** How a column of the map is drawn. */
export interface ColumnDrawn {
  readonly used?: Usage | undefined;
  /** What its node consumes, as it was measured. */
  readonly consumed?: Parameters<typeof meters>[1];
  /** When pods have to leave its node, which is gone. */
  readonly leaveAt?: number | undefined;
  /** It is pointed at elsewhere on the page. */
  readonly pointed: boolean;
  readonly selected: Selection | undefined;
  /** The namespace or the owner that it stands for. */
  readonly stands?: Selection | undefined;
  readonly select: (what: Selection) => void;
  /** `gone`: its node is, and what is known of it was reported before. */
  readonly pod: (slot: Slot, gone: boolean) => TemplateResult;
}

/**
 * A node with its pods, or what else pods are grouped by. No landmark: there may be fifty, and in a page of
 * somebody else's several maps with the same ones.
 */
export function column(group: Group, shows: ColumnDrawn): TemplateResult {
  return group.node ? ofNode(group.node, group, shows) : ofOthers(group, shows);
}

function ofNode(node: NodeRow, group: Group, shows: ColumnDrawn) {
  const { name, uid } = node.object.metadata;
  const { well, text, why } = nodeState(node);
  const { used, consumed, leaveAt, pointed, selected } = shows;
  return html`<section class="column" role="group" aria-label=${`Node ${name}`}>
    <button
      class="head"
      data-item
      tabindex="-1"
      ?data-pointed=${pointed}
      aria-pressed=${selected?.uid === uid}
      title=${`node/${name}: ${text}${why && ` (${why})`}`}
      @click=${() => shows.select({ kind: "node", name, uid })}
    >
      <span class="name mono">${name}</span>
      <span class=${well ? "ready" : "notready"}>${text}</span>
      ${count(group)}
    </button>
    ${eviction(leaveAt)} ${used ? meters(used, consumed) : nothing} ${pods(group, shows, false)}
  </section>`;
}

function ofOthers(group: Group, shows: ColumnDrawn) {
  const { label, loose, gone } = group;
  const { stands, selected } = shows;
  const title = html`<span class="name mono">${label}</span>${
      gone
        ? html`<span
            class="notready"
            title="There is no such node any more. The pod garbage collector deletes its pods."
            >gone</span
          >`
        : nothing
    }${loose && !gone ? nothing : count(group)}`;
  return html`<section
    class=${loose ? "column loose" : "column"}
    role="group"
    aria-label=${label.replace(/^\(|\)$/g, "")}
  >
    ${
      stands
        ? html`<button
            class="head"
            data-item
            tabindex="-1"
            title=${label}
            aria-pressed=${sameObject(selected, stands)}
            @click=${() => shows.select(stands)}
          >
            ${title}
          </button>`
        : html`<div class="head" title=${label}>${title}</div>`
    }
    ${pods(group, shows, gone)}
  </section>`;
}

function count({ slots }: Group) {
  const here = slots.filter((slot) => slot.leftAt === undefined).length;
  return html`<span class="count mono">${here} pod${here === 1 ? "" : "s"}</span>`;
}

/** How long until pods have to leave a node that is gone. */
function eviction(at: number | undefined) {
  if (at === undefined) return nothing;
  const left = at - Date.now();
  return html`<p
    class="eviction"
    data-counts
    title="The node is not heard of: its pods are deleted, and made anew elsewhere, when they have tolerated that for as long as they say"
  >
    ${left > 0 ? html`pods leave in <b class="mono">${countdown(left)}</b>` : "pods leave now"}
  </p>`;
}

function pods({ slots }: Group, shows: ColumnDrawn, gone: boolean) {
  return html`<div class="slots">
    ${repeat(
      slots,
      (slot) => slot.uid,
      (slot) => shows.pod(slot, gone),
    )}
  </div>`;
}

/** An object that is selected by its column may not be known by its uid. */
function sameObject(a: Selection | undefined, b: Selection): boolean {
  return a?.kind === b.kind && a.name === b.name && (a.namespace ?? "") === (b.namespace ?? "");
}
