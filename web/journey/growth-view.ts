import { html, LitElement, nothing, type PropertyValues } from "lit";
import { kindKey } from "../rpc/kind-key.ts";
import type { TraceKind, TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "../trace/feed.ts";
import { matrixStyle } from "../trace/matrix-style.ts";
import { sourceOf, type Source } from "../trace/source.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { wideStyle } from "../ui/wide-style.ts";
import { keyOf } from "./authors.ts";
import { dataOf, type Data } from "./data.ts";
import { dataStyle } from "./data-style.ts";
import { drawData, drawLine } from "./data-view.ts";
import { changes, grown, lookedFor, type Grown, type GrowthNeeds } from "./growth.ts";
import { growthStyle } from "./growth-style.ts";
import { paneSays } from "./pane-says.ts";
import { remembered } from "./remembered.ts";

/** What it asks. */
export interface GrowthViewNeeds extends GrowthNeeds {
  readonly trace: Pick<TraceFeed, "steps" | "details" | "kinds">;
}

/** What there is of one step. */
interface Shown {
  /** The object that it is about; undefined if it is about none. */
  readonly object: Grown | undefined;
  /** What it knows, if it does not change the object. */
  readonly data: Data | undefined;
  readonly source: Source | undefined;
}

/**
 * An object as it grows: its lines, each with who set it, those of the step looked at standing out. Before them stands
 * what a step knows that does not change it.
 */
export class GrowthView extends LitElement {
  static override properties = {
    steps: { attribute: false },
    told: { attribute: false },
    step: { attribute: false },
    shown: { state: true },
    below: { type: Boolean, reflect: true },
    folded: { type: Boolean, reflect: true },
  };
  static override styles = [base, wideStyle, matrixStyle, growthStyle, dataStyle];
  /** The steps of the command that is replayed, and the one that is shown. */
  declare steps: readonly TraceStep[];
  declare step: TraceStep | undefined;
  /** Those of its steps that are told. */
  declare told: readonly TraceStep[];
  declare shown: Shown | undefined;
  /** It stands below the drawing, and not beside it. */
  declare below: boolean;
  /** On a phone: the drawing has its room. */
  declare folded: boolean;
  readonly #on: GrowthNeeds;
  readonly #kinds: Promise<ReadonlyMap<string, TraceKind>>;
  /** The command that what is shown is of. */
  #command: number | undefined;

  constructor(on: GrowthViewNeeds) {
    super();
    const { trace, etcd } = on;
    const details = remembered((id: number) => trace.details(id));
    this.#on = { trace: { steps: trace.steps, details }, etcd };
    // Without it there is no link to the source; all else is there.
    this.#kinds = trace.kinds().catch(() => new Map());
    this.steps = [];
    this.told = [];
    this.step = undefined;
    this.shown = undefined;
    this.below = false;
    this.folded = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("step")) return;
    const { step } = this;
    const command = this.steps[0]?.id;
    if (!step || command !== this.#command) this.shown = undefined;
    this.#command = command;
    if (!step) return;
    // What was shown stays until the next is known.
    void this.#look(step).then((found) => {
      if (this.step === step) this.shown = found;
    });
  }

  async #look(step: TraceStep): Promise<Shown> {
    const { trace } = this.#on;
    const [object, whole, kinds] = await Promise.all([
      grown(this.#on, this.steps, step, this.told),
      step.brief ? trace.details(step.id).catch(() => undefined) : step,
      this.#kinds,
    ]);
    const begins = this.told.some(({ cause }) => cause === step.id);
    const kind = kinds.get(kindKey(step)) ?? kinds.get(step.kind);
    return {
      object,
      data: whole && !changes(object?.lines ?? []) ? dataOf(whole, begins) : undefined,
      source: kind && sourceOf(kind),
    };
  }

  override render() {
    const { below, folded, shown, step } = this;
    const { object, data, source } = shown ?? {};
    const name = object?.name ?? (data ? "This step" : "The object that grows");
    const state = object ? stateOf(object) : "";
    const said = step ? paneSays(step, this, this.#on.trace.steps.values()) : "";
    const label = object ? `${name}, as it grows` : name;
    return html`<div
      class="scroll ${below ? "wide" : ""}"
      tabindex="0"
      role="region"
      aria-label=${label}
      @wheel=${below ? this.#aside : nothing}
    >
      <header>
        <h2>
          <span class="name">${name}</span
          ><button class="fold" aria-expanded=${!folded} @click=${() => (this.folded = !folded)}>
            <span aria-hidden="true">${folded ? "▸" : "▾"}</span
            ><span
              >${name}${state === "" ? nothing : html`<span class="state">${state}</span>`}</span
            >
          </button>
        </h2>
        ${said === "" ? nothing : html`<p class="said">${said}</p>`}
        ${object && !data ? this.#key(object) : nothing}
        ${
          source
            ? html`<p class="source">
                Source:
                <a href=${source.url} title=${source.place} target="_blank" rel="noreferrer"
                  >${source.place.split("/").at(-1)}<span aria-hidden="true">↗</span></a
                >
              </p>`
            : nothing
        }
      </header>
      <div class="body">
        ${data ? drawData(data) : nothing}
        ${object ? (data && !below ? this.#unchanged(object) : this.#lines(object)) : nothing}
        ${object || data ? nothing : html`<p class="forgotten">No step was about one yet.</p>`}
      </div>
    </div>`;
  }

  /** Which colour is whose, and what is to be known of the object as it is there. */
  #key({ lines, ...shown }: Grown) {
    const state = stateOf(shown);
    const key = keyOf(lines);
    return html`<div class="key">
      ${
        key.length === 0
          ? nothing
          : html`<ul aria-label="Whose a line is, by the mark before it">
              ${key.map(({ mark, who, names }) => html`<li data-mark=${mark} title=${names}>${who}</li>`)}
            </ul>`
      }
      ${state === "" ? nothing : html`<p class="state">${state}</p>`}
    </div>`;
  }

  /** It is there for whoever opens it. */
  #unchanged(object: Grown) {
    const { meanwhile, name } = object;
    return html`<details>
      <summary>${meanwhile || `${name}, as it is`}</summary>
      ${this.#key(object)} ${this.#lines(object)}
    </details>`;
  }

  #lines(shown: Grown) {
    let last = "";
    return html`${
        shown.forgotten > 0
          ? html`<p class="forgotten">
              etcd has forgotten ${shown.forgotten} of its versions (compaction): whose change is
              whose is not known there.
            </p>`
          : nothing
      }
      <ol class="lines">
        ${shown.lines.map(({ text, by, mark, fresh, meanwhile = false }) => {
          const named = by === last ? "" : by;
          last = by;
          return html`<li ?data-fresh=${fresh} ?data-meanwhile=${meanwhile} data-mark=${mark}>
            ${named === "" ? nothing : html`<span class="by">${named}</span>`}${drawLine(text)}
          </li>`;
        })}
      </ol>`;
  }

  /** Where it goes on beside itself a wheel leads there. */
  readonly #aside = (event: WheelEvent) => {
    if (event.deltaX !== 0 || !(event.currentTarget instanceof Element)) return;
    event.preventDefault();
    event.currentTarget.scrollLeft += event.deltaY;
  };

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has("shown")) return;
    this.dispatchEvent(new Event("grown"));
    const scroll = this.renderRoot.querySelector(".scroll");
    const { object, data } = this.shown ?? {};
    if (data) scroll?.scrollTo({ top: 0, left: 0, behavior: "instant" });
    const at = lookedFor(object?.lines ?? []);
    const fresh = this.renderRoot.querySelectorAll(".lines > li")[at];
    if (data || !(fresh instanceof HTMLElement) || !scroll) return;
    // The page itself is not to move, and the heading lies on the first lines.
    const heading = this.renderRoot.querySelector("header")?.offsetHeight ?? 0;
    // The key stands above the first line.
    const isFirst = fresh.matches("li:first-child");
    if (!this.below)
      scroll.scrollTop = isFirst ? 0 : fresh.offsetTop - Math.max(scroll.clientHeight / 3, heading);
    else {
      const [line, box] = [fresh, scroll].map((one) => one.getBoundingClientRect());
      if (line && box && (line.left < box.left || line.right > box.right))
        scroll.scrollLeft += line.left - box.left - 16;
    }
  }
}

/** How far it is, and what was written meanwhile. */
const stateOf = ({ awaited, meanwhile }: Pick<Grown, "awaited" | "meanwhile">) =>
  [awaited, meanwhile].filter(Boolean).join(" ");

define("tn-growth", GrowthView);
