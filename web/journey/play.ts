import type { TraceStep } from "../rpc/protocol.ts";
import { chapterOf, isAround } from "../trace/told.ts";

/*
 * A command shown slowly, by itself: it stops where a chapter of the guide begins that the reader has not
 * been in, so that there is time to read it, and goes on when they say so.
 */

/** Milliseconds that a step is shown: as long as its words take to be read; without stops, briefly. */
const LEAST = 1600;
const EACH_LETTER = 45;
const MOST = 9000;
const BRIEFLY = 900;

/**
 * Steps that open no chapter, since they are told before what comes first: a request is around all that the
 * server does for it, and an object is prepared before admission has looked at it for the last time.
 */
const opensNone = (step: TraceStep) =>
  isAround(step) || step.kind === "registry.created" || step.kind === "registry.updated";

/** Whether a step opens its chapter when it is come to. */
export function opensChapter(step: TraceStep): boolean {
  return !opensNone(step);
}

/**
 * The chapter that is read at a step: the last one that was come to for the first time. What a controller's
 * own request repeats of earlier ones turns no page back. Empty if there is none yet.
 */
export function chapterAt(
  told: readonly TraceStep[],
  at: number,
  known: (chapter: string) => boolean,
): string {
  const been = new Set<string>();
  let last = "";
  const byId = new Map(told.map((step) => [step.id, step]));
  for (const step of told.slice(0, at + 1)) {
    const chapter = chapterOf(step, byId);
    if (opensNone(step) || been.has(chapter) || !known(chapter)) continue;
    been.add(chapter);
    last = chapter;
  }
  return last;
}

/** What the chapter of a step is called; empty for one that opens none. */
export function ownChapter(
  step: TraceStep,
  title: (chapter: string) => string | undefined,
): string {
  return opensNone(step) ? "" : (title(chapterOf(step, new Map())) ?? "");
}

/** What it stands over. */
export interface PlayNeeds {
  /** The steps that are told, and where it is in them. */
  told(): readonly TraceStep[];
  at(): number;
  go(to: number): void;
  /** Whether the guide has such a chapter. */
  known(chapter: string): boolean;
  /** Whether anybody sees it. */
  seen(): boolean;
  /** The letters of what is said of a step. */
  letters(step: TraceStep): number;
  /** Something is to be drawn anew. */
  changed(): void;
}

/** For what it waits: a chapter to be read, or a reader who has turned to the text by themselves. */
export type Waits = "" | "chapter" | "reader";

export class Play {
  playing = false;
  waits: Waits = "";
  stops = true;
  readonly #on: PlayNeeds;
  /** The chapters that the reader has been in since it began. */
  readonly #been = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(on: PlayNeeds) {
    this.#on = on;
  }

  /** From the first step. */
  begin(): void {
    this.#been.clear();
    this.#to(0);
  }

  goOn(): void {
    this.#become(true, "");
    this.#wait();
  }

  pause(waits: Waits = ""): void {
    clearTimeout(this.#timer);
    this.#become(false, waits);
  }

  /** Somebody has gone to where it is: they are in its chapter, and it stands there until they have it go on. */
  moved(): void {
    this.#been.add(this.chapter());
    this.pause();
  }

  /** With or without stops from here on. It is a switch: what waits goes on when that is asked for. */
  setStops(stops: boolean): void {
    this.stops = stops;
    if (this.playing) this.#wait();
    this.#on.changed();
  }

  /** The chapter that is read where it is; empty for none. */
  chapter(): string {
    return chapterAt(this.#on.told(), this.#on.at(), (one) => this.#on.known(one));
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const step = this.#on.told()[this.#on.at()];
    const read = Math.min(MOST, LEAST + EACH_LETTER * (step ? this.#on.letters(step) : 0));
    this.#timer = setTimeout(() => this.#next(), this.stops ? read : BRIEFLY);
  }

  #next(): void {
    const to = this.#on.at() + 1;
    if (to >= this.#on.told().length || !this.#on.seen()) this.pause();
    else this.#to(to);
  }

  #to(at: number): void {
    this.#on.go(at);
    const chapter = this.chapter();
    const fresh = chapter !== "" && !this.#been.has(chapter);
    this.#been.add(chapter);
    if (fresh && this.stops) this.pause("chapter");
    else this.goOn();
  }

  #become(playing: boolean, waits: Waits): void {
    this.playing = playing;
    this.waits = waits;
    this.#on.changed();
  }
}
