import { html, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { firstLike } from "../trace/proof.ts";
import { sentence, took } from "../trace/words.ts";
import type { Reader } from "./blocks.ts";

/*
 * The texts follow one kind of command: a Deployment that is made. Beside another one their sentences stand as they are,
 * with what was seen of such a command before, and above them is what that other one did in the chapter.
 */

/** What the texts follow from chapter to chapter. */
const FOLLOWED = { kind: "apiserver.request", like: "created-deployments" } as const;

/** How many of a command's own steps a chapter has at once. */
const MOST = 8;

/** Whether a command has ended and is none of those that the texts follow. */
export function isOther(steps: readonly TraceStep[]): boolean {
  const ended = steps.some(({ kind }) => kind === "kubectl.exit");
  return ended && !firstLike(steps, FOLLOWED.kind, FOLLOWED.like);
}

/** What proves the sentences of a text that does not follow the command that is told: no step of that one alone. */
export function behind(reader: Reader): Reader {
  return {
    ...reader,
    step: () => undefined,
    earlier: (kind, like) => reader.earlier(kind, like, FOLLOWED) ?? reader.earlier(kind, like),
  };
}

/**
 * What is said above a text that does not follow the command that is told (`other`): so, with what that did here, and
 * what its dashed lines are, if it has some (`dashed`).
 */
export function drawLegend(other: boolean, dashed: boolean, reader: Reader) {
  if (!other) return nothing;
  const line = html`<span class="claim" data-seen data-earlier>dashed line</span>`;
  const { did } = reader;
  return html`<div class="aside legend">
    <p>
      The text below follows a Deployment that is
      made${dashed ? html`; what has a ${line} was seen of one, or of another command` : nothing}.
      ${did.length === 0 ? "Of the command above no step is told slowly here." : "Here the command above has come to this:"}
    </p>
    ${drawDid(did, reader)}
  </div>`;
}

/** A command's own steps in a chapter, round the one that is told. */
function drawDid(did: readonly TraceStep[], reader: Reader) {
  if (did.length === 0) return nothing;
  const at = Math.max(
    0,
    did.findIndex(({ id }) => id === reader.looked?.id),
  );
  const begin = Math.max(0, Math.min(at - MOST / 2, did.length - MOST));
  return html`<ol class="did" start=${begin + 1}>
      ${did.slice(begin, begin + MOST).map((step) => html`<li>${drawStep(step, reader)}</li>`)}
    </ol>
    ${did.length > MOST ? html`<p>${begin + 1} to ${begin + MOST} of ${did.length}</p>` : nothing}`;
}

function drawStep(step: TraceStep, reader: Reader) {
  const { looked, ways } = reader;
  const said = html`${sentence(step)}${step.took === undefined ? nothing : html`<span class="figure"> (${took(step.took)})</span>`}`;
  const mark = looked?.id === step.id ? "step" : nothing;
  if (!ways) return html`<span class="claim" data-seen aria-current=${mark}>${said}</span>`;
  return html`<a
      class="claim"
      href="#/trace"
      data-step=${step.id}
      aria-current=${mark}
      title="Show the step"
      @click=${(event: Event) => {
        event.preventDefault();
        ways.look(step, event.currentTarget as HTMLElement);
      }}
      >${said}</a
    >${reader.moment(step, sentence(step))}`;
}
