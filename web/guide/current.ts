import type { TraceStep } from "../rpc/protocol.ts";
import { firstLike } from "../trace/proof.ts";
import { above } from "../trace/told.ts";
import type { Block, Inline, Proof } from "./chapter.ts";

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
 * Of the steps that a chapter's claims rest on the one that is told now: the step itself, or what it is a part of or
 * came of, the nearest first. What is done for a request is done for its write. `here`: the step told is of this
 * chapter; else nothing of it is now but that step itself.
 */
export function current(
  claims: readonly Proof[],
  steps: readonly TraceStep[],
  told: TraceStep,
  here: boolean,
): TraceStep | undefined {
  const claimed = claims.flatMap(({ kind, like }) => firstLike(steps, kind, like) ?? []);
  if (claimed.includes(told)) return told;
  if (!here) return undefined;
  const byId = new Map(steps.map((step) => [step.id, step]));
  for (let at: TraceStep | undefined = told; at; at = above(byId, at)) {
    const of = at;
    if (claimed.includes(of)) return of;
    // Of what is done one after the other for the same, the last that was passed.
    const passed = claimed.filter(
      ({ cause, at: began }) => cause === of.cause && cause !== undefined && began <= told.at,
    );
    const last = passed.reduce<TraceStep | undefined>(
      (a, b) => (a && a.at > b.at ? a : b),
      undefined,
    );
    if (last) return last;
    if (of.kind !== "apiserver.request") continue;
    const write = claimed.find(({ kind, cause }) => kind.startsWith("etcd.") && cause === of.id);
    if (write) return write;
  }
  return undefined;
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
