import { opensChapter } from "../journey/play.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { firstLike } from "../trace/proof.ts";
import { chapterOf } from "../trace/told.ts";
import { partOf } from "../trace/within.ts";
import type { Block, Claim, Inline } from "./chapter.ts";

/** Keys that scroll a text. */
export const SCROLLS: ReadonlySet<string> = new Set([
  "ArrowUp",
  "ArrowDown",
  "PageUp",
  "PageDown",
  "Home",
  "End",
  " ",
]);

/** The claims of a chapter, in the order in which they are read. */
export function claimsOf(blocks: readonly Block[]): readonly Claim[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case "heading":
      case "paragraph":
        return within(block.text);
      case "list":
        return block.items.flatMap(within);
      case "table":
        return [block.head, ...block.rows].flat().flatMap(within);
      default:
        return [];
    }
  });
}

function within(of: readonly Inline[]): readonly Claim[] {
  return of.flatMap((piece) => {
    if (typeof piece === "string" || piece.type === "code") return [];
    return piece.type === "step" ? [piece] : within(piece.of);
  });
}

/**
 * The step that proves a claim of a command: the first such step that is told slowly, or the first one if none is.
 */
export function proving(
  { steps, story }: Pick<Told, "steps" | "story">,
  kind: string,
  like?: string,
): TraceStep | undefined {
  return firstLike(story, kind, like) ?? firstLike(steps, kind, like);
}

/** What a chapter's text is read over. */
export interface Told {
  /** All steps of the command that is told, and those that are told slowly, in their order. */
  readonly steps: readonly TraceStep[];
  readonly story: readonly TraceStep[];
  /** The step that is told. */
  readonly now: TraceStep;
  /** The chapter that is read, if the story is in it; else nothing of it is now but the step itself. */
  readonly chapter: string | undefined;
}

/**
 * The claim that is told now: that of the step itself, or of the nearest step that it is a part of. The mark goes down
 * the text with the story: back to an earlier sentence only for that sentence's own step.
 */
export function current(claims: readonly Claim[], told: Told): Claim | undefined {
  const { steps, now, chapter } = told;
  const byId = new Map(steps.map((step) => [step.id, step]));
  const of = claims.map(({ kind, like }) => proving(told, kind, like));
  let last = -1;
  let at: number | undefined;
  for (const step of chapter === undefined ? [now] : until(told, chapter)) {
    at = claimOf(step, of, last, chapter === undefined ? undefined : byId);
    last = at ?? last;
  }
  return at === undefined ? undefined : claims[at];
}

/** The step with which a story comes to a chapter. */
export function beginning(
  { steps, story }: Pick<Told, "steps" | "story">,
  chapter: string,
): TraceStep | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]));
  return story.find((step) => opensChapter(step) && chapterOf(step, byId) === chapter);
}

/** The steps that are told from where the story comes to a chapter until now. */
function until(of: Told, chapter: string): readonly TraceStep[] {
  const { story, now } = of;
  const told = story.indexOf(now);
  // One that is not told slowly is looked at where the last one is that began before it.
  const to = told >= 0 ? told : story.findLastIndex(({ at }) => at <= now.at);
  const first = beginning(of, chapter);
  const before = first ? story.slice(story.indexOf(first), to + 1) : [];
  return before.at(-1) === now ? before : [...before, now];
}

/** Which claim is a step's, of those that rest on the steps `of`; `last` is the one that was marked before. */
function claimOf(
  step: TraceStep,
  of: readonly (TraceStep | undefined)[],
  last: number,
  byId: ReadonlyMap<number, TraceStep> | undefined,
): number | undefined {
  const own = of.flatMap((one, i) => (one === step ? [i] : []));
  if (own.length > 0) return own.find((i) => i >= last) ?? own[0];
  for (let at = byId && partOf(byId, step); byId && at; at = partOf(byId, at)) {
    const first = of.indexOf(at);
    if (first >= 0) return first >= last ? first : undefined;
  }
  return undefined;
}

/** What is between two heights of the window, in pixels. */
export interface Between {
  readonly top: number;
  readonly bottom: number;
}

/** Pixels above a paragraph that is brought into sight. */
const LEAD = 4;

/**
 * How far a text is to go up so that a claim is in sight with its whole paragraph, from its beginning: not at all if it
 * is. Of a paragraph that has no room the claim is.
 */
export function shift(claim: Between, paragraph: Between, sight: Between): number {
  const room = sight.bottom - sight.top;
  if (paragraph.top >= sight.top && paragraph.bottom <= sight.bottom) return 0;
  if (claim.bottom - paragraph.top + LEAD <= room) {
    // It is higher than there is room, and stands from its beginning to the claim already.
    const stands = paragraph.bottom - paragraph.top > room && paragraph.top >= sight.top;
    return stands && claim.bottom <= sight.bottom ? 0 : paragraph.top - sight.top - LEAD;
  }
  if (claim.top >= sight.top && claim.bottom <= sight.bottom) return 0;
  return claim.top - sight.top - room / 4;
}

/**
 * Brings the claim that is marked as now into sight, below what of that height sticks to the top. False if there is none,
 * or nothing of the list is in sight.
 */
export function bring(list: HTMLElement, height: number): boolean {
  const claim = list.querySelector<HTMLElement>(
    'article [aria-current="step"]:not(.legend [aria-current])',
  );
  if (!claim?.checkVisibility()) return false;
  const { top, bottom } = list.getBoundingClientRect();
  const paragraph = claim.closest("p, li, tr, h4") ?? claim;
  // A section's first paragraph has its heading with it.
  const before = paragraph.previousElementSibling;
  const from = before?.matches("h4") ? before : paragraph;
  list.scrollTop += shift(
    claim.getBoundingClientRect(),
    { top: from.getBoundingClientRect().top, bottom: paragraph.getBoundingClientRect().bottom },
    { top: top + height, bottom },
  );
  return true;
}
