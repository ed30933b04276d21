import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing } from "lit";
import { sh } from "../../kube/shell-line.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { dialogStyle } from "../../ui/dialog-style.ts";
import { copy } from "../../ui/copy.ts";
import type { HubConnection, HubState } from "../../hub/connection.ts";

/** In the header: whether programs outside the page reach the cluster, and how they do. */
export class HubView extends LitElement {
  static override styles = [
    base,
    dialogStyle,
    css`
      .lost {
        color: var(--failing);
      }
      dialog {
        width: min(560px, calc(100vw - 24px));
        margin: 48px 16px auto auto;
        padding: 16px;
        font-size: var(--size-s);
      }
      h2 {
        margin: 0 0 8px;
        font-size: var(--size-m);
        font-weight: 600;
      }
      p {
        margin: 0 0 8px;
        color: var(--text-2);
        overflow-wrap: anywhere;
      }
      .line {
        display: flex;
        align-items: baseline;
        gap: 8px;
        margin-bottom: 12px;
      }
      .line code {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
        color: var(--text);
        font-family: var(--mono);
      }
      @media (max-width: 799px) {
        .word {
          position: absolute;
          clip-path: inset(50%);
        }
      }
    `,
  ];
  readonly #state;

  constructor(hub: HubConnection) {
    super();
    this.#state = new Watched(this, hub.state);
  }

  override render() {
    const state = this.#state.state;
    if (state.tunnel === "none") return nothing;
    return html`<button
        class="quiet mono ${state.tunnel === "up" ? "" : "lost"}"
        title="How programs outside this page reach the cluster"
        aria-haspopup="dialog"
        @click=${() => this.#dialog?.showModal()}
      >
        hub<span class="word"> ${word(state)}</span>
      </button>
      <dialog aria-labelledby="title" @click=${this.#outside}>
        <h2 id="title">${heading(state)}</h2>
        ${state.error ? html`<p class="lost" role="status">${state.error}</p>` : nothing}
        ${state.tunnel === "up" ? this.#ways(state) : nothing}
        <button class="button" @click=${() => this.#dialog?.close()}>Close</button>
      </dialog>`;
  }

  #ways({ name, addresses }: HubState) {
    const line = sh`nodehost kubeconfig --cluster ${name}`;
    return html`<p>
        The hub passes on what it cannot read: TLS begins in the program and ends in this tab.
        ${addresses.length > 0 ? html`It listens on <code>${addresses.join(", ")}</code>.` : nothing}
      </p>
      <p>For kubectl, helm and others on that machine; this page will ask you whether it may:</p>
      <div class="line">
        <code>${line}</code><button class="quiet" @click=${copy(line)}>Copy</button>
      </div>
      <p>
        A Linux machine joins with a line from
        <a href="#/nodes" @click=${() => this.#dialog?.close()}>Nodes</a>.
      </p>`;
  }

  #outside(event: Event): void {
    if (event.target === this.#dialog) this.#dialog?.close();
  }

  get #dialog() {
    return this.renderRoot.querySelector("dialog");
  }
}

function word({ tunnel, name }: HubState): string {
  if (tunnel === "up") return name;
  return tunnel === "lost" ? "lost" : tunnel === "refused" ? "refused" : "…";
}

function heading({ tunnel, name }: HubState): string {
  switch (tunnel) {
    case "up":
      return `Reached as ${name}`;
    case "lost":
      return "The hub does not answer; dialling again";
    case "refused":
      return "The hub refused this page";
    default:
      return "Dialling the hub";
  }
}

define("tn-hub", HubView);
