/*
 * What a chapter of the guide and a lesson have in common: lines of text in pieces, and tables of such
 * lines. Data, made of Markdown by guide/compile.ts and lesson/prose.ts; draw.ts draws it.
 */
import type { Tokens } from "marked";

export interface Code {
  readonly type: "code";
  readonly text: string;
}

/** `Inline` is a piece of the document's own lines. */
export interface Stressed<Inline> {
  readonly type: "strong" | "em";
  readonly of: readonly Inline[];
}

/** A piece of a line that every document may have: text, or something that has a shape of its own. */
export type Common = string | Code | Stressed<unknown>;

/** Any document's piece: it holds its words, or pieces that do. */
type Piece = string | { readonly text: string } | { readonly of: readonly Piece[] };

export interface Table<Inline> {
  readonly type: "table";
  readonly head: readonly (readonly Inline[])[];
  readonly rows: readonly (readonly (readonly Inline[])[])[];
}

/** What a piece of a line says. */
export function plain(of: readonly Piece[]): string {
  return of
    .map((piece) => {
      if (typeof piece === "string") return piece;
      return "text" in piece ? piece.text : plain(piece.of);
    })
    .join("");
}

/** marked's table, with the cells' lines read by `line`. */
export function tableOf<Inline>(
  { header, rows }: Tokens.Table,
  line: (cell: Tokens.TableCell) => Inline[],
): Table<Inline> {
  return { type: "table", head: header.map(line), rows: rows.map((row) => row.map(line)) };
}

/** marked leaves entities as they are written, or writes them for what it takes for a page's text. */
export function decode(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => named[name] ?? "");
}
