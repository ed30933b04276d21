import { css, html, LitElement, nothing } from "lit";
import { kindKey } from "../rpc/kind-key.ts";
import type { TraceKind, TraceObject, TraceStep } from "../rpc/protocol.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { wideStyle } from "../ui/wide-style.ts";
import type { TraceFeed } from "./feed.ts";
import { changesOf, matrixOf } from "./look.ts";
import { drawMatrix } from "./matrix-view.ts";
import { matrixStyle } from "./matrix-style.ts";
import { sourceOf } from "./source.ts";
import { objectName, sentence, took } from "./words.ts";

/** What it stands over. */
export interface StepNeeds {
  readonly trace: TraceFeed;
  look(step: TraceStep): void;
  /** Opens the guide's chapter of that name. */
  read(chapter: string): void;
  show(object: TraceObject): void;
}

/** One step: when, who, about what, because of what, the line of source, and its data. */
export class StepView extends LitElement {
  static override properties = {
    step: { attribute: false },
    kinds: { state: true },
    whole: { state: true },
  };
  static override styles = [
    base,
    wideStyle,
    matrixStyle,
    css`
      :host {
        padding: 12px 16px;
        overflow: auto;
      }
      h2 {
        margin: 0 0 8px;
        font-size: var(--size-m);
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      h3 {
        margin: 16px 0 4px;
        font-size: var(--size-s);
        font-weight: 600;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 4px 12px;
        margin: 0;
      }
      dt {
        color: var(--text-2);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .link {
        padding: 0;
        border: 0;
        background: none;
        color: var(--accent);
        text-align: left;
        cursor: pointer;
        overflow-wrap: anywhere;
      }
      a {
        color: var(--accent);
      }
      pre {
        margin: 0;
        padding: 8px;
        overflow: auto;
        background: var(--bg);
        font: var(--size-s) / 1.5 var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      /* A field's path and value may be long, and its plugin's name with them: they stand below each other. */
      .changes {
        margin: 0;
        padding: 0;
        list-style: none;
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }
      .changes li {
        display: flow-root;
        padding: 4px 0;
        border-top: 1px solid var(--line);
      }
      .changes span {
        margin-right: 8px;
        white-space: nowrap;
      }
      .changes p {
        margin: 2px 0 0;
        padding-left: 12px;
      }
      .changes :is(del, ins) {
        display: block;
        text-decoration: none;
      }
      .changes del {
        color: var(--text-2);
        text-decoration: line-through;
      }
      .changes .gone {
        color: var(--text-2);
      }
      .none {
        color: var(--text-2);
      }
    `,
  ];
  declare step: TraceStep | undefined;
  declare kinds: ReadonlyMap<string, TraceKind>;
  /** The step `of` with its details in whole; undefined in it if the cluster does not hold it any more. */
  declare whole: { readonly of: number; readonly step: TraceStep | undefined } | undefined;
  #asked = 0;
  readonly #on: StepNeeds;

  constructor(on: StepNeeds) {
    super();
    this.#on = on;
    this.step = undefined;
    this.kinds = new Map();
    on.trace.kinds().then(
      (kinds) => (this.kinds = kinds),
      // Without it there is no link to the source; all else is there.
      () => undefined,
    );
  }

  protected override willUpdate(): void {
    const { step } = this;
    if (!step?.brief || step.id === this.#asked) return;
    const of = (this.#asked = step.id);
    // Whoever is looked at in the meantime has asked as well.
    this.#on.trace.details(of).then(
      (whole) => of === this.#asked && (this.whole = { of, step: whole }),
      () => of === this.#asked && (this.whole = { of, step: undefined }),
    );
  }

  override render() {
    const { step } = this;
    if (!step)
      return html`<p class="none">Choose a step to see its data and its line of source.</p>`;
    const { trace } = this.#on;
    const cause = step.cause === undefined ? undefined : trace.steps.get(step.cause);
    const below = trace.tree(step.id).length - 1;
    const known = this.whole?.of === step.id;
    const whole = step.brief ? (known ? this.whole?.step : undefined) : step;
    return html`<h2 class="mono">${sentence(step)}</h2>
      <dl>
        ${row("When", `${new Date(step.at).toLocaleTimeString("en-GB")}.${String(Math.floor(step.at % 1000)).padStart(3, "0")}`)}
        ${step.took === undefined ? nothing : row("Took", took(step.took))}
        ${row("By", step.component)} ${row("Kind", step.kind)}
        ${step.node ? row("On", step.told ? `${step.node}, which says so itself` : step.node) : nothing}
        ${step.object?.resource ? row("About", this.#object(step.object)) : nothing}
        ${row("Chapter", html`<button class="link" @click=${() => this.#on.read(step.chapter)}>${step.chapter}</button>`)}
        ${cause ? row(step.inferred ? "Because (by the object)" : "Because", this.#step(cause)) : nothing}
        ${(step.causes ?? []).map((id) => {
          const further = trace.steps.get(id);
          return further ? row("And because", this.#step(further)) : nothing;
        })}
        ${below > 0 ? row("It caused", `${below} ${below === 1 ? "step" : "steps"}`) : nothing}
        ${this.#source(step)} ${whole?.cut ? row("Left out", whole.cut) : nothing}
      </dl>
      ${
        whole
          ? html`${this.#changes(whole)} ${this.#matrix(whole)} ${this.#data(whole)}`
          : html`<p class="none" role="status">
              ${known ? "The cluster does not hold its data any more." : "Asking for its data …"}
            </p>`
      }`;
  }

  #object(object: TraceObject) {
    if (!object.name) return html`<span class="mono">${objectName(object)}</span>`;
    return html`<button class="link mono" @click=${() => this.#on.show(object)}>
      ${objectName(object)}
    </button>`;
  }

  #step(step: TraceStep) {
    return html`<button class="link" @click=${() => this.#on.look(step)}>
      ${sentence(step)}
    </button>`;
  }

  #source(step: TraceStep) {
    const kind = this.kinds.get(kindKey(step)) ?? this.kinds.get(step.kind);
    const source = kind && sourceOf(kind);
    if (!source) return nothing;
    return row(
      "Source",
      html`<a href=${source.url} target="_blank" rel="noreferrer" class="mono">${source.place}</a>`,
    );
  }

  #changes(step: TraceStep) {
    const changes = changesOf(step.details);
    if (changes.length === 0) return nothing;
    return html`<h3 id="changed">What changed</h3>
      <ul class="changes" aria-labelledby="changed">
        ${changes.map(
          ({ by, path, before, after }) =>
            html`<li>
              ${by ? html`<span>${by}</span>` : nothing}<code>${path}</code>
              <p class="mono">
                ${before ? html`<del>${before}</del>` : nothing}${after ? html`<ins>${after}</ins>` : html`<span class="gone">taken away</span>`}
              </p>
            </li>`,
        )}
      </ul>`;
  }

  #matrix(step: TraceStep) {
    const matrix = matrixOf(step);
    return matrix ? drawMatrix(matrix) : nothing;
  }

  #data({ details }: TraceStep) {
    if (details === undefined) return nothing;
    return html`<h3>Data</h3>
      <pre tabindex="0">${JSON.stringify(details, null, 2)}</pre>`;
  }
}

function row(name: string, value: unknown) {
  return html`<dt>${name}</dt>
    <dd>${value}</dd>`;
}

define("tn-step", StepView);
