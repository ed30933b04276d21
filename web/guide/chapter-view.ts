import { html, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { drawBlocks, type Reader } from "./blocks.ts";
import type { Block, Chapter } from "./chapter.ts";
import { drawMarks } from "./marks.ts";
import { passing } from "./passed.ts";
import { saySpan, shortSpan, type Span } from "./span.ts";

/** A chapter among the others. */
export interface Placed {
  readonly chapters: readonly Chapter[];
  readonly chapter: Chapter;
  readonly at: number;
  /** The chapters that the command has come to. */
  readonly lit: ReadonlyMap<string, Span>;
  /** Whether the command that is told has come to rest: what it has not come to it passes by. */
  readonly rests: boolean;
}

/** The line that opens it: what it is called, whether the command came here, and when. */
export function drawHeading(
  { chapters, chapter, at, lit, rests }: Placed,
  open: boolean,
  now: boolean,
  toggle: () => void,
) {
  const { name, title, mark = rests ? "passed by" : "", why = "" } = chapter;
  const seen = lit.get(name);
  const [figures, words] = seen
    ? // An open one says it in words, and its title has the room.
      [open ? "" : shortSpan(seen), saySpan(seen)]
    : [mark, mark && `No step of this command comes here. ${why}`];
  return html`<h3 data-name=${name} ?data-open=${open} ?data-now=${now}>
    <button
      aria-expanded=${open}
      aria-controls=${open ? `chapter-${name}` : nothing}
      @click=${toggle}
    >
      <span class="mark" aria-hidden="true">${open ? "▾" : "▸"}</span>
      <span class="name">${title}</span>
      ${open ? html`<span class="count"><span aria-hidden="true">${at + 1}/${chapters.length}</span><span class="sr">${at + 1} of ${chapters.length}</span></span>` : nothing}
      <span class="figure" title=${words}>${figures}</span>
      <span class="dot" ?data-reached=${seen !== undefined} aria-hidden="true"></span>
    </button>
  </h3>`;
}

/** What an open chapter has. */
export interface Opened extends Placed {
  /** Its text, or what is said in its place: nothing while it comes. */
  readonly text: readonly Block[] | string;
  readonly reader: Reader;
  /** The steps of the command that are told slowly. */
  readonly told: () => readonly TraceStep[];
  readonly marksOpen: boolean;
  marksToggled(open: boolean): void;
  turn(chapter: string): void;
}

export function drawArticle(of: Opened) {
  const { chapters, chapter, at, lit, rests, text, reader } = of;
  const before = chapters[at - 1];
  const next = chapters[at + 1];
  const seen = lit.get(chapter.name);
  const passes = rests ? passing(chapters, at, of.told(), lit, reader.link) : undefined;
  return html`<article
    id="chapter-${chapter.name}"
    aria-label=${chapter.title}
    ?data-coming=${text === ""}
  >
    ${drawMarks(reader.ways !== undefined, of.marksOpen, (open) => of.marksToggled(open))}
    ${seen ? html`<p class="span">Of the command above ${saySpan(seen)}.</p>` : nothing}
    ${chapter.why === undefined ? nothing : html`<p class="aside">${chapter.why}</p>`}
    ${passes?.before}
    ${typeof text === "string" ? html`<p role="status">${text}</p>` : drawBlocks(text, reader)}
    ${passes?.after}
    <div class="on">
      ${before ? html`<button class="button" @click=${() => of.turn(before.name)}><span aria-hidden="true">◂ </span>${before.title}</button>` : html`<span></span>`}
      ${next ? html`<button class="button" @click=${() => of.turn(next.name)}>${next.title}<span aria-hidden="true"> ▸</span></button>` : nothing}
    </div>
  </article>`;
}
