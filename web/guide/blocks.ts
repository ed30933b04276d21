import { html, nothing, type TemplateResult } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { plain, type Block, type Inline } from "./chapter.ts";

/** What a chapter's text can do. */
export interface Reader {
  /** Kubernetes' version, as its tags have it: "v1.36.3". */
  readonly version: string;
  /** The step that proves a claim, if there is one. */
  step(kind: string, like: string | undefined): TraceStep | undefined;
  /** A few words about it. */
  figure(step: TraceStep): string;
  open(step: TraceStep): void;
  read(chapter: string): void;
  /** Shows a view of the main pane. */
  show(view: string): void;
  run(line: string): void;
}

/** Draws a chapter's text. All of it is text: nothing in it is taken for markup. */
export function drawBlocks(blocks: readonly Block[], reader: Reader): TemplateResult[] {
  return blocks.map((block) => draw(block, reader));
}

function draw(block: Block, reader: Reader): TemplateResult {
  switch (block.type) {
    case "heading":
      return html`<h4>${line(block.text, reader)}</h4>`;
    case "paragraph":
      return html`<p>${line(block.text, reader)}</p>`;
    case "list": {
      const items = block.items.map((item) => html`<li>${line(item, reader)}</li>`);
      return block.ordered
        ? html`<ol>
            ${items}
          </ol>`
        : html`<ul>
            ${items}
          </ul>`;
    }
    case "table":
      return html`<div
        class="table"
        tabindex="0"
        role="region"
        aria-label=${plain(block.head[0] ?? [])}
      >
        <table>
          <thead>
            <tr>
              ${block.head.map((cell) => html`<th>${line(cell, reader)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${block.rows.map(
              (row) =>
                html`<tr>
                  ${row.map((cell) => html`<td>${line(cell, reader)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
    case "run":
      return html`<div class="run">
        <pre>${block.line}</pre>
        <button
          aria-label="Run in the terminal: ${block.line}"
          @click=${() => reader.run(block.line)}
        >
          Run in the terminal
        </button>
      </div>`;
    case "code":
      return html`<pre tabindex="0">${block.text}</pre>`;
  }
}

function line(of: readonly Inline[], reader: Reader): unknown[] {
  return of.map((piece) => {
    if (typeof piece === "string") return piece;
    switch (piece.type) {
      case "code":
        return html`<code>${piece.text}</code>`;
      case "strong":
        return html`<strong>${line(piece.of, reader)}</strong>`;
      case "em":
        return html`<em>${line(piece.of, reader)}</em>`;
      case "chapter":
        return html`<a
          href="#/guide/${piece.name}"
          @click=${(event: Event) => {
            event.preventDefault();
            reader.read(piece.name);
          }}
          >${line(piece.of, reader)}</a
        >`;
      case "view":
        return html`<a
          href="#/${piece.name}"
          @click=${(event: Event) => {
            event.preventDefault();
            reader.show(piece.name);
          }}
          >${line(piece.of, reader)}</a
        >`;
      case "source":
        return html`<a
          href="https://github.com/kubernetes/kubernetes/blob/${reader.version}/${piece.path}#L${piece.line}"
          target="_blank"
          rel="noreferrer"
          title="${piece.path}, line ${piece.line}"
          >${line(piece.of, reader)}</a
        >`;
      case "step":
        return claim(piece, reader);
    }
  });
}

function claim(
  { kind, like, of }: Extract<Inline, { type: "step" }>,
  reader: Reader,
): TemplateResult {
  const step = reader.step(kind, like);
  if (!step) {
    return html`<span class="claim" title="It lights up when the command comes here (${kind})"
      >${line(of, reader)}</span
    >`;
  }
  const figure = reader.figure(step);
  return html`<a
    class="claim"
    href="#/trace"
    title="Show the step (${kind})"
    @click=${(event: Event) => {
      event.preventDefault();
      reader.open(step);
    }}
    >${line(of, reader)}${figure ? html`<span class="figure">${figure}</span>` : nothing}</a
  >`;
}
