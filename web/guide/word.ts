import { html, nothing } from "lit";
import type { Reader } from "./blocks.ts";
import type * as view from "./glossary-view.ts";

type Drawn = typeof view;

/**
 * What the words of the chapters mean, in a note beside the one that is pressed. The notes are the browser's own
 * popovers: Esc and a press elsewhere close them. What is in them is fetched when somebody comes near a word.
 */
export class Words {
  /** Whose note is open; empty for none. */
  open = "";
  readonly #fetch: () => Promise<Drawn>;
  /** There is something else to be drawn. */
  readonly #changed: () => void;
  #drawn: Drawn | string | undefined;
  #leave: AbortController | undefined;
  #note: HTMLElement | undefined;

  constructor(changed: () => void, fetch: () => Promise<Drawn> = load) {
    this.#changed = changed;
    this.#fetch = fetch;
  }

  /** What draws them, or what is said in its place: nothing while it comes. */
  get drawn(): Drawn | string {
    this.ask();
    return this.#drawn ?? "";
  }

  /** Somebody is about to press a word. */
  ask(): void {
    if (this.#drawn !== undefined) return;
    this.#drawn = "";
    this.#fetch().then(
      (drawn) => this.#become(drawn),
      (error: unknown) =>
        this.#become(
          `The words could not be loaded: ${String(error)}. Check the connection, then reload the page.`,
        ),
    );
  }

  /** A note is opened or closed: by a press, by Esc, or by a press elsewhere. */
  toggled(name: string, note: HTMLElement, open: boolean): void {
    if (open) {
      this.open = name;
      this.#note = note;
      this.#stay(note);
    } else if (this.open === name) {
      this.open = "";
      this.#leave?.abort();
    }
    this.#changed();
  }

  /** What is in the open note has been drawn. */
  placed(): void {
    if (this.open !== "" && this.#note) place(this.#note);
  }

  /** Whatever scrolls takes the note along. Events of scrolling stay in the root that they happen in. */
  #stay(note: HTMLElement): void {
    this.#leave?.abort();
    const { signal } = (this.#leave = new AbortController());
    const again = () => place(note);
    for (const root of [note.getRootNode(), window]) {
      root.addEventListener("scroll", again, { signal, capture: true, passive: true });
    }
    window.addEventListener("resize", again, { signal });
    // It is not open before whoever was told of it has returned.
    requestAnimationFrame(again);
  }

  #become(drawn: Drawn | string): void {
    this.#drawn = drawn;
    this.#changed();
  }
}

async function load(): Promise<Drawn> {
  const drawn = await import("./glossary-view.ts");
  await drawn.loaded();
  return drawn;
}

/** What its text stands in has of a word. */
export type Explaining = Pick<Reader, "words" | "link">;

/** A word within a text; the word joiner keeps a full stop beside it. */
export function drawWord(name: string, said: unknown, reader: Explaining) {
  return html`${drawTerm(name, said, reader)}&#x2060;`;
}

/** A word that can be pressed, and its note, which is empty as long as it is closed. */
export function drawTerm(name: string, said: unknown, reader: Explaining) {
  const { words } = reader;
  const id = `word-${name}`;
  const near = () => words.ask();
  return html`<button class="term" popovertarget=${id} @pointerenter=${near} @focus=${near}>
      ${said}</button
    ><span
      id=${id}
      class="note"
      popover
      tabindex="-1"
      autofocus
      role="dialog"
      aria-labelledby="${id}-term"
      @beforetoggle=${(event: ToggleEvent) =>
        words.toggled(name, event.currentTarget as HTMLElement, event.newState === "open")}
      @focusout=${leave}
      @keydown=${escape}
      >${words.open === name ? note(name, reader) : nothing}</span
    >`;
}

function note(name: string, reader: Explaining) {
  const { drawn } = reader.words;
  return typeof drawn === "string"
    ? html`<span id="word-${name}-term" role="status">${drawn}</span>`
    : drawn.drawNote(name, reader);
}

/** Whoever goes elsewhere by keys has closed it: the Esc that they press there is not for it. */
function leave(event: FocusEvent): void {
  const note = event.currentTarget as HTMLElement;
  const { relatedTarget } = event;
  if (!(relatedTarget instanceof Node) || note.contains(relatedTarget)) return;
  if (relatedTarget !== note.previousElementSibling) note.hidePopover();
}

/** It is for the note alone: what lies behind stays as it is, and the word has the focus again. */
function escape(event: KeyboardEvent): void {
  if (event.key !== "Escape") return;
  event.preventDefault();
  event.stopPropagation();
  const note = event.currentTarget as HTMLElement;
  note.hidePopover();
  (note.previousElementSibling as HTMLElement).focus();
}

/** Pixels between a note and its word, and between it and the edges of the window. */
const BESIDE = 4;
const EDGE = 8;

/** Puts an open note below its word, or above it where there is no room, and always into the window. */
function place(note: HTMLElement): void {
  const word = note.previousElementSibling?.getBoundingClientRect();
  if (!word || !note.matches(":popover-open")) return;
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const below = word.bottom + BESIDE;
  const above = word.top - BESIDE - note.offsetHeight;
  const top = below + note.offsetHeight > height - EDGE && above >= EDGE ? above : below;
  const within = (at: number, most: number) => Math.max(EDGE, Math.min(at, most - EDGE));
  note.style.top = `${within(top, height - note.offsetHeight)}px`;
  note.style.left = `${within(word.left, width - note.offsetWidth)}px`;
}
