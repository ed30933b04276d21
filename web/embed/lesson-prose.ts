import { html, nothing, type TemplateResult } from "lit";
import { drawLine, drawList, drawTable } from "../prose/draw.ts";
import type { Inline, Own, Prose } from "../lesson/lesson.ts";

/** What the prose of a lesson needs of its page. */
export interface Place {
  /** The lesson's folder, in which its pictures are. */
  readonly folder: URL;
  /** The address of a picture, where it is another one; undefined: what is said of it stands there. */
  readonly picture?: (path: string) => string | undefined;
  /** Opens "guide:…" or "trace:last"; undefined in a page that has neither. */
  readonly opens: ((to: string) => void) | undefined;
}

/** Draws what a lesson says. All of it is text: nothing in it is taken for markup. */
export function drawProse(blocks: readonly Prose[], place: Place): TemplateResult[] {
  return blocks.map((block) => draw(block, place));
}

function draw(block: Prose, place: Place): TemplateResult {
  switch (block.type) {
    case "heading":
      return html`<h4>${line(block.text, place)}</h4>`;
    case "paragraph":
      return html`<p>${line(block.text, place)}</p>`;
    case "list":
      return drawList(
        block,
        block.items.map((item) => tight(item, place)),
      );
    case "quote":
      return html`<blockquote>${drawProse(block.of, place)}</blockquote>`;
    case "table":
      return drawTable(block, (cell) => line(cell, place));
    case "code":
      return html`<pre tabindex="0" role="group" aria-label="Code">${block.text}</pre>`;
    case "rule":
      return html`<hr />`;
  }
}

/** An item of one paragraph needs no space around it. */
function tight(item: readonly Prose[], place: Place): unknown {
  const [first, ...more] = item;
  return first?.type === "paragraph"
    ? [line(first.text, place), ...drawProse(more, place)]
    : drawProse(item, place);
}

function line(of: readonly Inline[], place: Place): unknown[] {
  return drawLine(of, (piece: Own) => {
    switch (piece.type) {
      case "link":
        return html`<a href=${piece.href} target="_blank" rel="noopener noreferrer"
          >${line(piece.of, place)}</a
        >`;
      case "inside": {
        const { opens } = place;
        const said = line(piece.of, place);
        return opens
          ? html`<button class="inside" @click=${() => opens(piece.to)}>${said}</button>`
          : said;
      }
      case "image": {
        const src = place.picture
          ? place.picture(piece.path)
          : new URL(piece.path, place.folder).href;
        if (src === undefined) return `[${piece.text || piece.path}]`;
        return html`<img
          src=${src}
          alt=${piece.text || nothing}
          loading="lazy"
          referrerpolicy="no-referrer"
        />`;
      }
    }
  });
}
