import { define } from "../../ui/define.ts";
import { html, LitElement, nothing, svg } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import type { MapModel } from "../../map/model.ts";
import { nodeState } from "../../kube/nodes.ts";
import type { Slot } from "../../kube/placement.ts";
import type { Consumption } from "../../kube/consumption.ts";
import { bytes, trim, usage, type Usage } from "../../map/capacity.ts";
import { formatGrouping, labelsOf, parseGrouping, type Grouping } from "../../map/grouping.ts";
import { groupsOf, scaleOf, type Group } from "../../map/groups.ts";
import { Above } from "../../map/above.ts";
import { ABOVE, linesOf, storeysOf, type Thing } from "../../map/storeys.ts";
import { backOffOf, countdown, nextEviction } from "../../map/waits.ts";
import { formatRoute, viewOf } from "../../page/route.ts";
import { followAnswers } from "../../session/answers.ts";
import type { Disposable } from "../../state/disposable.ts";
import { standInWords } from "../../kube/standin.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { glyph, glyphStyle } from "../../ui/glyph.ts";
import { MapCanvas } from "./canvas.ts";
import { Lines } from "./lines.ts";
import { storeys } from "./storeys.ts";
import { mapStyle } from "./style.ts";
import { moveFocus } from "../../ui/roving.ts";

/** From this many pods in one column they are drawn as glyphs alone. */
const DENSE_FROM = 13;

/** What it stands over. */
export interface MapNeeds {
  session: Pick<Session, "cluster" | "fetch" | "nodes" | "pods" | "measurements">;
  page: Pick<Page, "pointed" | "route" | "selection" | "terminal">;
  map: MapModel;
}

/**
 * Nodes as columns, pods where they were bound, or by namespace, owner or label. Many are squares
 * on a canvas, very many a tile for each node. Everything in it comes from the API's watches.
 */
export class MapView extends LitElement {
  static override styles = [base, glyphStyle, mapStyle];
  readonly #on: MapNeeds;
  readonly #nodes;
  readonly #pods;
  readonly #consumption;
  readonly #placement;
  readonly #selection;
  readonly #pointed;
  readonly #canvas = new MapCanvas();
  readonly #drawn = new WeakSet<HTMLElement>();
  readonly #lines = new Lines(this);
  /** What is followed while the map is there. */
  #listening: Disposable | undefined;
  #above: Above | undefined;
  #answers: Disposable | undefined;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #synced = false;

  constructor(on: MapNeeds) {
    super();
    this.#on = on;
    this.#nodes = new Watched(this, on.session.nodes);
    this.#pods = new Watched(this, on.session.pods);
    this.#consumption = new Watched(this, on.session.measurements.store);
    this.#placement = new Watched(this, on.map.placement);
    this.#selection = new Watched(this, on.page.selection);
    this.#pointed = new Watched(this, on.page.pointed);
    new Watched(this, on.page.route);
    this.#canvas.onPick = ({ group, slot }, into) => {
      if (slot) this.#selectPod(slot);
      else if (group.node) this.#selectNode(group);
      if (into) this.#look({ in: group.key });
    };
    this.addEventListener("pointerenter", () => (on.map.pointerOver = true));
    this.addEventListener("pointerleave", () => (on.map.pointerOver = false));
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#regroupByAddress();
    this.#listening = this.#on.page.route.subscribe(() => this.#regroupByAddress());
    const { session } = this.#on;
    this.#above = new Above(session.fetch, () => this.requestUpdate());
    this.#answers = followAnswers(session.cluster.client, (all) => this.#answer(all));
    this.#lines.begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#listening?.dispose();
    this.#above?.dispose();
    this.#answers?.dispose();
    this.#above = this.#answers = undefined;
    this.#lines.end();
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.#on.map.pointerOver = false;
  }

  /** The colours are others now, which what is on the canvas cannot see. */
  repaint(): void {
    if (this.#canvas.isConnected) this.#canvas.repaint();
  }

  override render() {
    const placement = this.#placement.state;
    const nodes = this.#nodes.state.rows;
    const { grouping } = this.#on.map;
    const all = groupsOf(placement, nodes.values(), grouping, this.#nodes.state.synced);
    const pods = this.#pods.state.rows.size;
    if (nodes.size === 0 && pods === 0) return nothing;
    const only =
      viewOf(this.#on.page.route.state) === "map" ? this.#on.page.route.state.query.in : undefined;
    const groups = only === undefined ? all : all.filter(({ key }) => key === only);
    const used = usage(nodes.values(), this.#pods.state.rows.values());
    const scale = scaleOf(groups);
    const named = scale === "named";
    this.#lines.lines = []; // those of the storeys come anew
    return html`${this.#toolbar(grouping, only, used)}
    ${named && grouping.by === "node" ? this.#storeys(groups) : nothing}
    ${named ? this.#columns(groups, used) : this.#squares(groups, used, scale === "tiles")}
    ${this.#lines.element} ${pods === 0 && this.#pods.state.synced ? this.#empty() : nothing}`;
  }

  #toolbar(grouping: Grouping, only: string | undefined, used: ReadonlyMap<string, Usage>) {
    const labels = grouping.by === "label" ? labelsOf(this.#pods.state.rows.values()) : [];
    return html`<div class="toolbar">
      <label
        >Group by
        <select @change=${this.#regroup} .value=${grouping.by}>
          ${["node", "namespace", "owner", "label"].map(
            (by) => html`<option value=${by} ?selected=${by === grouping.by}>${by}</option>`,
          )}
        </select>
      </label>
      ${
        grouping.by === "label"
          ? html`<select aria-label="Label" @change=${this.#relabel}>
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
          : html`<button class="quiet" @click=${() => this.#look({ in: "" })}>
              ← all, not only <span class="mono">${only || "(unscheduled)"}</span>
            </button>`
      }
      <span class="sum mono" title="Requested by pods, of what the nodes offer">${sum(used)}</span>
    </div>`;
  }

  /** What made the pods, above them. */
  #storeys(groups: readonly Group[]) {
    const lists = this.#above?.lists;
    if (!lists) return nothing;
    const slots = groups.flatMap(({ slots }) => slots);
    const above = storeysOf(lists, slots);
    const selected = this.#selection.state?.uid;
    this.#lines.lines = selected ? linesOf(selected, lists, this.#pods.state.rows.values()) : [];
    return storeys(above, {
      selected,
      related: new Set(this.#lines.lines.flat()),
      select: (thing) => this.#selectThing(thing),
      run: this.#on.page.terminal && ((line) => this.#on.page.terminal?.run(line)),
    });
  }

  #selectThing({ place, resource, name, namespace, uid }: Thing): void {
    const { kind } = ABOVE[resource];
    this.#on.page.selection.dispatch({ kind, name, namespace, uid, place });
  }

  /** A request has come to these addresses: whoever has them lights up. */
  #answer(addresses: readonly string[]): void {
    const at = new Set(addresses);
    for (const { object } of this.#pods.state.rows.values()) {
      const { podIP } = object.status;
      if (podIP === undefined || !at.has(podIP)) continue;
      const found = this.renderRoot.querySelector<HTMLElement>(
        `.pod[data-uid="${CSS.escape(object.metadata.uid)}"]`,
      );
      // No movement: it may be seen by whoever wants none.
      found?.animate(
        [{ backgroundColor: "var(--accent-soft)", boxShadow: "inset 0 0 0 2px var(--accent)" }, {}],
        { duration: 1200, easing: "ease-in" },
      );
    }
  }

  /** Counts down while something is waited for. */
  #tick(waits: boolean): void {
    if (waits === (this.#ticking !== undefined)) return;
    clearInterval(this.#ticking);
    this.#ticking = waits ? setInterval(() => this.requestUpdate(), 1000) : undefined;
  }

  #columns(groups: readonly Group[], used: ReadonlyMap<string, Usage>) {
    const dense = groups.some(({ slots }) => slots.length >= DENSE_FROM);
    return html`<div class="columns" ?data-dense=${dense} role="group" aria-label="Nodes and pods">
      ${repeat(
        groups,
        ({ key, node }) => `${key} ${node?.object.metadata.uid ?? ""}`,
        (group) => this.#column(group, used.get(group.key)),
      )}
    </div>`;
  }

  #squares(groups: readonly Group[], used: ReadonlyMap<string, Usage>, tiles: boolean) {
    this.#canvas.data = {
      groups,
      usage: used,
      tiles,
      selected: this.#selection.state?.uid,
      pointed: this.#pointed.state,
    };
    return this.#canvas;
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
    this.#lines.draw();
    this.#tick(this.renderRoot.querySelector("[data-counts]") !== null);
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

  #column(group: Group, used: Usage | undefined) {
    const { label, node, slots, loose, gone } = group;
    const here = slots.filter((slot) => slot.leftAt === undefined).length;
    const count = html`<span class="count mono">${here} pod${here === 1 ? "" : "s"}</span>`;
    if (!node) {
      return html`<section
        class=${loose ? "column loose" : "column"}
        aria-label=${label.replace(/^\(|\)$/g, "")}
      >
        <div class="head" title=${label}>
          <span class="name mono ellipsis">${label}</span>${
            gone
              ? html`<span
                  class="notready"
                  title="There is no such node any more. The pod garbage collector deletes its pods."
                  >gone</span
                >`
              : nothing
          }${loose && !gone ? nothing : count}
        </div>
        ${this.#slots(slots, gone)}
      </section>`;
    }
    const { name, uid } = node.object.metadata;
    const { well, text, why } = nodeState(node);
    return html`<section class="column" aria-label=${`Node ${name}`}>
      <button
        class="head"
        data-item
        tabindex="-1"
        ?data-pointed=${this.#isPointed("nodes", name)}
        aria-pressed=${this.#selection.state?.uid === uid}
        title=${`node/${name}: ${text}${why && ` (${why})`}`}
        @click=${() => this.#selectNode(group)}
      >
        <span class="name mono">${name}</span>
        <span class=${well ? "ready" : "notready"}>${text}</span>
        ${count}
      </button>
      ${this.#eviction(node)} ${used ? meters(used, this.#consumption.state.get(name)) : nothing}
      ${this.#slots(slots)}
    </section>`;
  }

  /** How long until pods have to leave a node that is gone. */
  #eviction(node: Group["node"] & object) {
    const at = nextEviction(node.object, this.#pods.state.rows.values());
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

  #slots(slots: readonly Slot[], gone = false) {
    return html`<div class="slots">
      ${repeat(
        slots,
        (slot) => slot.uid,
        (slot) => this.#pod(slot, gone),
      )}
    </div>`;
  }

  /** `gone`: its node is, and what is known of it was reported before. */
  #pod(slot: Slot, gone: boolean) {
    const { uid, row, state, leftAt } = slot;
    const { name, namespace } = row.object.metadata;
    const status = row.cells.Status ?? "";
    const ready = row.cells.Ready ?? "";
    const shown = namespace === "default" ? name : `${namespace ?? ""}/${name}`;
    const standIn = standInWords(row.object);
    const label = `pod/${shown}: ${gone ? "node gone, was " : ""}${status}, ${ready} ready${standIn && `. ${standIn}`}`;
    if (leftAt !== undefined) return html`<div class="pod gone" aria-hidden="true"></div>`;
    return html`<button
      class="pod"
      data-item
      data-uid=${uid}
      data-state=${state}
      ?data-related=${this.#lines.lines.some(([from, to]) => from === uid || to === uid)}
      ?data-pointed=${this.#isPointed("pods", name, namespace)}
      tabindex="-1"
      aria-pressed=${this.#selection.state?.uid === uid}
      aria-label=${label}
      title=${label}
      @click=${() => this.#selectPod(slot)}
    >
      ${this.#ring(slot)}${glyph(state)}
      <span class="name mono">${middle(shown)}</span>
      <span class="status"
        >${gone ? "node gone" : state === "running" ? "" : state === "standin" ? "stand-in" : status}</span
      >
    </button>`;
  }

  /** A ring around the glyph, which empties until a container is started again. */
  #ring({ row }: Slot) {
    const wait = backOffOf(row.object);
    const now = Date.now();
    if (!wait || wait.until <= now) return nothing;
    const total = wait.until - wait.from;
    return svg`<svg class="ring" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"
      style=${`--total: ${total}ms; --gone: ${wait.from - now}ms`}><circle cx="12" cy="12" r="10.5" pathLength="1" /></svg>`;
  }

  /** Whether it is pointed at elsewhere on the page. */
  #isPointed(resource: string, name: string, namespace?: string): boolean {
    return this.#pointed.state.some(
      (one) => one.resource === resource && one.name === name && one.namespace === namespace,
    );
  }

  #selectPod({ uid, row }: Slot): void {
    const { name, namespace } = row.object.metadata;
    this.#on.page.selection.dispatch({
      kind: "pod",
      name,
      ...(namespace ? { namespace } : {}),
      uid,
    });
  }

  #selectNode({ node }: Group): void {
    if (!node) return;
    const { name, uid } = node.object.metadata;
    this.#on.page.selection.dispatch({ kind: "node", name, uid });
  }

  #empty() {
    const line = "kubectl create deployment nginx --image=nginx --replicas=3";
    // In somebody else's page there may be no terminal.
    if (!this.#on.page.terminal) return html`<p class="empty">No pods.</p>`;
    return html`<p class="empty">
      No pods. Type
      <button
        class="command mono"
        title="Put this line at the prompt"
        @click=${() => this.#on.page.terminal?.type(line)}
      >
        ${line}
      </button>
    </p>`;
  }

  #regroupByAddress(): void {
    const route = this.#on.page.route.state;
    if (viewOf(route) === "map") this.#on.map.regroup(parseGrouping(route.query));
  }

  #regroup(event: Event): void {
    const by = (event.target as HTMLSelectElement).value as Grouping["by"];
    const [label = "app"] = labelsOf(this.#pods.state.rows.values(), 1);
    this.#look({ ...formatGrouping(by === "label" ? { by, label } : { by }), in: "" });
  }

  #relabel(event: Event): void {
    const label = (event.target as HTMLSelectElement).value;
    this.#look({ ...formatGrouping({ by: "label", label }), in: "" });
  }

  /** What is looked at is in the address, so that it can be linked to. */
  #look(query: Record<string, string>): void {
    const { route } = this.#on.page;
    const { path } = route.state;
    const said = Object.entries({ ...route.state.query, ...query });
    const next = {
      path: path.length > 0 ? path : ["map"],
      query: Object.fromEntries(said.filter(([, value]) => value !== "")),
    };
    if (formatRoute(next) !== formatRoute(route.state)) route.dispatch(next);
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.#on.page.selection.dispatch(undefined);
      this.#on.page.terminal?.focus();
      return;
    }
    const columns = [...this.renderRoot.querySelectorAll(".storey, .column")]
      .map((column) => [...column.querySelectorAll<HTMLElement>("[data-item]")])
      .filter((items) => items.length > 0);
    if (moveFocus(columns, event.key)) event.preventDefault();
  }
}

/**
 * What pods have asked for of what a node offers, as words with a line under each; a mark on the line
 * shows what is in use, where the kubelet measures it.
 */
function meters({ cpu, memory }: Usage, measured: Consumption | undefined) {
  const meter = (
    name: string,
    write: (amount: number) => string,
    { requested, of }: { requested: number; of: number },
    used: number | undefined,
  ) => {
    const part = (amount: number) => (of > 0 ? Math.min(1, amount / of) : 0);
    const text = `${write(requested)}/${write(of)}`;
    const inUse = used === undefined ? "" : `, ${write(used)} in use`;
    return html`<span title=${`${name}: requested ${text}${inUse}`}
      >${name} ${text}<i style=${`--part: ${part(requested)}`}></i>${
        used === undefined ? nothing : html`<b style=${`--part: ${part(used)}`}></b>`
      }</span
    >`;
  };
  return html`<div class="meters mono">
    ${meter("cpu", trim, cpu, measured?.cpu)} ${meter("mem", bytes, memory, measured?.memory)}
  </div>`;
}

function sum(used: ReadonlyMap<string, Usage>): string {
  const total = (resource: "cpu" | "memory" | "pods", part: "requested" | "of") =>
    [...used.values()].reduce((n, usage) => n + usage[resource][part], 0);
  return (
    `cpu ${trim(total("cpu", "requested"))}/${trim(total("cpu", "of"))}` +
    ` · mem ${bytes(total("memory", "requested"))}/${bytes(total("memory", "of"))}` +
    ` · pods ${total("pods", "requested")}/${total("pods", "of")}`
  );
}

/** A name in two parts, of which CSS shortens the first: pods differ in their last letters. */
function middle(name: string) {
  const at = Math.max(0, name.length - 6);
  return html`<span class="ellipsis">${name.slice(0, at)}</span><span>${name.slice(at)}</span>`;
}

define("tn-map", MapView);
