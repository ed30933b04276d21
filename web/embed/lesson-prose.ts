import { html, nothing, type TemplateResult } from "lit";
import { plain, type Inline, type Prose } from "../lesson/lesson.ts";

/** What the prose of a lesson needs of its page. */
export interface Place {
  /** The lesson's folder, in which its pictures are. */
  readonly folder: URL;
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
      return html`<h4>${drawLine(block.text, place)}</h4>`;
    case "paragraph":
      return html`<p>${drawLine(block.text, place)}</p>`;
    case "list": {
      const items = block.items.map((item) => html`<li>${tight(item, place)}</li>`);
      return block.ordered
        ? html`<ol start=${block.start}>
            ${items}
          </ol>`
        : html`<ul>
            ${items}
          </ul>`;
    }
    case "quote":
      return html`<blockquote>${drawProse(block.of, place)}</blockquote>`;
    case "table":
      return html`<div
        class="table"
        tabindex="0"
        role="group"
        aria-label=${plain(block.head[0] ?? []) || "Table"}
      >
        <table>
          <thead>
            <tr>
              ${block.head.map((cell) => html`<th>${drawLine(cell, place)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${block.rows.map(
              (row) =>
                html`<tr>
                  ${row.map((cell) => html`<td>${drawLine(cell, place)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
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
    ? [drawLine(first.text, place), ...drawProse(more, place)]
    : drawProse(item, place);
}

function drawLine(of: readonly Inline[], place: Place): unknown[] {
  return of.map((piece) => {
    if (typeof piece === "string") return piece;
    switch (piece.type) {
      case "code":
        return html`<code>${piece.text}</code>`;
      case "strong":
        return html`<strong>${drawLine(piece.of, place)}</strong>`;
      case "em":
        return html`<em>${drawLine(piece.of, place)}</em>`;
      case "link":
        return html`<a href=${piece.href} target="_blank" rel="noopener noreferrer"
          >${drawLine(piece.of, place)}</a
        >`;
      case "inside": {
        const { opens } = place;
        const said = drawLine(piece.of, place);
        return opens
          ? html`<button class="inside" @click=${() => opens(piece.to)}>${said}</button>`
          : said;
      }
      case "image":
        return html`<img
          src=${new URL(piece.path, place.folder).href}
          alt=${piece.text || nothing}
          loading="lazy"
          referrerpolicy="no-referrer"
        />`;
    }
  });
}
