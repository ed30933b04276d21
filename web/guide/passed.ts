import { html, nothing } from "lit";
import { opensChapter } from "../journey/play.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { chapterOf, END, type Reached } from "../trace/told.ts";
import type { Reader } from "./blocks.ts";
import type { Head } from "./chapter.ts";

/*
 * Chapters have numbers, and who reads counts: where a command passes some of them by, the next one that it comes to
 * says which, and its last one that none is left.
 */

/** A chapter that was passed by: where it stands, and whether steps of the command are in it all the same. */
export interface Passed {
  readonly at: number;
  readonly steps: number;
}

/** The chapters at which a command's story stops, of the steps that are told slowly. */
export function stopsOf(told: readonly TraceStep[]): ReadonlySet<string> {
  const byId = new Map(told.map((step) => [step.id, step]));
  return new Set(told.filter(opensChapter).map((step) => chapterOf(step, byId)));
}

/** The chapters that a command passed by on its way from the one before to the one at `at`. */
export function passedBefore(
  chapters: readonly Head[],
  at: number,
  stops: ReadonlySet<string>,
  lit: ReadonlyMap<string, Reached>,
): readonly Passed[] {
  const comes = (name: string | undefined) => name === undefined || stops.has(name);
  const name = chapters[at]?.name ?? "";
  if (!stops.has(name) && !lit.has(name)) return [];
  const passed: Passed[] = [];
  for (let i = at - 1; i >= 0 && !comes(chapters[i]?.name); i--) {
    passed.unshift({ at: i, steps: lit.get(chapters[i]?.name ?? "")?.steps ?? 0 });
  }
  return passed;
}

/** Whether a command's story ends in a chapter, though there are some behind it. */
export function isLast(
  chapters: readonly Head[],
  at: number,
  stops: ReadonlySet<string>,
  lit: ReadonlyMap<string, Reached>,
): boolean {
  const behind = chapters.slice(at + 1);
  return (
    behind.length > 0 &&
    stops.has(chapters[at]?.name ?? "") &&
    !behind.some(({ name }) => stops.has(name) || (name === END && lit.has(name)))
  );
}

/** What is said of it at a chapter's beginning and at its end, of a command that has come to rest. */
export function passing(
  chapters: readonly Head[],
  at: number,
  told: readonly TraceStep[],
  lit: ReadonlyMap<string, Reached>,
  link: Reader["link"],
): { readonly before: unknown; readonly after: unknown } {
  const stops = told.length > 0 ? stopsOf(told) : new Set(lit.keys());
  return {
    before: drawPassed(chapters, passedBefore(chapters, at, stops, lit), link),
    after: isLast(chapters, at, stops, lit) ? drawLast(chapters, at, lit) : nothing,
  };
}

function drawPassed(chapters: readonly Head[], passed: readonly Passed[], link: Reader["link"]) {
  if (passed.length === 0) return nothing;
  const untold = passed.filter(({ steps }) => steps > 0);
  const none = passed.filter(({ steps }) => steps === 0);
  const only = none.length === 1 ? chapters[none[0]?.at ?? -1]?.why : undefined;
  return html`<p class="aside passed">
    ${none.length === 0 ? nothing : html`${names(chapters, none, link)} ${none.length === 1 ? "is" : "are"} passed by: no step of this command comes there. ${first(only)}`}
    ${untold.length === 0 ? nothing : html`Of ${names(chapters, untold, link)} no step is told slowly.`}
  </p>`;
}

/** What is said at the foot of the last chapter that it comes to. */
function drawLast(chapters: readonly Head[], at: number, lit: ReadonlyMap<string, Reached>) {
  const [next, last] = [at + 2, chapters.length];
  const many = next === last ? `chapter ${last} is` : `chapters ${next} to ${last} are`;
  // A request that is refused ends in a chapter behind the one in which it was.
  const steps = chapters.slice(at + 1).some(({ name }) => lit.has(name));
  return html`<p class="aside passed">
    This is as far as the command
    goes${steps ? ". Of the chapters behind this one no step is told slowly." : `: ${many} passed by.`}
  </p>`;
}

/** "6, Initializers", each with the way to it. */
function names(chapters: readonly Head[], passed: readonly Passed[], link: Reader["link"]) {
  return passed.map(({ at }, i) => {
    const { name = "", title = "" } = chapters[at] ?? {};
    return html`${i === 0 ? nothing : "; "}${at + 1},
    ${link(name, title)}${i === passed.length - 1 && passed.length === 1 ? "," : nothing}`;
  });
}

function first(why = ""): string {
  return /^.*?\.(?=\s|$)/.exec(why)?.[0] ?? "";
}
