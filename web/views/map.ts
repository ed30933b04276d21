import { html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { App } from "../app.ts";
import { nodeReady } from "../kube/podstate.ts";
import { UNSCHEDULED, type Slot } from "../kube/placement.ts";
import type { Node, Row } from "../kube/types.ts";
import { Watched } from "../state/watched.ts";
import { base } from "./base.ts";
import { glyph, glyphStyle } from "./glyph.ts";
import { mapStyle } from "./map-style.ts";
import { moveFocus } from "./roving.ts";

/** From this many pods in one column they are drawn as glyphs alone. */
const DENSE_FROM = 13;

/** Nodes as columns, pods where they were bound. Everything in it comes from the API's watches. */
export class MapView extends LitElement {
  static override styles = [base, glyphStyle, mapStyle];
  readonly #app: App;
  readonly #nodes;
  readonly #pods;
  readonly #placement;
  readonly #selection;
  readonly #drawn = new WeakSet<HTMLElement>();
  #synced = false;

  constructor(app: App) {
    super();
    this.#app = app;
    this.#nodes = new Watched(this, app.nodes);
    this.#pods = new Watched(this, app.pods);
    this.#placement = new Watched(this, app.placement);
    this.#selection = new Watched(this, app.selection);
    this.addEventListener("pointerenter", () => (app.pointerOverMap = true));
    this.addEventListener("pointerleave", () => (app.pointerOverMap = false));
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  override render() {
    const nodes = [...this.#nodes.state.rows.values()].sort(byName);
    const placement = this.#placement.state;
    const pods = [...placement.values()].reduce((n, slots) => n + slots.length, 0);
    const dense = [...placement.values()].some((slots) => slots.length >= DENSE_FROM);
    // A pod may name a node that is gone or not listed yet: it must not vanish from the map.
    const known = new Set([UNSCHEDULED, ...nodes.map((node) => node.object.metadata.name)]);
    const orphans = [...placement.keys()].filter((column) => !known.has(column));
    if (nodes.length === 0 && pods === 0) return nothing;
    return html`<div class="columns" ?data-dense=${dense} role="group" aria-label="Nodes">
        ${repeat(
          nodes,
          (node) => node.object.metadata.uid,
          (node) => this.#node(node, placement.get(node.object.metadata.name) ?? []),
        )}
        ${orphans.map((name) => this.#column(name, "no such node", placement.get(name) ?? []))}
        ${this.#column("", "unscheduled", placement.get(UNSCHEDULED) ?? [])}
      </div>
      ${pods === 0 && this.#pods.state.synced ? this.#empty() : nothing}`;
  }

  protected override updated(): void {
    // Exactly one thing in the map can be reached with Tab; arrows go on from there.
    const items = [...this.renderRoot.querySelectorAll<HTMLElement>("[data-item]")];
    const current =
      items.find((item) => item.matches(":focus")) ??
      items.find((item) => item.getAttribute("aria-pressed") === "true") ??
      items.find((item) => item.tabIndex === 0) ??
      items[0];
    for (const item of items) item.tabIndex = item === current ? 0 : -1;
    this.#welcome(items);
  }

  /** Lets pods that have just come appear; not those that were there when the page first knew. */
  #welcome(items: HTMLElement[]): void {
    const { synced } = this.#pods.state;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const item of items) {
      if (this.#drawn.has(item)) continue;
      this.#drawn.add(item);
      if (!this.#synced || still || !item.matches(".pod")) continue;
      item.animate([{ opacity: 0, transform: "translateY(-4px)" }, {}], 160);
    }
    this.#synced = synced;
  }

  #node(node: Row<Node>, slots: readonly Slot[]) {
    const { name, uid } = node.object.metadata;
    const status = node.cells.Status ?? "";
    const selected = this.#selection.state?.uid === uid;
    const here = slots.filter((slot) => slot.leftAt === undefined).length;
    return html`<section class="column" aria-label=${`Node ${name}`}>
      <button
        class="head"
        data-item
        tabindex="-1"
        aria-pressed=${selected}
        title=${`node/${name}: ${status}`}
        @click=${() => this.#app.selection.dispatch({ kind: "node", name, uid })}
      >
        <span class="name mono">${name}</span>
        <span class=${nodeReady(node) ? "ready" : "notready"}>${status}</span>
        <span class="count mono">${here} pod${here === 1 ? "" : "s"}</span>
      </button>
      ${this.#slots(slots)}
    </section>`;
  }

  #column(name: string, label: string, slots: readonly Slot[]) {
    return html`<section class="column loose" aria-label=${label}>
      <div class="head"><span class="name mono">${name || `(${label})`}</span></div>
      ${this.#slots(slots)}
    </section>`;
  }

  #slots(slots: readonly Slot[]) {
    return html`<div class="slots">
      ${repeat(
        slots,
        (slot) => slot.uid,
        (slot) => this.#pod(slot),
      )}
    </div>`;
  }

  #pod({ uid, row, state, leftAt }: Slot) {
    const { name, namespace } = row.object.metadata;
    const status = row.cells.Status ?? "";
    const ready = row.cells.Ready ?? "";
    const shown = namespace === "default" ? name : `${namespace ?? ""}/${name}`;
    const label = `pod/${shown}: ${status}, ${ready} ready`;
    if (leftAt !== undefined) return html`<div class="pod gone" aria-hidden="true"></div>`;
    return html`<button
      class="pod"
      data-item
      data-state=${state}
      tabindex="-1"
      aria-pressed=${this.#selection.state?.uid === uid}
      aria-label=${label}
      title=${label}
      @click=${() => this.#app.selection.dispatch({ kind: "pod", name, ...(namespace ? { namespace } : {}), uid })}
    >
      ${glyph(state)}
      <span class="name mono">${middle(shown)}</span>
      <span class="status">${state === "running" ? "" : status}</span>
    </button>`;
  }

  #empty() {
    const line = "kubectl create deployment nginx --image=nginx --replicas=3";
    return html`<p class="empty">
      No pods. Type
      <button
        class="command mono"
        title="Put this line at the prompt"
        @click=${() => this.#app.terminal?.type(line)}
      >
        ${line}
      </button>
    </p>`;
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.#app.selection.dispatch(undefined);
      this.#app.terminal?.focus();
      return;
    }
    const columns = [...this.renderRoot.querySelectorAll(".column")]
      .map((column) => [...column.querySelectorAll<HTMLElement>("[data-item]")])
      .filter((items) => items.length > 0);
    if (moveFocus(columns, event.key)) event.preventDefault();
  }
}

/** A name in two parts, of which CSS shortens the first: pods differ in their last letters. */
function middle(name: string) {
  const at = Math.max(0, name.length - 6);
  return html`<span class="ellipsis">${name.slice(0, at)}</span><span>${name.slice(at)}</span>`;
}

function byName(a: Row<Node>, b: Row<Node>): number {
  return a.object.metadata.name.localeCompare(b.object.metadata.name, "en", { numeric: true });
}

customElements.define("tn-map", MapView);
