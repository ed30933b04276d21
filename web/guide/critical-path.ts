import { html, nothing, type TemplateResult } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { criticalPath, SERVING, WAITING } from "../trace/critical.ts";
import { starts } from "../trace/told.ts";
import { sentence, took } from "../trace/words.ts";
import type { Reader } from "./blocks.ts";

/** Characters of the step that the path leads to: what it says is a stranger's. */
const LONGEST = 120;

/** What is no chapter's. */
const BESIDES: Readonly<Record<string, TemplateResult | undefined>> = {
  [SERVING]: html`<span
    title="Requests were read, decoded, encoded and answered, or waited for their turn: in the tab one thread does everything"
    >Serving requests</span
  >`,
  [WAITING]: html`<span
    title="Nothing on the way was under way: an event was to come, or an item waited in a queue"
    >Waiting</span
  >`,
};

/** Where the time of the command went, chapter by chapter, as a table with bars. */
export function drawCriticalPath(
  title: unknown,
  { steps, title: titleOf, order, read }: Pick<Reader, "steps" | "title" | "order" | "read">,
): TemplateResult {
  const path = criticalPath(steps);
  if (!path) return html`<p class="aside">It stands here when a command has run.</p>`;
  const { stretches, to, lasted, requests } = path;
  const place = ({ chapter = "" }: (typeof stretches)[number]) => {
    const at = order(chapter);
    // What is in no chapter stands last.
    return at >= 0 ? at : chapter === SERVING ? Number.MAX_SAFE_INTEGER : Infinity;
  };
  // A request begins before what is asked of it, which has the chapters before its own.
  const inOrder = [...stretches].sort((a, b) =>
    place(a) < place(b) ? -1 : Number(place(a) > place(b)),
  );
  const row = ({ chapter = "", lasted: own }: (typeof stretches)[number]) => {
    const share = lasted > 0 ? (100 * own) / lasted : 0;
    const called = titleOf(chapter);
    return html`<tr>
      <th scope="row">
        ${
          called === undefined
            ? (BESIDES[chapter] ?? (chapter || "steps that are not held any more"))
            : html`<button class="inside" @click=${() => read(chapter)}>${called}</button>`
        }
      </th>
      <td class="number">${took(own)}</td>
      <td class="share">
        <span class="sr">${share.toFixed(0)} %</span>
        <span class="bar" style=${`--part: ${share.toFixed(2)}%`} aria-hidden="true"></span>
      </td>
    </tr>`;
  };
  return html`<div class="wide">
    <table class="path">
      <caption>
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">Chapter</th>
          <th scope="col">Time</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        ${inOrder.map(row)}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">${ends(to, starts(steps).length)}</th>
          <td class="number">${took(lasted)}</td>
          <td></td>
        </tr>
        ${
          requests > 1
            ? html`<tr>
                <td colspan="3" class="aside">
                  The API server served ${requests} requests on this path, the command's among them.
                  The time of each chapter is that of all of them.
                </td>
              </tr>`
            : nothing
        }
      </tfoot>
    </table>
  </div>`;
}

/** What the sum stands beside. */
function ends(to: TraceStep, started: number): string {
  if (started === 0) return `Until: ${sentence(to).slice(0, LONGEST)}`;
  const last = (to.object?.name ?? "").slice(0, LONGEST);
  return started === 1
    ? "Until the container runs"
    : `Until ${started} containers run, by way of the last${last && ` (${last})`}`;
}
