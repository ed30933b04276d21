import { html, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { firstLike } from "../trace/proof.ts";
import { sentence, textOf, took } from "../trace/words.ts";
import { whole } from "../ui/whole.ts";
import type { Reader } from "./blocks.ts";

/*
 * The texts follow one kind of command: a Deployment that is made. Beside another one their sentences stand as they are,
 * without what was seen of such a command; lit is what is true of any, and in sight stays what that other one did in the
 * chapter.
 */

/** What the texts follow from chapter to chapter, and how it is called. */
const FOLLOWED = { kind: "apiserver.request", like: "created-deployments" } as const;
export const TOLD = "kubectl create deployment";

/** How many of a command's own steps a chapter has at once. */
const MOST = 8;

/** Characters of a command's line in a sentence. */
const LONGEST_LINE = 80;

/**
 * Whether a command is none of those that the texts follow: it has ended without it, or has asked for something else and
 * may never end, as one that watches.
 */
export function isOther(steps: readonly TraceStep[]): boolean {
  const known = steps.some(
    ({ kind, details }) =>
      kind === "kubectl.exit" ||
      (kind === "kubectl.request" && textOf(details, "method") !== "POST"),
  );
  return known && !firstLike(steps, FOLLOWED.kind, FOLLOWED.like);
}

/** What proves the sentences of a text that does not follow the command that is told: those that are true of any. */
export function behind(reader: Reader): Reader {
  return { ...reader, step: (claim) => (claim.any ? reader.step(claim) : undefined) };
}

/** A command's line as it stands in a sentence. */
export function lineOf(command: TraceStep): string {
  const typed = sentence(command);
  return typed.length > LONGEST_LINE ? `${typed.slice(0, LONGEST_LINE)}…` : typed;
}

/** What stays above a text that does not follow the command that is told: so, with what that did here. */
export function drawLegend(reader: Reader) {
  const { did, other, steps } = reader;
  const [command] = steps;
  if (!other || !command) return nothing;
  // It scrolls when it is long: with nothing in it to go to, keys go to itself.
  return html`<div
    class="aside legend"
    role="group"
    aria-label="What your command did in this chapter"
    tabindex=${reader.ways ? nothing : "0"}
  >
    <p>
      The text follows a <code>${TOLD}</code> that succeeds; what is lit in it is true of your
      command, too. ${did.length === 0 ? "No step is told slowly here of" : "What came here of"}
      <code>${whole(lineOf(command))}</code>${did.length === 0 ? "." : ":"}
    </p>
    ${drawDid(did, reader)}
  </div>`;
}

/** How high is what sticks to the top of a list: an open chapter's heading, and what another command did in it. */
export function stuck(list: HTMLElement, heading: HTMLElement): number {
  const { offsetHeight: high } = heading;
  list.style.setProperty("--below", `${high}px`);
  const note = heading.nextElementSibling?.querySelector<HTMLElement>(":scope > .legend");
  return high + (note?.offsetHeight ?? 0);
}

/** Has what is told now in sight in what stays above the text, which is no higher than it has room. */
export function scrollDid(list: HTMLElement): void {
  const box = list.querySelector<HTMLElement>(".legend");
  const now = box?.querySelector<HTMLElement>('[aria-current="step"]');
  if (!box || !now?.checkVisibility()) return;
  const { top, bottom } = box.getBoundingClientRect();
  const { top: begins, bottom: ends } = now.getBoundingClientRect();
  if (begins < top || ends > bottom) box.scrollTop += (begins + ends - top - bottom) / 2;
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
