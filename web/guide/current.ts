import type { TraceStep } from "../rpc/protocol.ts";
import { firstLike } from "../trace/proof.ts";
import { AROUND } from "../trace/told.ts";
import type { Block, Inline, Proof } from "./chapter.ts";

/** The claims of a chapter, in the order in which they are read. */
export function claimsOf(blocks: readonly Block[]): readonly Proof[] {
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

function within(of: readonly Inline[]): readonly Proof[] {
  return of.flatMap((piece) => {
    if (typeof piece === "string" || piece.type === "code") return [];
    return piece.type === "step" ? [piece] : within(piece.of);
  });
}

/**
 * Of the steps that a chapter's claims rest on the one that is told now: the step itself, or the last one that was
 * passed. What is said of a request is said of its end.
 */
export function current(
  claims: readonly Proof[],
  steps: readonly TraceStep[],
  told: TraceStep,
  here: boolean,
): TraceStep | undefined {
  const claimed = claims.flatMap(({ kind, like }) => firstLike(steps, kind, like) ?? []);
  if (claimed.includes(told)) return told;
  // Where another chapter's step is told, nothing of this one is now.
  if (!here) return undefined;
  const when = ({ kind, at, took = 0 }: TraceStep) => (AROUND.has(kind) ? at + took : at);
  let last: TraceStep | undefined;
  for (const step of claimed)
    if (when(step) <= told.at && (!last || when(step) > when(last))) last = step;
  return last;
}

/**
 * Brings the claim that is marked as now into sight, below a heading of that height which sticks to the top. No line
 * moves if it is in sight. False if there is none, or nothing of the list is in sight.
 */
export function bring(list: HTMLElement, heading: number): boolean {
  const claim = list.querySelector<HTMLElement>('[aria-current="step"]');
  if (!claim?.checkVisibility()) return false;
  const { top, bottom } = list.getBoundingClientRect();
  const { top: begins, bottom: ends } = claim.getBoundingClientRect();
  const above = top + heading;
  // With some lines before it, since a sentence is read from its beginning.
  if (begins < above || ends > bottom) list.scrollTop += begins - above - (bottom - above) / 4;
  return true;
}
