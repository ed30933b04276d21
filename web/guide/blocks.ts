import { html, nothing, type TemplateResult } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { drawLine, drawList, drawTable } from "../prose/draw.ts";
import { plain } from "../prose/prose.ts";
import { whole } from "../ui/whole.ts";
import type { Block, Claim, Fold, Inline, Own, Proof } from "./chapter.ts";
import { claimsOf } from "./current.ts";
import type { drawCriticalPath } from "./critical-path.ts";
import { behind, drawLegend, lineOf, TOLD } from "./legend.ts";
import { drawWord, type Words } from "./word.ts";

/** Where the text leads to; each by the link that was pressed, which is where the way back leads. */
export interface Ways {
  look(step: TraceStep, link: HTMLElement): void;
  show(view: string, link: HTMLElement): void;
}

/** What a chapter's text can do. */
export interface Reader {
  /** All that the command that is told of has caused so far. */
  readonly steps: readonly TraceStep[];
  /** That has ended, and is none that the texts follow. */
  readonly other: boolean;
  /** It comes with the text of a chapter that has such a block. */
  readonly criticalPath: typeof drawCriticalPath | undefined;
  /** Kubernetes' version, as its tags have it: "v1.36.3". */
  readonly version: string;
  /** The step that proves a claim, if there is one. */
  step(claim: Claim): TraceStep | undefined;
  /** The same of another command than the one that is told; with `about` only of those that have such a step. */
  earlier(claim: Claim, about?: Proof): TraceStep | undefined;
  /** Whether a claim is the one that is told now. */
  now(claim: Claim): boolean;
  /** A few words about it. */
  figure(step: TraceStep): string;
  /** The way to a step's moment in the journey; undefined if it is not told there, or another claim leads there. */
  slowly(step: TraceStep): ((link: HTMLElement) => void) | undefined;
  /** The same beside a step's own words, drawn. */
  moment(step: TraceStep, words: string): unknown;
  /** The steps of the command that are told slowly in this chapter. */
  readonly did: readonly TraceStep[];
  /** The step that the page looks at, if it is of the command. */
  readonly looked: TraceStep | undefined;
  /** What came of the command, in a line. */
  came(): string;
  read(chapter: string): void;
  /** The words that are explained. */
  readonly words: Words;
  /** The way to a chapter, or to the list of words, drawn. */
  readonly link: (chapter: string, said: unknown) => unknown;
  /** What a chapter is called; undefined if there is none of that name. */
  title(chapter: string): string | undefined;
  /** Where a chapter stands among the others; -1 if there is none of that name. */
  order(chapter: string): number;
  /** The ways to what there is beside the guide; without them nothing of it is an address of the page. */
  readonly ways: Ways | undefined;
  run(line: string): void;
  /** Runs a line, and has it told in the place of what is told now. */
  tell(line: string): void;
}

/** Draws a chapter's text. All of it is text: nothing in it is taken for markup. */
export function drawBlocks(blocks: readonly Block[], reader: Reader): TemplateResult[] {
  const about = blocks.find((block) => block.type === "about");
  const of = reader.other ? behind(reader) : about ? only(about, reader) : reader;
  const drawn: TemplateResult[] = [];
  let end = 0;
  for (const [at, block] of blocks.entries()) {
    if (at < end) continue;
    const fold = block.type === "heading" ? block.fold : undefined;
    const next = blocks.findIndex(({ type }, i) => i > at && type === "heading");
    end = !fold ? at + 1 : next < 0 ? blocks.length : next;
    drawn.push(fold ? drawFold(fold, blocks, at, end, of) : draw(block, of));
  }
  return [html`${about ? nothing : drawLegend(reader)}`, ...drawn];
}

/** A section that is folded until somebody opens it, or looks for something that is in it. */
function drawFold(
  fold: Fold,
  blocks: readonly Block[],
  at: number,
  end: number,
  reader: Reader,
): TemplateResult {
  const [heading, ...within] = blocks.slice(at, end).map((block) => draw(block, reader));
  const open = fold === "aside" && isDone(blocks, at, end, reader);
  return html`<details class="fold" ?open=${open}>
    <summary>${heading}</summary>
    ${within}
  </details>`;
}

/** Whether somebody has done what an aside tells of: there is a step of a kind that nothing else in the chapter speaks of. */
function isDone(blocks: readonly Block[], at: number, end: number, reader: Reader): boolean {
  const told = claimsOf([...blocks.slice(0, at), ...blocks.slice(end)]).map(({ kind }) => kind);
  return claimsOf(blocks.slice(at, end)).some(
    (claim) =>
      !told.includes(claim.kind) && (reader.step(claim) ?? reader.earlier(claim)) !== undefined,
  );
}

/** Of a chapter that is about one kind of command no other one proves anything. */
function only(about: Proof, reader: Reader): Reader {
  const is = reader.step(about) !== undefined;
  return {
    ...reader,
    step: (claim) => (is ? reader.step(claim) : undefined),
    earlier: (claim) => reader.earlier(claim, about),
  };
}

function draw(block: Block, reader: Reader): TemplateResult {
  switch (block.type) {
    case "heading":
      return html`<h4 id=${block.id}>${line(block.text, reader)}</h4>`;
    case "paragraph":
      return html`<p>${line(block.text, reader)}</p>`;
    case "list":
      return drawList(
        block,
        block.items.map((item) => line(item, reader)),
      );
    case "table":
      return drawTable(block, (cell) => line(cell, reader));
    case "run":
      return drawRun(block.line, reader.ways ? "Run in the terminal" : "Run", () =>
        reader.run(block.line),
      );
    case "next":
      return drawRun(block.line, "Run, and have it told", () => reader.tell(block.line));
    case "code":
      return html`<pre>${whole(block.text)}</pre>`;
    case "about":
      return html`${isAbout(block, reader)}`;
    case "critical-path":
      return html`${reader.criticalPath?.(line(block.of, reader), reader)}`;
  }
}

/** A line, or a few, with the button that runs them. */
function drawRun(text: string, words: string, run: () => void) {
  return html`<div class="run">
    ${box(text)}
    <button aria-label="${words}: ${text}" @click=${run}>${words}</button>
  </div>`;
}

/** What is said of a command that has ended and is none of those that the chapter is about. */
function isAbout({ of }: Extract<Block, { type: "about" }>, reader: Reader) {
  const { ways, steps, other } = reader;
  const [command] = steps;
  if (!command || !other) return nothing;
  const said = lineOf(command);
  const came = reader.came();
  const where = ways
    ? html`in the line under the terminal, and in the
        <a
          href="#/trace"
          @click=${(event: Event) => {
            event.preventDefault();
            ways.look(command, event.currentTarget as HTMLElement);
          }}
          >Trace</a
        >`
    : "in the chapters before";
  return html`<p class="aside legend">
    This chapter tells of ${line(of, reader)}.
    <code>${whole(said)}</code> did something
    else${came === "" ? nothing : html`: <span class="came">${came}</span>`}. All that came of it is
    ${where}.
  </p>`;
}

/** A box with more lines than this is folded to its first one: a chapter is read, and a manifest looked up. */
const LONGEST_BOX = 12;

function box(text: string): TemplateResult {
  const [first = "", ...rest] = text.split("\n");
  if (rest.length < LONGEST_BOX) return html`<pre>${whole(text)}</pre>`;
  return html`<details>
    <summary><code>${whole(first)}</code> ${rest.length} more lines</summary>
    <pre>${whole(rest.join("\n"))}</pre>
  </details>`;
}

function line(of: readonly Inline[], reader: Reader): unknown[] {
  const { ways } = reader;
  return drawLine(of, (piece: Own) => {
    switch (piece.type) {
      case "chapter":
        return reader.link(piece.name, line(piece.of, reader));
      case "word":
        return drawWord(piece.name, line(piece.of, reader), reader);
      case "view":
        if (!ways) return line(piece.of, reader);
        return html`<a
          href="#/${piece.name}"
          @click=${(event: Event) => {
            event.preventDefault();
            ways.show(piece.name, event.currentTarget as HTMLElement);
          }}
          >${line(piece.of, reader)}</a
        >`;
      case "source":
        return html`<a
          class="out"
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

function claim(piece: Extract<Inline, { type: "step" }>, reader: Reader): TemplateResult {
  const { kind, like, of } = piece;
  const which = like === undefined ? kind : `${kind} of ${like}`;
  const now = reader.step(piece);
  const step = now ?? reader.earlier(piece);
  if (!step) {
    const when = reader.other ? `${TOLD} does this` : "It lights up when the command comes here";
    return html`<span class="claim" title="${when} (${which})">${line(of, reader)}</span>`;
  }
  const figure = reader.figure(step);
  // An aside, for the sentence goes on behind it: whoever hears the link hears where its words end, too.
  const said = figure ? html`<span class="figure"> (seen: ${figure})</span>` : nothing;
  const mark = now && reader.now(piece) ? "step" : nothing;
  const { ways } = reader;
  if (!ways) {
    return html`<span
      class="claim"
      data-seen
      ?data-earlier=${!now}
      aria-current=${mark}
      title=${which}
      >${line(of, reader)}${said}</span
    >`;
  }
  const slowly = now && reader.slowly(now);
  return html`<a
      class="claim"
      href="#/trace"
      data-step=${step.id}
      ?data-earlier=${!now}
      aria-current=${mark}
      title="Show the step${now ? "" : " of another command"} (${which})"
      @click=${(event: Event) => {
        event.preventDefault();
        ways.look(step, event.currentTarget as HTMLElement);
      }}
      >${line(of, reader)}${said}</a
    >${slowly ? moment(slowly, plain(of)) : nothing}`;
}

/** Beside a claim, as "Read it" beside a step of the journey: the way to its moment. It never begins a line. */
export function moment(go: (link: HTMLElement) => void, words: string): TemplateResult {
  return html`&#x2060;<a
      class="moment"
      href="#/journey"
      title="Show this moment in Journey, slowly"
      aria-label="Slowly in Journey: ${words}"
      @click=${(event: Event) => {
        event.preventDefault();
        go(event.currentTarget as HTMLElement);
      }}
      >▷</a
    >`;
}
