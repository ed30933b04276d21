import { html, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { sentence, took } from "../trace/words.ts";
import { goesBack, type Besides } from "./besides.ts";
import { opening } from "./opening.ts";

/** How many steps the list for screen readers has. */
const LISTED = 200;

/** What stands below the drawing. */
export interface Captioned {
  /** Undefined before a first command. */
  readonly step: TraceStep | undefined;
  /** The steps that are told. */
  readonly told: readonly TraceStep[];
  /** All of the command's. */
  readonly steps: readonly TraceStep[];
  /** How many go its way, of which one is told; empty if it stands for itself. */
  readonly stands: string;
  /** What is to be known of it beside that. */
  readonly beside: Pick<Besides, "answer">;
  /** The line of the command that they are of. */
  readonly line: string;
  /** Draws its words. */
  readonly explains: { draw(sentence: string): unknown };
  /** Whether a screen reader is to hear of each. */
  readonly heard: boolean;
  readonly look: (step: TraceStep) => void;
}

/** A step in a sentence, whose it is and how long it took, and the way to it. */
export function caption({
  step,
  told,
  steps,
  stands,
  beside,
  line,
  explains,
  heard,
  look,
}: Captioned) {
  const said = step
    ? opening(step, told, steps)
    : "Run a command in the terminal: it travels here, from kubectl to the nodes.";
  return html`<p class="caption" aria-live=${heard ? "polite" : "off"}>
    <span class="said">${explains.draw(said)}</span>
    ${stands === "" ? nothing : html`<span class="stands">${stands}</span>`} ${drawBeside(beside)}
    ${
      step
        ? html`<span class="when"
              >${whose(step)}${step.took === undefined ? "" : ` · ${took(step.took)}`}</span
            ><span class="of" title=${line}>of ${line}</span
            ><button class="quiet" @click=${() => look(step)}>Show the step</button>`
        : nothing
    }
  </p>`;
}

/** Whose step it is: a kubelet has its node's container runtime do what it does. */
function whose({ component, kind }: TraceStep): string {
  return kind.startsWith("cri.") && component === "kubelet" ? "kubelet → runtime" : component;
}

/** Which answer goes back. */
function drawBeside({ answer }: Captioned["beside"]) {
  if (!answer) return nothing;
  return html`<span class="beside"><span class="goes">${goesBack(answer)}</span></span>`;
}

/** The way of the command as a list, for those who do not see it. */
export function asList(told: readonly TraceStep[]) {
  if (told.length === 0) return nothing;
  return html`<ol class="sr" aria-label="What the command came to, step by step">
    ${told
      .slice(0, LISTED)
      .map(
        (step) =>
          html`<li>
            ${whose(step)}:
            ${sentence(step)}${step.took === undefined ? "" : `, ${took(step.took)}`}
          </li>`,
      )}
  </ol>`;
}
