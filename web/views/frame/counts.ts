import { define } from "../../ui/define.ts";
import { css, html, LitElement } from "lit";
import type { Session } from "../../session/session.ts";
import { podState } from "../../kube/podstate.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { glyph, glyphStyle } from "../../ui/glyph.ts";

/** What it stands over. */
export interface CountsNeeds {
  session: Pick<Session, "nodes" | "pods" | "stale" | "version">;
}

/** Version and counts in the header. */
export class CountsView extends LitElement {
  static override styles = [
    base,
    glyphStyle,
    css`
      div {
        display: flex;
        align-items: center;
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
      .standin b {
        color: var(--standin);
      }
      .pending.some b {
        color: var(--pending);
      }
      .stale {
        color: var(--failing);
      }
      /* One line of text each, so that number and word are read together. */
      div > span {
        white-space: nowrap;
      }
      .glyph {
        display: none;
        vertical-align: text-bottom;
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
          display: inline-block;
        }
        .word {
          position: absolute;
          clip-path: inset(50%);
        }
      }
      /* There is room for what is wrong, or for how many nodes there are. */
      @media (max-width: 479px) {
        div:has(.some, .failing, .standin) .nodes {
          display: none;
        }
      }
    `,
  ];
  readonly #on: CountsNeeds;
  readonly #pods;
  readonly #nodes;

  constructor(on: CountsNeeds) {
    super();
    this.#on = on;
    this.#pods = new Watched(this, on.session.pods, 100);
    this.#nodes = new Watched(this, on.session.nodes);
    new Watched(this, on.session.version);
    new Watched(this, on.session.stale);
  }

  override render() {
    const version = this.#on.session.version.state;
    if (!this.#pods.state.synced || !this.#nodes.state.synced) return html`<div></div>`;
    const states = [...this.#pods.state.rows.values()].map(podState);
    const count = (state: string) => states.filter((s) => s === state).length;
    const failing = count("failing");
    const pending = count("pending");
    const standins = count("standin");
    const stale = this.#on.session.stale.state;
    return html`<div class="mono">
      <span class="version">${version}</span>
      <span class="nodes">${amount(this.#nodes.state.rows.size, "node")}</span>
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
      ${
        standins > 0
          ? html`<span class="standin" title="Pods with an image that the tab does not have">
              ${glyph("standin")} <b>${standins}</b>
              <span class="word">stand-in${standins === 1 ? "" : "s"}</span>
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

define("tn-counts", CountsView);
