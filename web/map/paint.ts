import type { Slot } from "../kube/placement.ts";
import { POD_STATES, type PodState } from "../kube/podstate.ts";
import { cellAt, tileAt, type Layout, type Tiles } from "./layout.ts";
import { SHAPES } from "../ui/shapes.ts";

/** The colours of the page's theme, as a canvas needs them. */
export interface Palette {
  ground: string;
  text: string;
  quiet: string;
  line: string;
  accent: string;
  font: string;
  states: Record<PodState, string>;
}

function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    ground: value("--bg"),
    text: value("--text"),
    quiet: value("--text-2"),
    line: value("--line-strong"),
    accent: value("--accent"),
    font: value("--mono"),
    states: Object.fromEntries(
      POD_STATES.map(({ state }) => [state, value(`--${state}`)]),
    ) as Palette["states"],
  };
}

/** Draws what the eye can see of a big map into a canvas that stands still while it scrolls. */
export class Painter {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  #palette: Palette;
  /** Each state's shape, drawn once for a cell size and a theme. */
  readonly #sprites = new Map<string, HTMLCanvasElement>();
  #ratio = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("this browser gives no 2d canvas");
    this.#context = context;
    this.#palette = paletteOf(canvas);
  }

  /** Takes the theme's colours again. */
  repaint(): void {
    this.#palette = paletteOf(this.#canvas);
    this.#sprites.clear();
  }

  /** Fits the canvas to `width` × `height` CSS pixels and clears it. */
  begin(width: number, height: number, scrolled: number): void {
    const ratio = Math.min(devicePixelRatio, 2);
    const pixels = (n: number) => Math.max(1, Math.round(n * ratio));
    if (this.#canvas.width !== pixels(width) || this.#canvas.height !== pixels(height)) {
      this.#canvas.width = pixels(width);
      this.#canvas.height = pixels(height);
    }
    if (ratio !== this.#ratio) this.#sprites.clear();
    this.#ratio = ratio;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#context.clearRect(0, 0, width, height);
    this.#context.translate(0, -scrolled);
  }

  /** Blocks with their pods, those between `top` and `bottom`. */
  blocks(
    layout: Layout,
    view: { top: number; bottom: number },
    group: (key: string) => { label: string; warn: boolean; slots: readonly Slot[] },
  ): void {
    const { cell } = layout;
    const context = this.#context;
    context.textBaseline = "alphabetic";
    for (const block of layout.blocks) {
      if (block.y > view.bottom || block.y + block.height < view.top) continue;
      const { label, warn, slots } = group(block.key);
      context.fillStyle = warn ? this.#palette.states.failing : this.#palette.quiet;
      context.font = `11px ${this.#palette.font}`;
      context.fillText(clip(label, Math.floor(block.width / 6.7)), block.x, block.y + 11);
      context.fillStyle = this.#palette.line;
      context.fillRect(block.x, block.y + 14, block.width, 1);
      slots.forEach((slot, i) => {
        if (slot.leftAt !== undefined) return;
        const { x, y } = cellAt(layout, block, i);
        context.drawImage(this.#sprite(slot.state, cell), x, y, cell, cell);
      });
    }
  }

  /** One tile per node: how full it is in grey, its worst state as a shape. */
  tiles(
    tiles: Tiles,
    view: { top: number; bottom: number },
    tile: (i: number) => { full: number; mark: PodState | undefined; out: boolean },
  ): void {
    const { side } = tiles;
    const context = this.#context;
    for (let i = 0; i < tiles.count; i++) {
      const { x, y } = tileAt(tiles, i);
      if (y > view.bottom || y + side < view.top) continue;
      const { full, mark, out } = tile(i);
      context.strokeStyle = out ? this.#palette.states.failing : this.#palette.line;
      context.lineWidth = 1;
      context.setLineDash(out ? [3, 2] : []);
      context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
      context.globalAlpha = 0.35;
      context.fillStyle = this.#palette.quiet;
      const high = Math.round((side - 2) * full);
      context.fillRect(x + 1, y + side - 1 - high, side - 2, high);
      context.globalAlpha = 1;
      const size = Math.min(16, side - 4);
      if (mark) {
        const at = Math.round((side - size) / 2);
        context.drawImage(this.#sprite(mark, size), x + at, y + at, size, size);
      }
    }
    context.setLineDash([]);
  }

  /** A frame around what is selected, or what the keys have reached. */
  frame(x: number, y: number, side: number, dashed: boolean): void {
    const context = this.#context;
    context.strokeStyle = this.#palette.accent;
    context.lineWidth = 2;
    context.setLineDash(dashed ? [3, 2] : []);
    context.strokeRect(x - 1, y - 1, side + 2, side + 2);
    context.setLineDash([]);
  }

  #sprite(state: PodState, side: number): HTMLCanvasElement {
    const key = `${state} ${side}`;
    let sprite = this.#sprites.get(key);
    if (!sprite) {
      sprite = this.#draw(state, side);
      this.#sprites.set(key, sprite);
    }
    return sprite;
  }

  #draw(state: PodState, side: number): HTMLCanvasElement {
    const sprite = document.createElement("canvas");
    sprite.width = sprite.height = Math.round(side * this.#ratio);
    const context = sprite.getContext("2d");
    if (!context) return sprite;
    context.scale(sprite.width / 16, sprite.width / 16);
    for (const { d, stroke, dash, hole } of SHAPES[state]) {
      const paint = hole ? this.#palette.ground : this.#palette.states[state];
      if (stroke === undefined) {
        context.fillStyle = paint;
        context.fill(new Path2D(d));
      } else {
        context.strokeStyle = paint;
        // A hair's breadth at the smallest sizes, where it would vanish.
        context.lineWidth = Math.max(stroke, 16 / side);
        context.setLineDash([...(dash ?? [])]);
        context.stroke(new Path2D(d));
      }
    }
    return sprite;
  }
}

function clip(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, Math.max(1, characters - 1))}…`;
}
