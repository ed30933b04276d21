import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { WRITE } from "../trace/told.ts";
import { wideStyle } from "../ui/wide-style.ts";
import { keyOf } from "./authors.ts";
import { grown, lookedFor, type Grown, type GrowthNeeds } from "./growth.ts";
import { remembered } from "./remembered.ts";

/** An object as it grows: its lines, each with who set it, those of the step looked at standing out. */
export class GrowthView extends LitElement {
  static override properties = {
    steps: { attribute: false },
    told: { attribute: false },
    step: { attribute: false },
    shown: { state: true },
    below: { type: Boolean, reflect: true },
    folded: { type: Boolean, reflect: true },
  };
  static override styles = [
    base,
    wideStyle,
    css`
      :host {
        display: block;
        min-height: 0;
        border-left: 1px solid var(--line);
      }
      :host([hidden]) {
        display: none;
      }
      .scroll {
        position: relative; /* where a line stands is counted from here */
        height: 100%;
        overflow: auto;
      }
      header {
        position: sticky;
        inset: 0 0 auto;
        background: var(--panel);
        color: var(--text-2);
      }
      h2 {
        margin: 0;
        padding: 4px 16px;
        background: var(--panel);
        font: 400 var(--size-s) var(--mono);
      }
      /* It is there from the first line on: what is said of the object stands in it, too, and nothing moves for that. */
      .key {
        display: flex;
        flex-wrap: wrap;
        gap: 0 8px;
        padding: 0 16px 4px;
        font-size: var(--size-s);
      }
      .key ul {
        display: contents;
        list-style: none;
      }
      .key li {
        padding-left: 4px;
      }
      .state {
        margin: 0;
        color: var(--text);
      }
      .fold {
        display: none;
      }
      /* Below the drawing it is wide and low: it goes on beside itself, as a newspaper does. */
      :host([below]) {
        border: 0;
        border-top: 1px solid var(--line);
        background: var(--panel);
      }
      :host([below]) .scroll {
        display: flex;
        flex-direction: column;
        overflow: auto hidden;
      }
      :host([below]) :is(header, .forgotten) {
        flex: none;
        position: sticky;
        left: 0;
      }
      :host([below]) ol {
        flex: 1;
        min-height: 0;
        columns: 30ch;
        column-gap: 16px;
        column-fill: auto;
      }
      :host([below]) li {
        break-inside: avoid;
      }
      ol {
        margin: 0;
        padding: 0 16px 8px;
        list-style: none;
        font: var(--size-s) / 1.5 var(--mono);
      }
      li {
        padding-left: 8px;
        border-left: 4px solid var(--line);
        overflow-wrap: anywhere;
      }
      /* Above the first of their lines: beside them there would be no room for lines. */
      .by {
        display: block;
        padding-top: 2px;
        color: var(--text-2);
      }
      /* What does not fit goes on a little further in. */
      .text {
        display: block;
        padding-left: calc(var(--in) + 2ch);
        text-indent: -2ch;
        white-space: pre-wrap;
      }
      .forgotten {
        margin: 0;
        padding: 0 16px 4px;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      [data-fresh] .text {
        background: var(--accent-soft);
        font-weight: 600;
      }
      /* Whoever writes has one colour (authors.ts); etcd, and who is not known, that of the line. */
      [data-mark="asked"] {
        border-color: var(--accent);
      }
      [data-mark="defaults"] {
        border-color: var(--terminating);
      }
      [data-mark="plugin"] {
        border-color: var(--pending);
      }
      [data-mark="registry"] {
        border-color: var(--failing);
      }
      [data-mark="later"] {
        border-color: var(--running);
      }
      [data-mark="none"] {
        border-color: var(--line-strong);
      }
      @media (max-width: 799px) {
        :host {
          border-left: 0;
          border-bottom: 1px solid var(--line);
        }
        /* The key scrolls away there: lines have the room. */
        header {
          display: contents;
        }
        h2 {
          position: sticky;
          top: 0;
          padding: 0;
          color: var(--text-2);
        }
        h2 .name {
          display: none;
        }
        .fold {
          display: flex;
          align-items: center;
          gap: 8px;
          width: 100%;
          min-height: 44px;
          padding: 0 16px;
          border: 0;
          background: none;
          color: inherit;
          font: inherit;
          text-align: left;
          overflow-wrap: anywhere;
          cursor: pointer;
        }
        /* In the heading, whose second line it has: the key above the lines scrolls away. */
        .key .state {
          display: none;
        }
        .fold .state {
          display: block;
          font-family: var(--sans);
        }
        .fold:focus-visible {
          outline-offset: -2px;
        }
        :host([folded]) .scroll {
          overflow: hidden;
        }
        :host([folded]) :is(ol, .key, .forgotten) {
          display: none;
        }
      }
    `,
  ];
  /** The steps of the command that is replayed, and the one that is shown. */
  declare steps: readonly TraceStep[];
  declare step: TraceStep | undefined;
  /** Those of its steps that are told. */
  declare told: readonly TraceStep[];
  declare shown: Grown | undefined;
  /** It stands below the drawing, and not beside it. */
  declare below: boolean;
  /** On a phone: the drawing has its room. */
  declare folded: boolean;
  readonly #on: GrowthNeeds;
  /** The command that what is shown is of. */
  #command: number | undefined;

  constructor(on: GrowthNeeds) {
    super();
    const { trace, etcd } = on;
    const details = remembered((id: number) => trace.details(id));
    this.#on = { trace: { steps: trace.steps, details }, etcd };
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
    // What was grown stays until the next is known.
    void grown(this.#on, this.steps, step, this.told).then((found) => {
      if (this.step === step) this.shown = found;
    });
  }

  override render() {
    const { shown } = this;
    // Of a command that writes something it has its place from the beginning: nothing is to move once it grows.
    const { below, folded } = this;
    this.hidden = shown === undefined && !this.#writes();
    if (this.hidden) return nothing;
    const name = shown?.name ?? "The object that grows";
    const state = shown ? stateOf(shown) : "";
    const label = shown ? `${name}, as it grows` : name;
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
        ${shown ? this.#key(shown) : nothing}
      </header>
      ${shown ? this.#lines(shown) : html`<p class="forgotten">No step was about one yet.</p>`}
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
      <ol>
        ${shown.lines.map(({ text, by, mark, fresh }) => {
          const named = by === last ? "" : by;
          last = by;
          const words = text.trimStart();
          const deep = `--in: ${text.length - words.length}ch`;
          return html`<li ?data-fresh=${fresh} data-mark=${mark}>
            ${named === "" ? nothing : html`<span class="by">${named}</span>`}<span
              class="text"
              style=${deep}
              >${words}</span
            >
          </li>`;
        })}
      </ol>`;
  }

  #writes(): boolean {
    return this.steps.some(({ kind }) => WRITE.test(kind));
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
    const fresh = this.renderRoot.querySelectorAll("ol > li")[lookedFor(this.shown?.lines ?? [])];
    const scroll = this.renderRoot.querySelector(".scroll");
    if (!(fresh instanceof HTMLElement) || !scroll) return;
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
