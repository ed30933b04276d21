import { html, type TemplateResult } from "lit";
import { IN_PROSE, whole } from "../ui/whole.ts";
import { plain, type Common, type Table } from "./prose.ts";

/**
 * Draws a line: what all documents have here, the document's own pieces by `own`. All of it is text:
 * nothing in it is taken for markup.
 */
export function drawLine<Own extends { readonly type: string }>(
  of: readonly (Common | Own)[],
  own: (piece: Own) => unknown,
): unknown[] {
  return of.map((piece) => {
    if (typeof piece === "string") return piece;
    if (!isCommon(piece)) return own(piece);
    if (piece.type === "code") return html`<code>${whole(piece.text, IN_PROSE)}</code>`;
    const said = drawLine(piece.of as (Common | Own)[], own);
    return piece.type === "em" ? html`<em>${said}</em>` : html`<strong>${said}</strong>`;
  });
}

function isCommon(piece: { readonly type: string }): piece is Exclude<Common, string> {
  return piece.type === "code" || piece.type === "strong" || piece.type === "em";
}

/** A list, of items that are drawn. */
export function drawList(
  { ordered, start = 1 }: { readonly ordered: boolean; readonly start?: number },
  items: readonly unknown[],
): TemplateResult {
  const rows = items.map((item) => html`<li>${item}</li>`);
  return ordered
    ? html`<ol start=${start}>
        ${rows}
      </ol>`
    : html`<ul>
        ${rows}
      </ul>`;
}

/** A table that scrolls sideways by itself, by keyboard, too. */
export function drawTable<Inline extends Parameters<typeof plain>[0][number]>(
  { head, rows }: Table<Inline>,
  line: (of: readonly Inline[]) => unknown,
): TemplateResult {
  return html`<div
    class="table wide"
    tabindex="0"
    role="group"
    aria-label=${plain(head[0] ?? []) || "Table"}
  >
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th>${line(cell)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${line(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
