import { define } from "../../ui/define.ts";
import { html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import type { MapModel } from "../../map/model.ts";
import type { Slot } from "../../kube/placement.ts";
import type { Selection } from "../../kube/selection.ts";
import { usage, type Usage } from "../../map/capacity.ts";
import { formatGrouping, labelsOf, parseGrouping, type Grouping } from "../../map/grouping.ts";
import { groupsOf, scaleOf, type Group } from "../../map/groups.ts";
import { Above } from "../../map/above.ts";
import { deedsOf } from "../../map/deeds.ts";
import { InTab } from "../../map/in-tab.ts";
import {
  ABOVE,
  linesOf,
  only as onlyOf,
  ownerOf,
  standingOver,
  storeysOf,
  upper,
  type Storeys,
  type Thing,
} from "../../map/storeys.ts";
import { nextEviction } from "../../map/waits.ts";
import { formatRoute, viewOf } from "../../page/route.ts";
import { followAnswers } from "../../session/answers.ts";
import type { Disposable } from "../../state/disposable.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { glyphStyle } from "../../ui/glyph.ts";
import { MapCanvas } from "./canvas.ts";
import { column } from "./column.ts";
import { deedsBar, deedsStyle, perform } from "./deeds.ts";
import { Lines } from "./lines.ts";
import { sum } from "./meters.ts";
import { light, Welcome } from "./motion.ts";
import { podButton } from "./pod.ts";
import { storeys } from "./storeys.ts";
import { toolbar } from "./toolbar.ts";
import { mapStyle } from "./style.ts";
import { moveFocus } from "../../ui/roving.ts";

/** From this many pods in one column they are drawn as glyphs alone. */
const DENSE_FROM = 13;

/** What it stands over. */
export interface MapNeeds {
  session: Pick<Session, "cluster" | "fetch" | "nodes" | "pods" | "measurements">;
  page: Pick<Page, "pointed" | "route" | "selection" | "terminal"> & Partial<Pick<Page, "pane">>;
  map: MapModel;
}

/**
 * Nodes as columns, pods where they were bound, or by namespace, owner or label. Many are squares
 * on a canvas, very many a tile for each node. Everything in it comes from the API's watches.
 */
export class MapView extends LitElement {
  static override styles = [base, glyphStyle, deedsStyle, mapStyle];
  readonly #on: MapNeeds;
  readonly #nodes;
  readonly #pods;
  readonly #consumption;
  readonly #placement;
  readonly #selection;
  readonly #pointed;
  readonly #canvas = new MapCanvas();
  readonly #welcome = new Welcome();
  readonly #lines = new Lines(this);
  /** What is followed while the map is there. */
  #listening: Disposable | undefined;
  #above: Above | undefined;
  readonly #inTab: InTab;
  #answers: Disposable | undefined;
  #ticking: ReturnType<typeof setInterval> | undefined;

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
    this.#inTab = new InTab(on.session.cluster.client, () => this.requestUpdate());
    this.#canvas.onPick = ({ group, slot }, into) => {
      if (slot) this.#selectPod(slot);
      else if (group.node) this.#selectNode(group);
      if (into) this.#look({ in: group.key });
    };
    this.addEventListener("pointerenter", () => (on.map.pointerOver = true));
    this.addEventListener("pointerleave", () => (on.map.pointerOver = false));
    this.addEventListener("keydown", (event) => this.#key(event));
    // The right button, a finger that stays, or the key for it: what can be done there.
    this.addEventListener("contextmenu", (event) => this.#menu(event));
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
    this.#inTab.dispose();
    this.#lines.end();
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.#on.map.pointerOver = false;
  }

  /** The colours are others now, which what is on the canvas cannot see. */
  repaint(): void {
    if (this.#canvas.isConnected) this.#canvas.repaint();
  }

  /** What was walked to last has it again. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>("[data-item][tabindex='0']")?.focus();
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
    const slots = groups.flatMap(({ slots }) => slots);
    const above = this.#above && storeysOf(this.#above.lists, slots);
    return html`${this.#toolbar(grouping, only, used)}
    ${above ? this.#storeys(only === undefined ? above : this.#part(above, slots, only), named) : nothing}
    ${named ? this.#columns(groups, used) : this.#squares(groups, used, scale === "tiles")}
    ${this.#lines.element} ${this.#deeds(above)}
    ${pods === 0 && this.#pods.state.synced ? this.#empty() : nothing}`;
  }

  #toolbar(grouping: Grouping, only: string | undefined, used: ReadonlyMap<string, Usage>) {
    return toolbar({
      grouping,
      labels: grouping.by === "label" ? labelsOf(this.#pods.state.rows.values()) : [],
      only,
      sum: sum(used),
      regroup: (by) => {
        const [label = "app"] = labelsOf(this.#pods.state.rows.values(), 1);
        this.#regroup(by === "label" ? { by, label } : { by });
      },
      relabel: (label) => this.#regroup({ by: "label", label }),
      all: () => this.#look({ in: "" }),
    });
  }

  /** What made the pods, above them; of squares the upper storey, without lines. */
  #storeys(above: Storeys, named: boolean) {
    const lists = this.#above?.lists;
    if (!lists) return nothing;
    const selected = this.#selection.state?.uid;
    this.#lines.lines =
      selected && named ? linesOf(selected, lists, this.#pods.state.rows.values()) : [];
    return storeys(named ? above : upper(above), {
      selected,
      related: new Set(this.#lines.lines.flat()),
      select: (thing) => this.#selectThing(thing),
    });
  }

  /** Of the storeys what one column is about. */
  #part(above: Storeys, slots: readonly Slot[], key: string): Storeys {
    if (this.#on.map.grouping.by === "namespace") return onlyOf(above, { namespace: key });
    const lists = this.#above?.lists;
    return lists ? onlyOf(above, { over: standingOver(slots, lists) }) : above;
  }

  /** What can be done with what is selected, where there is a terminal to do it in. */
  #deeds(above: Storeys | undefined) {
    const { terminal } = this.#on.page;
    const selected = this.#selection.state;
    if (!selected || !terminal) return nothing;
    const thing = above && [...above.tops, ...above.sets].find(({ uid }) => uid === selected.uid);
    return deedsBar(selected, this.#deedsOf(selected), thing, (line) => terminal.run(line));
  }

  #deedsOf(selected: Selection) {
    const nodes = this.#nodes.state.rows;
    const pods = this.#pods.state.rows;
    return deedsOf(selected, { nodes, pods, inTab: this.#inTab.states });
  }

  #selectThing(thing: Thing): void {
    this.#on.page.selection.dispatch(selectionOf(thing));
  }

  /** A request has come to these addresses: whoever has them lights up. */
  #answer(addresses: readonly string[]): void {
    const at = new Set(addresses);
    for (const { object } of this.#pods.state.rows.values()) {
      const { podIP } = object.status;
      if (podIP === undefined || !at.has(podIP)) continue;
      light(this.renderRoot, object.metadata.uid);
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
    this.#welcome.draw(items, this.#pods.state.synced);
    this.#lines.draw();
    this.#tick(this.renderRoot.querySelector("[data-counts]") !== null);
    this.#inTab.follow(this.isConnected && this.#selection.state?.kind === "node");
  }

  #column(group: Group, used: Usage | undefined) {
    const { node } = group;
    const { name } = node?.object.metadata ?? {};
    return column(group, {
      used,
      selected: this.#selection.state,
      stands: this.#standsFor(group),
      pointed: name !== undefined && this.#isPointed("nodes", name),
      ...(name === undefined ? {} : { consumed: this.#consumption.state.get(name) }),
      leaveAt: node && nextEviction(node.object, this.#pods.state.rows.values()),
      select: (what) => this.#on.page.selection.dispatch(what),
      pod: (slot, gone) => this.#pod(slot, gone),
    });
  }

  /** The namespace or the owner that a column is of. */
  #standsFor({ key, loose }: Group): Selection | undefined {
    const { by } = this.#on.map.grouping;
    if (loose || key === "") return undefined;
    if (by === "namespace") {
      const place = { group: "", version: "v1", resource: "namespaces", name: key };
      return { kind: "namespace", name: key, uid: "", place };
    }
    const owner = by === "owner" && this.#above && ownerOf(key, this.#above.lists);
    return owner ? selectionOf(owner) : undefined;
  }

  /** `gone`: its node is, and what is known of it was reported before. */
  #pod(slot: Slot, gone: boolean) {
    const { uid, row } = slot;
    const { name, namespace } = row.object.metadata;
    return podButton(slot, {
      gone,
      related: this.#lines.lines.some(([from, to]) => from === uid || to === uid),
      pointed: this.#isPointed("pods", name, namespace),
      selected: this.#selection.state?.uid === uid,
      select: () => this.#selectPod(slot),
    });
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

  #regroup(grouping: Grouping): void {
    this.#look({ ...formatGrouping(grouping), in: "" });
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

  /** Selects what the pointer, the finger or the focus is on, and goes to what can be done with it. */
  #menu(event: MouseEvent): void {
    const item = event
      .composedPath()
      .find((one): one is HTMLElement => one instanceof HTMLElement && one.matches("[data-item]"));
    if (!item || !this.#on.page.terminal) return;
    event.preventDefault();
    item.click();
    // On a phone what is selected comes to the front; here the actions were asked for.
    this.#on.page.pane?.dispatch("map");
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(".deeds button")?.focus(),
    );
  }

  /** Deletes what has the focus, after asking. */
  #delete(): void {
    const item = this.renderRoot.querySelector<HTMLElement>("[data-item]:focus");
    const { terminal } = this.#on.page;
    if (!item || !terminal) return;
    item.click();
    const selected = this.#selection.state;
    const deed =
      selected &&
      this.#deedsOf(selected).find(({ verb }) => verb === "Delete" || verb === "Remove");
    if (deed) void perform(deed, `${selected.kind}/${selected.name}`, (line) => terminal.run(line));
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Delete") {
      this.#delete();
      return;
    }
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

function selectionOf({ place, resource, name, namespace, uid }: Thing): Selection {
  return { kind: ABOVE[resource].kind, name, namespace, uid, place };
}

define("tn-map", MapView);
