import { css, html, LitElement } from "lit";
import type { App } from "../app.ts";
import { podState } from "../kube/podstate.ts";
import { Watched } from "../state/watched.ts";
import { base } from "./base.ts";
import { glyph, glyphStyle } from "./glyph.ts";

/** Version and counts in the header. */
export class CountsView extends LitElement {
  static override styles = [
    base,
    glyphStyle,
    css`
      div {
        display: flex;
        gap: 20px;
        font-size: var(--size-s);
        color: var(--text-2);
      }
      b {
        font-weight: 600;
        color: var(--text);
      }
      .failing b {
        color: var(--failing);
      }
      .pending.some b {
        color: var(--pending);
      }
      .stale {
        color: var(--failing);
      }
      span {
        display: inline-flex;
        align-items: center;
        gap: 1ch;
      }
      .glyph {
        display: none;
      }
      @media (max-width: 799px) {
        div {
          gap: 10px;
        }
        .version,
        .stale,
        .pending:not(.some) {
          display: none;
        }
        .glyph {
          display: block;
        }
        .word {
          position: absolute;
          clip-path: inset(50%);
        }
      }
    `,
  ];
  readonly #app: App;
  readonly #pods;
  readonly #nodes;

  constructor(app: App) {
    super();
    this.#app = app;
    this.#pods = new Watched(this, app.pods, 100);
    this.#nodes = new Watched(this, app.nodes);
    new Watched(this, app.version);
    new Watched(this, app.stale);
  }

  override render() {
    const version = this.#app.version.state;
    if (!this.#pods.state.synced || !this.#nodes.state.synced) return html`<div></div>`;
    const states = [...this.#pods.state.rows.values()].map(podState);
    const count = (state: string) => states.filter((s) => s === state).length;
    const failing = count("failing");
    const pending = count("pending");
    const stale = this.#app.stale.state;
    return html`<div class="mono">
      <span class="version">${version}</span>
      <span>${amount(this.#nodes.state.rows.size, "node")}</span>
      <span>${amount(states.length, "pod")}</span>
      <span class=${pending > 0 ? "pending some" : "pending"}>
        ${glyph("pending")} <b>${pending}</b> <span class="word">pending</span>
      </span>
      ${
        failing > 0
          ? html`<span class="failing">
              ${glyph("failing")} <b>${failing}</b> <span class="word">failing</span>
            </span>`
          : ""
      }
      ${stale ? html`<span class="stale ellipsis" title=${stale}>not live: ${stale}</span>` : ""}
    </div>`;
  }
}

function amount(n: number, noun: string) {
  return html`<b>${n}</b> ${noun}${n === 1 ? "" : "s"}`;
}

customElements.define("tn-counts", CountsView);
