import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { age } from "../../kube/age.ts";
import type { Slot } from "../../kube/placement.ts";
import { nodeState } from "../../kube/nodes.ts";
import { POD_STATES } from "../../kube/podstate.ts";
import { bytes, fullness, trim, type Usage } from "../../map/capacity.ts";
import { tally, worst, type Group } from "../../map/groups.ts";
import {
  cellAt,
  hit,
  hitTile,
  layOut,
  layOutTiles,
  tileAt,
  type Layout,
  type Tiles,
} from "../../map/layout.ts";
import { Painter } from "../../map/paint.ts";
import type { Pointed } from "../../page/page.ts";
import { base } from "../../ui/base.ts";

export interface MapData {
  groups: readonly Group[];
  usage: ReadonlyMap<string, Usage>;
  tiles: boolean;
  /** Uid of what the inspector shows. */
  selected: string | undefined;
  /** What is pointed at elsewhere on the page. */
  pointed: readonly Pointed[];
}

/** A place on the map: a group, and one of its pods unless `i` is -1. */
interface Place {
  group: Group;
  slot: Slot | undefined;
  i: number;
}

/**
 * The map of hundreds of nodes and thousands of pods, on a canvas. It is one stop for the
 * keyboard: arrows move among the places, and each is read out as it is reached.
 */
export class MapCanvas extends LitElement {
  static override properties = {
    data: { attribute: false },
    hovered: { state: true },
    cursor: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        height: 100%;
        position: relative;
        min-height: 0;
      }
      .scroll {
        height: 100%;
        overflow: auto;
      }
      canvas {
        position: sticky;
        top: 0;
        display: block;
      }
      .tip {
        position: absolute;
        z-index: 3;
        max-width: 360px;
        padding: 6px 10px;
        border: 1px solid var(--line-strong);
        border-radius: 4px;
        background: var(--raised);
        font-size: var(--size-s);
        pointer-events: none;
        overflow-wrap: anywhere;
      }
      .tip p {
        margin: 0;
        color: var(--text-2);
      }
      .sr {
        position: absolute;
        clip-path: inset(50%);
      }
    `,
  ];
  declare data: MapData;
  declare hovered: (Place & { x: number; y: number }) | undefined;
  declare cursor: Place | undefined;
  /** What is clicked; a double click asks for the group by itself. */
  onPick: (place: { group: Group; slot: Slot | undefined }, into: boolean) => void = () =>
    undefined;
  #painter: Painter | undefined;
  #layout: Layout | undefined;
  #tiles: Tiles | undefined;
  #frame = 0;
  #summed: { data: MapData; text: string } | undefined;
  readonly #resized = new ResizeObserver(() => this.#soon());
  readonly #themed = new MutationObserver(() => this.repaint());

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resized.observe(this);
    this.#themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
    this.#themed.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /** Takes the colours anew. */
  repaint(): void {
    this.#painter?.repaint();
    this.#soon();
  }

  override render() {
    return html`<div
        class="scroll"
        tabindex="0"
        role="application"
        aria-label=${this.#summary()}
        @scroll=${() => this.#soon()}
        @pointermove=${this.#move}
        @pointerleave=${() => (this.hovered = undefined)}
        @click=${(event: MouseEvent) => this.#click(event, false)}
        @dblclick=${(event: MouseEvent) => this.#click(event, true)}
        @keydown=${this.#key}
      >
        <div class="space"><canvas aria-hidden="true"></canvas></div>
      </div>
      <p class="sr" aria-live="polite">${this.cursor ? describe(this.cursor, this.data) : ""}</p>
      ${this.hovered ? this.#tip(this.hovered) : nothing}`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    // The pointer moves often, and changes nothing of what is drawn.
    if (changed.has("data") || changed.has("cursor")) this.#draw();
  }

  /** What it shows, in words; counted once for the same data. */
  #summary(): string {
    if (this.#summed?.data !== this.data) {
      const { groups } = this.data;
      const slots = groups.flatMap((group) => group.slots);
      const states = tally(slots, POD_STATES) || "none";
      this.#summed = {
        data: this.data,
        text: `Map of ${slots.length} pods in ${groups.length} groups: ${states}.${this.#pointedWords()} Arrow keys move, Enter selects.`,
      };
    }
    return this.#summed.text;
  }

  #soon(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const { scroll, space, canvas } = this.#elements();
    const { clientWidth: width, clientHeight: height } = scroll;
    if (width === 0 || height === 0) return;
    this.#painter ??= new Painter(canvas);
    const { groups, usage, tiles: asTiles } = this.data;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const view = { top: scroll.scrollTop, bottom: scroll.scrollTop + height };
    const painter = this.#painter;
    painter.begin(width, height, view.top);
    if (asTiles) {
      const tiles = layOutTiles(groups.length, { width: width - 4, height });
      this.#tiles = tiles;
      this.#layout = undefined;
      space.style.height = `${Math.max(height, tiles.height)}px`;
      painter.tiles(tiles, view, (i) => {
        const group = groups[i];
        const used = usage.get(group?.key ?? "");
        return {
          full: used ? fullness(used) : Math.min(1, (group?.slots.length ?? 0) / 110),
          mark: group && worst(group.slots),
          out: group?.node !== undefined && !nodeState(group.node).well,
        };
      });
    } else {
      const byKey = new Map(groups.map((group) => [group.key, group]));
      const layout = layOut(
        groups.map(({ key, slots }) => ({ key, count: slots.length })),
        { width: width - 4, height, tiles: groups.some(({ node }) => node) },
      );
      this.#layout = layout;
      this.#tiles = undefined;
      space.style.height = `${Math.max(height, layout.height)}px`;
      painter.blocks(layout, view, (key) => {
        const group = byKey.get(key);
        return {
          label: group?.label ?? key,
          warn: group?.node !== undefined && !nodeState(group.node).well,
          slots: group?.slots ?? [],
        };
      });
    }
    for (const place of this.#pointedAt()) this.#frameOf(place, false);
    this.#frameOf(this.#selected(), false);
    if (this.cursor && scroll.matches(":focus-visible")) this.#frameOf(this.cursor, true);
  }

  #elements() {
    const scroll = this.renderRoot.querySelector<HTMLElement>(".scroll");
    const space = this.renderRoot.querySelector<HTMLElement>(".space");
    const canvas = this.renderRoot.querySelector("canvas");
    if (!scroll || !space || !canvas) throw new Error("the map is not drawn yet");
    return { scroll, space, canvas };
  }

  #selected(): Place | undefined {
    const { groups, selected } = this.data;
    if (!selected) return undefined;
    for (const group of groups) {
      if (group.node?.object.metadata.uid === selected) return { group, slot: undefined, i: -1 };
      const i = group.slots.findIndex(({ uid }) => uid === selected);
      if (i >= 0) return { group, slot: group.slots[i], i };
    }
    return undefined;
  }

  /** Where what is pointed at elsewhere is drawn: a tile stands for all pods of its group. */
  #pointedAt(): Place[] {
    const { groups, pointed } = this.data;
    if (pointed.length === 0) return [];
    const names = new Set(
      pointed.map(({ resource, namespace = "", name }) => `${resource}/${namespace}/${name}`),
    );
    return groups.flatMap((group) => {
      const node = group.node?.object.metadata.name;
      const found: Place[] = names.has(`nodes//${node ?? ""}`)
        ? [{ group, slot: undefined, i: -1 }]
        : [];
      group.slots.forEach((slot, i) => {
        const { namespace = "", name } = slot.row.object.metadata;
        if (names.has(`pods/${namespace}/${name}`)) found.push({ group, slot, i });
      });
      return found;
    });
  }

  #pointedWords(): string {
    const found = this.#pointedAt().length;
    return found === 0 ? "" : ` ${found} pointed at.`;
  }

  #rect({ group, i }: Place): { x: number; y: number; side: number } | undefined {
    const { groups } = this.data;
    if (this.#tiles) {
      const at = groups.findIndex(({ key }) => key === group.key);
      return { ...tileAt(this.#tiles, at), side: this.#tiles.side };
    }
    const block = this.#layout?.blocks.find(({ key }) => key === group.key);
    if (!block || !this.#layout) return undefined;
    if (i < 0) return { x: block.x, y: block.y, side: 13 };
    return { ...cellAt(this.#layout, block, i), side: this.#layout.cell };
  }

  #frameOf(place: Place | undefined, dashed: boolean): void {
    const rect = place && this.#rect(place);
    if (rect) this.#painter?.frame(rect.x, rect.y, rect.side, dashed);
  }

  #at(event: MouseEvent): Place | undefined {
    const { scroll } = this.#elements();
    const box = scroll.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top + scroll.scrollTop;
    const { groups } = this.data;
    if (this.#tiles) {
      const group = groups[hitTile(this.#tiles, x, y)];
      return group && { group, slot: undefined, i: -1 };
    }
    const found = this.#layout && hit(this.#layout, x, y);
    const group = groups.find(({ key }) => key === found?.key);
    if (!group || !found) return undefined;
    const slot = group.slots[found.i];
    if (found.i >= 0 && (!slot || slot.leftAt !== undefined)) return undefined;
    return { group, slot, i: found.i };
  }

  #move(event: PointerEvent): void {
    const place = this.#at(event);
    const box = this.getBoundingClientRect();
    this.hovered = place && { ...place, x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #click(event: MouseEvent, into: boolean): void {
    const place = this.#at(event);
    if (!place) return;
    this.cursor = place;
    this.onPick(place, into);
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Enter" && this.cursor) {
      this.onPick(this.cursor, event.ctrlKey || (this.#tiles !== undefined && event.shiftKey));
      return;
    }
    const next = this.#step(event.key);
    if (!next) return;
    event.preventDefault();
    this.cursor = next;
    const rect = this.#rect(next);
    const { scroll } = this.#elements();
    if (rect && rect.y < scroll.scrollTop) scroll.scrollTop = rect.y - 16;
    if (rect && rect.y + rect.side > scroll.scrollTop + scroll.clientHeight) {
      scroll.scrollTop = rect.y + rect.side + 16 - scroll.clientHeight;
    }
  }

  /** The place that a key leads to from the one before. */
  #step(key: string): Place | undefined {
    const { groups } = this.data;
    const columns = this.#tiles?.columns ?? this.#layout?.blocks[0]?.columns ?? 1;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
    const edge = key === "Home" ? 0 : key === "End" ? Infinity : undefined;
    if (by === undefined && edge === undefined) return undefined;
    // Every place in the order of reading: for squares the groups' own, then their pods.
    const places = groups.flatMap((group): Place[] =>
      this.#tiles
        ? [{ group, slot: undefined, i: -1 }]
        : [
            { group, slot: undefined, i: -1 },
            ...group.slots.map((slot, i) => ({ group, slot, i })),
          ].filter(({ slot }) => slot?.leftAt === undefined),
    );
    const now = places.findIndex(
      (p) => p.group.key === this.cursor?.group.key && p.slot?.uid === this.cursor.slot?.uid,
    );
    const to = edge ?? (now < 0 ? 0 : now + (by ?? 0));
    return places[Math.min(places.length - 1, Math.max(0, to))];
  }

  #tip(place: Place & { x: number; y: number }) {
    const flip = place.x > this.clientWidth / 2;
    const [title, ...more] = describe(place, this.data).split("\n");
    return html`<div
      class="tip"
      style=${`${flip ? `right: ${this.clientWidth - place.x + 12}px` : `left: ${place.x + 12}px`}; top: ${Math.min(place.y + 12, this.clientHeight - 80)}px`}
    >
      <span class="mono">${title}</span>
      ${more.map((line) => html`<p>${line}</p>`)}
    </div>`;
  }
}

/** What a place is, in lines. */
function describe({ group, slot }: Place, { usage }: MapData): string {
  if (slot) {
    const { metadata, spec } = slot.row.object;
    const { Status = "", Ready = "" } = slot.row.cells;
    return [
      `pod/${metadata.name}`,
      `${Status}, ${Ready} ready, ${age(metadata.creationTimestamp, Date.now())} old`,
      `namespace ${metadata.namespace ?? ""}, ${spec.nodeName ? `on ${spec.nodeName}` : "unscheduled"}`,
    ].join("\n");
  }
  const lines = [group.node ? `node/${group.label}: ${nodeState(group.node).text}` : group.label];
  lines.push(tally(group.slots, POD_STATES) || "no pods");
  const used = usage.get(group.key);
  if (group.node && used) {
    lines.push(
      `requested: cpu ${trim(used.cpu.requested)} of ${trim(used.cpu.of)}, memory ${bytes(used.memory.requested)} of ${bytes(used.memory.of)}, pods ${used.pods.requested} of ${used.pods.of}`,
    );
  }
  return lines.join("\n");
}

define("tn-map-canvas", MapCanvas);
