import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { grown, Shown, type Grown, type GrowthNeeds } from "./growth.ts";

/** An object as it grows: its lines, each with who set it, those of the step looked at standing out. */
export class GrowthView extends LitElement {
  static override properties = {
    steps: { attribute: false },
    step: { attribute: false },
    shown: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        display: block;
        min-height: 0;
        border-left: 1px solid var(--line);
      }
      .scroll {
        position: relative; /* where a line stands is counted from here */
        height: 100%;
        overflow: auto;
      }
      h2 {
        position: sticky;
        inset: 0 0 auto;
        margin: 0;
        padding: 4px 16px;
        background: var(--panel);
        color: var(--text-2);
        font: 400 var(--size-s) var(--mono);
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
      }
    `,
  ];
  /** The steps of the command that is replayed, and the one that is shown. */
  declare steps: readonly TraceStep[];
  declare step: TraceStep | undefined;
  declare shown: Grown | undefined;
  readonly #on: GrowthNeeds;
  readonly #shown = new Shown();

  constructor(on: GrowthNeeds) {
    super();
    this.#on = on;
    this.steps = [];
    this.step = undefined;
    this.shown = undefined;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("step")) return;
    const { step } = this;
    this.#shown.begin(this.steps[0]?.id);
    if (!step) this.#shown.clear();
    else {
      // What was grown stays until the next is known, or for good if the step is about no object.
      void grown(this.#on, this.steps, step).then((found) => {
        if (this.step !== step) return;
        this.#shown.found(step, found);
        this.shown = this.#shown.now;
      });
    }
    this.shown = this.#shown.now;
  }

  override render() {
    const { shown } = this;
    this.hidden = shown === undefined;
    if (!shown) return nothing;
    let last = "";
    return html`<div
      class="scroll"
      tabindex="0"
      role="region"
      aria-label="${shown.name}, as it grows"
    >
      <h2>${shown.name}</h2>
      ${
        shown.forgotten > 0
          ? html`<p class="forgotten">
              etcd has forgotten ${shown.forgotten} of its versions (compaction): whose change is
              whose is not known there.
            </p>`
          : nothing
      }
      ${shown.awaited === "" ? nothing : html`<p class="forgotten">${shown.awaited}</p>`}
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
      </ol>
    </div>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has("shown")) return;
    this.dispatchEvent(new Event("grown"));
    // Each write has a new version: what else it brought is what one looks for.
    const all = [...this.renderRoot.querySelectorAll("[data-fresh]")];
    const fresh = all.find((line) => !line.textContent.includes("resourceVersion:")) ?? all[0];
    const scroll = this.renderRoot.querySelector(".scroll");
    if (!(fresh instanceof HTMLElement) || !scroll) return;
    // The page itself is not to move.
    scroll.scrollTop = fresh.offsetTop - scroll.clientHeight / 3;
  }
}

define("tn-growth", GrowthView);
