import { html, nothing, type TemplateResult } from "lit";
import type { Beginning } from "../lesson/beginnings.ts";
import { partsOf, type Block, type Lesson } from "../lesson/lesson.ts";
import { drawAgain } from "./lesson-again.ts";
import { drawHints, drawPart, type Doer } from "./lesson-parts.ts";
import { drawProse } from "./lesson-prose.ts";

/** What a step shows beside its blocks, and what can be done with it. */
export interface StepDoer extends Doer {
  /** How many steps before were not done in this cluster. */
  readonly behind: number;
  /** It has begun in this cluster. */
  readonly begun: boolean;
  /** How many hints are shown. */
  readonly hints: number;
  /** What is said of the step as a whole. */
  readonly words: string;
  /** What is asked of a reader who wants to start it again. */
  readonly again: Beginning | undefined;
  /** The link that the reader asked for. */
  readonly link: string | undefined;
  readonly hint: () => void;
  readonly catchUp: () => void;
  readonly go: (to: number) => void;
  readonly next: () => void;
  readonly askAgain: () => void;
  readonly startAgain: () => void;
  readonly leaveAgain: () => void;
  /** Undefined where no link can be made. */
  readonly share: (() => void) | undefined;
}

/** Draws a step; before the first one stands what the lesson begins with. */
export function drawStep({ intro, steps }: Lesson, at: number, doer: StepDoer): TemplateResult {
  const before = at === 0 ? drawBlocks(intro, "intro", doer) : nothing;
  const step = steps[at];
  if (!step) return html`${before}`;
  const resets = partsOf(step.blocks).filter(({ reset }) => reset);
  const { again, busy } = doer;
  return html`${before}
    <section aria-labelledby="step">
      <h3 id="step" tabindex="-1">${at + 1}. ${step.title}</h3>
      ${doer.behind === 0 ? nothing : drawBehind(doer)}
      ${drawBlocks(step.blocks, `step-${at}`, doer)}
      <p role="status" class="about">${doer.words}</p>
      ${
        again === undefined
          ? nothing
          : drawAgain(again, resets, { busy, start: doer.startAgain, leave: doer.leaveAgain })
      }
      <footer>
        ${at > 0 ? html`<button @click=${() => doer.go(at - 1)}>Back</button>` : nothing}
        ${
          at < steps.length - 1
            ? html`<button @click=${doer.next}>Next: ${steps[at + 1]?.title}</button>`
            : nothing
        }
        ${
          resets.length > 0 || doer.begun
            ? html`<button id="start-again" ?disabled=${busy} @click=${doer.askAgain}>
                Start this step again
              </button>`
            : nothing
        }
        ${doer.share ? html`<button @click=${doer.share}>Link to here</button>` : nothing}
      </footer>
      ${doer.link === undefined ? nothing : drawLink(doer.link)}
    </section>`;
}

function drawBehind({ behind, busy, catchUp }: StepDoer): TemplateResult {
  return html`<div class="part task">
    <p>
      ${behind === 1 ? "The step before was" : `The ${behind} steps before were`} not done in this
      cluster.
    </p>
    <div class="row">
      <button ?disabled=${busy} @click=${catchUp}>Do ${behind === 1 ? "it" : "them"} for me</button>
    </div>
  </div>`;
}

function drawLink(link: string): TemplateResult {
  return html`<input
    class="link"
    readonly
    aria-label="Link to this lesson, with how far you are"
    .value=${link}
    @focus=${(event: Event) => (event.target as HTMLInputElement).select()}
  />`;
}

function drawBlocks(blocks: readonly Block[], id: string, doer: StepDoer): unknown[] {
  const hints = partsOf(blocks).filter(({ kind }) => kind === "hint");
  return blocks.map((block, i) => {
    // All hints of a step stand where its first one does.
    if (block === hints[0]) return drawHints(hints, doer.hints, doer.hint, doer);
    if (block.type !== "part") return drawProse([block], doer);
    if (block.hidden || block.kind === "hint") return nothing;
    return drawPart(block, `${id}-${i}`, doer);
  });
}
