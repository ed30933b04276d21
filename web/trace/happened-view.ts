import { css, html, LitElement, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { Watched } from "../ui/watched.ts";
import type { TraceFeed } from "./feed.ts";
import { happened } from "./happened.ts";
import { partButton, type PartNeeds } from "./part.ts";
import { commands, justHappened } from "./told.ts";
import { sentence } from "./words.ts";

/** How many commands the list has when it is unfolded. */
const LISTED = 12;

/** What it stands over. */
export interface HappenedNeeds extends PartNeeds {
  readonly trace: TraceFeed;
  /** Has a command told slowly, from its beginning. */
  slowly(command: TraceStep): void;
}

/** Under the terminal: what the last command set off, and, unfolded, the ones before it. */
export class HappenedView extends LitElement {
  static override properties = { open: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        border-top: 1px solid var(--line);
        background: var(--panel);
        font-size: var(--size-s);
      }
      .line {
        display: flex;
        align-items: center;
        gap: 4px;
        min-height: 28px;
        padding: 0 8px 0 4px;
      }
      .told {
        display: flex;
        flex: 1;
        align-items: center;
        gap: 2px;
        min-width: 0;
      }
      .parts {
        display: flex;
        align-items: center;
        gap: 2px;
        min-width: 0;
        overflow-x: auto;
        scrollbar-width: none;
        white-space: nowrap;
      }
      /* On a phone it goes on behind the edge, and is moved by a finger. */
      @media (max-width: 799px) {
        .told > .parts {
          padding-right: 16px;
          mask-image: linear-gradient(to left, transparent, #000 16px);
        }
      }
      .parts :is(button, .arrow) {
        font-family: var(--mono);
        font-variant-numeric: tabular-nums;
      }
      .parts button {
        flex: none;
        min-height: 24px; /* so that a finger finds it between two lines (WCAG 2.5.8) */
        max-width: 60ch;
        padding: 2px 5px;
        border: 0;
        border-radius: 4px;
        background: none;
        cursor: pointer;
      }
      /* Two lines of it have their place from the beginning: the terminal does not jump. */
      @media (min-width: 800px) {
        .line {
          min-height: 48px;
        }
        .told {
          flex-wrap: wrap;
          max-height: 50px; /* of much more two lines are in sight, and the terminal keeps its room */
          overflow-y: auto;
        }
        .told > .parts {
          display: contents;
        }
        .parts {
          flex-wrap: wrap;
        }
      }
      .parts button:hover {
        background: var(--hover);
      }
      .parts button:focus-visible {
        outline-offset: -2px;
      }
      .parts [data-failed] {
        color: var(--failing);
      }
      .tell {
        flex: none;
        min-height: 24px;
        color: var(--accent);
      }
      .arrow,
      .none {
        color: var(--text-2);
      }
      .none {
        margin: 0;
        padding-left: 8px;
      }
      ol {
        max-height: min(180px, 11vh); /* the terminal above stays in sight */
        margin: 0;
        padding: 4px 8px 8px 28px;
        overflow-y: auto;
        border-top: 1px solid var(--line);
        list-style: none;
      }
      li {
        padding: 3px 0;
      }
      li > .said {
        color: var(--text-2);
        font-family: var(--mono);
      }
    `,
  ];
  declare open: boolean;
  readonly #on: HappenedNeeds;

  constructor(on: HappenedNeeds) {
    super();
    this.#on = on;
    this.open = false;
    new Watched(this, on.trace.version, 200);
  }

  override render() {
    const { trace } = this.#on;
    const all = commands(trace.steps);
    const last = justHappened(trace, all) ?? all.at(-1);
    if (!last) {
      return html`<p class="none line">What a command sets off is told here.</p>`;
    }
    const before = this.open ? all.slice(-LISTED).reverse() : [];
    return html`<div class="line">
        <button
          class="quiet"
          aria-expanded=${this.open}
          aria-label="What just happened: earlier commands"
          @click=${() => (this.open = !this.open)}
        >
          ${this.open ? "▾" : "▸"}
        </button>
        <div class="told">${this.#parts(last)}</div>
        ${this.#tell(last)}
      </div>
      ${
        this.open
          ? html`<ol aria-label="Commands, the last one first" tabindex="0">
              ${before.map(
                (command) =>
                  html`<li>
                    <span class="said">$ ${sentence(command)}</span>
                    ${this.#tell(command)} ${this.#parts(command)}
                  </li>`,
              )}
            </ol>`
          : nothing
      }`;
  }

  #tell(command: TraceStep) {
    const words = "Tell it slowly";
    return html`<button
      class="quiet tell"
      aria-label="${words}: ${sentence(command)}"
      title="Shows it in the journey, step by step: ${sentence(command)}"
      @click=${() => this.#on.slowly(command)}
    >
      ${words}
    </button>`;
  }

  #parts(command: TraceStep) {
    const parts = happened(this.#on.trace, command);
    return html`<div class="parts" role="group" aria-label="What ${sentence(command)} set off">
      ${
        parts.length === 0
          ? html`<button @click=${() => this.#on.look(command)}>${sentence(command)}</button>`
          : parts.map(
              (part, i) =>
                html`${i > 0 ? html`<span class="arrow" aria-hidden="true">→</span>` : nothing}
                ${partButton(part, this.#on, part.text, "ellipsis")}`,
            )
      }
    </div>`;
  }
}

define("tn-happened", HappenedView);
