import { html, nothing, type TemplateResult } from "lit";
import type { Part } from "../lesson/lesson.ts";
import { seen } from "../share/seen.ts";
import { drawProse, type Place } from "./lesson-prose.ts";
import type { PartState } from "./lesson-states.ts";

/** What parts can do. */
export interface Doer extends Place {
  state(part: Part): PartState;
  /** Runs, applies or checks it. */
  run(part: Part): void;
  stop(): void;
  answer(part: Part): void;
  change(part: Part, to: Partial<PartState>): void;
  /** Whether something else runs: one thing at a time. */
  readonly busy: boolean;
}

/** Draws a part that is not a hint. `id` names it among the parts of its element. */
export function drawPart(part: Part, id: string, doer: Doer): TemplateResult {
  switch (part.kind) {
    case "run":
    case "apply":
      return html`<div class="part">
        ${drawCode(part.text, part.kind === "run" ? "Commands" : "Manifest")}
        ${runs(part, part.kind === "run" ? "Run" : "Apply", doer)}
        ${
          part.output === undefined
            ? nothing
            : html`<details>
                <summary>What it prints</summary>
                ${drawCode(part.output, "What it prints", "printed")}
              </details>`
        }
      </div>`;
    case "solution":
      return html`<details
        class="part"
        ?open=${doer.state(part).open}
        @toggle=${(event: Event) =>
          doer.change(part, { open: (event.target as HTMLDetailsElement).open })}
      >
        <summary>Solution</summary>
        ${drawCode(part.text, "Solution")} ${runs(part, "Run", doer)}
      </details>`;
    case "check":
    case "cel":
      return html`<div class="part task ${doer.state(part).is}">
        <p>${called(part)}</p>
        ${runs(part, "Check", doer)}
      </div>`;
    case "trace":
      return html`<div class="part task ${doer.state(part).is}">
        <p>${called(part)}</p>
        ${runs(part, part.text === "" ? "Show" : "Check", doer)}
      </div>`;
    case "question":
      return question(part, id, doer);
    case "hint":
      return html``;
  }
}

/** Draws the hints of a step: one more each time that one is asked for. */
export function drawHints(
  hints: readonly Part[],
  shown: number,
  more: () => void,
  place: Place,
): TemplateResult | typeof nothing {
  if (hints.length === 0) return nothing;
  return html`<div class="part" aria-live="polite">
    ${hints
      .slice(0, shown)
      .map((hint) => html`<blockquote>${drawProse(hint.of ?? [], place)}</blockquote>`)}
    ${
      shown < hints.length
        ? html`<button @click=${more}>
            ${hints.length === 1 ? "Hint" : `Hint ${shown + 1} of ${hints.length}`}
          </button>`
        : nothing
    }
  </div>`;
}

/** Text of a lesson as it stands, with what cannot be seen in it made visible. */
export function drawCode(text: string, label: string, more = ""): TemplateResult {
  return html`<pre class=${more} tabindex="0" role="group" aria-label=${label}>${seen(text)}</pre>`;
}

/** What a check is called. */
function called({ kind, title, until, text }: Part): TemplateResult | string {
  if (title !== undefined) return title;
  if (kind === "trace" && text === "") return "What the last command set off";
  if (kind === "trace") return html`The last command has set off <code>${text}</code>`;
  if (until) return `${until.ref}: ${until.reached.replace(/^condition=/, "")}`;
  return html`<code>${text}</code>`;
}

function runs(part: Part, verb: string, doer: Doer): TemplateResult {
  const { is, words, output } = doer.state(part);
  const busy = is === "busy";
  // One button, which keeps the focus; a double click does not stop what it has begun.
  const press = ({ detail }: MouseEvent) => {
    if (!busy) doer.run(part);
    else if (detail < 2) doer.stop();
  };
  return html`<div class="row">
      <button ?disabled=${doer.busy && !busy} @click=${press}>
        ${busy ? "Stop" : is === "waiting" ? verb : `${verb} again`}
      </button>
      <span role="status" class=${is}>${words}</span>
    </div>
    ${output === "" ? nothing : drawCode(output, "Output", "printed")}`;
}

function question(part: Part, id: string, doer: Doer): TemplateResult {
  const { chosen, is, words } = doer.state(part);
  const answers = part.answers ?? [];
  const one = answers.filter(({ right }) => right).length === 1;
  const choose = (i: number, on: boolean) => {
    const others = one ? [] : chosen.filter((other) => other !== i);
    doer.change(part, { chosen: on ? [...others, i] : others, is: "waiting", words: "" });
  };
  // Lines of a question stand as they are: there is none around it.
  const asked = part.text.split("`").map((t, i) => (i % 2 ? html`<code>${t}</code>` : t));
  return html`<fieldset class="part task ${is}">
    <legend>${asked}</legend>
    ${answers.map(
      ({ text }, i) =>
        html`<label
          ><input
            type=${one ? "radio" : "checkbox"}
            name=${id}
            .checked=${chosen.includes(i)}
            @change=${(event: Event) => choose(i, (event.target as HTMLInputElement).checked)}
          /><span
            >${text.split("`").map((t, n) => (n % 2 ? html`<code>${t}</code>` : t))}</span
          ></label
        >`,
    )}
    <div class="row">
      <button ?disabled=${chosen.length === 0} @click=${() => doer.answer(part)}>Answer</button>
      <span role="status" class=${is}>${words}</span>
    </div>
    ${is === "done" && part.output !== undefined ? html`<p>${part.output}</p>` : nothing}
  </fieldset>`;
}
