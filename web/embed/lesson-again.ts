import { html, nothing, type TemplateResult } from "lit";
import { changesIn, sentenceOf } from "../cluster/going-back.ts";
import type { Beginning } from "../lesson/beginnings.ts";
import type { Part } from "../lesson/lesson.ts";
import type { CheckpointDifference } from "../rpc/protocol.ts";
import { drawCode } from "./lesson-parts.ts";

/** What can be answered. */
export interface AgainDoer {
  readonly busy: boolean;
  readonly start: () => void;
  readonly leave: () => void;
}

/** Asks whether a step is to be started again: what that would change, and what it leaves as it is. */
export function drawAgain(
  beginning: Beginning,
  resets: readonly Part[],
  { busy, start, leave }: AgainDoer,
): TemplateResult {
  const possible = "difference" in beginning || resets.length > 0;
  return html`<div class="part task" role="group" aria-labelledby="again">
    <p id="again" tabindex="-1">
      ${"difference" in beginning ? `Started again: ${first(beginning.difference)}` : beginning.gone}
    </p>
    ${"difference" in beginning ? difference(beginning.difference) : nothing}
    ${
      resets.length === 0
        ? nothing
        : html`<p class="about">The lesson has commands of its own for it, which run first:</p>
            ${resets.map(({ text }) => drawCode(text, "What the lesson runs for it"))}`
    }
    <div class="row">
      ${possible ? html`<button ?disabled=${busy} @click=${start}>Start again</button>` : nothing}
      <button ?disabled=${busy} @click=${leave}>Leave it as it is</button>
    </div>
  </div>`;
}

function first(changes: CheckpointDifference): string {
  const sentence = sentenceOf(changes);
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

function difference(changes: CheckpointDifference): TemplateResult {
  const lines = changesIn(changes);
  const more = changes.comesBack + changes.changes + changes.goes - lines.length;
  return html`${
      lines.length === 0
        ? nothing
        : drawCode(
            [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n"),
            "What would change",
          )
    }
    <p class="about">
      All objects of the cluster go back to when this step began, whoever changed them. Containers
      begin anew. Files and variables of the shell, and what pods wrote to volumes, stay as they
      are.
    </p>`;
}
