import { reason } from "../../rpc/reason.ts";
import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing } from "lit";
import type { Session } from "../../session/session.ts";
import type { HubConnection } from "../../hub/connection.ts";
import { sh } from "../../kube/shell-line.ts";
import type { InviteResult } from "../../rpc/protocol.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { copy } from "../../ui/copy.ts";

/** What it stands over. */
export interface ConnectNeeds {
  session: Pick<Session, "cluster">;
  hub: HubConnection;
}

/** How a Linux machine becomes a node: a line with an expiring token, to copy to it. */
export class ConnectView extends LitElement {
  static override properties = {
    invitation: { state: true },
    problem: { state: true },
    busy: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        margin-top: 16px;
        padding-top: 12px;
        border-top: 1px solid var(--line);
        font-size: var(--size-s);
      }
      h2 {
        margin: 0 0 4px;
        font-size: var(--size-m);
        font-weight: 600;
      }
      p {
        max-width: 80ch;
        margin: 0 0 8px;
        color: var(--text-2);
      }
      .bad {
        color: var(--failing);
      }
      .line {
        display: flex;
        align-items: start;
        gap: 8px;
        margin-bottom: 8px;
        padding: 8px;
        border: 1px solid var(--line);
        background: var(--raised);
      }
      code {
        font-family: var(--mono);
        color: var(--text);
      }
      .line code {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];
  declare invitation: InviteResult | undefined;
  declare problem: string;
  declare busy: boolean;
  readonly #on: ConnectNeeds;
  readonly #hub;

  constructor(on: ConnectNeeds) {
    super();
    this.#on = on;
    this.problem = "";
    this.busy = false;
    this.#hub = new Watched(this, on.hub.state);
  }

  override render() {
    const { tunnel } = this.#hub.state;
    return html`<h2>Connect a Linux machine</h2>
      ${
        tunnel === "none"
          ? html`<p>
              A real machine with real containers reaches this tab through a hub: serve the page
              with <code>nodehost serve</code> (<code>make serve</code>) and open the address that
              it prints.
            </p>`
          : html`<p>
                Its kubelet, containers and network run there; this tab stays the control plane.
                Pods go there that tolerate <code>node.tabernetes.internal/kind</code>, or all of
                them when it joins with <code>--mix</code>.
              </p>
              <button
                class="button"
                ?disabled=${this.busy || tunnel !== "up"}
                @click=${() => void this.#invite()}
              >
                ${this.invitation ? "Make another line" : "Make a line to copy"}
              </button>`
      }
      ${this.problem ? html`<p class="bad" role="alert">${this.problem}</p>` : nothing}
      ${this.invitation ? this.#line(this.invitation) : nothing}`;
  }

  #line({ line, expires }: InviteResult) {
    return html`<p></p>
      <div class="line" role="status">
        <code>${line}</code><button class="quiet" @click=${copy(line)}>Copy</button>
      </div>
      <p>
        Whoever has the line can join until ${new Date(expires).toLocaleString()}:
        <code>${sh`kubectl -n kube-system delete secret ${`bootstrap-token-${this.#id}`}`}</code>
        takes it back.
        ${
          ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)
            ? html`The hub listens on this machine only; for others start it with
                <code>nodehost serve --listen ADDRESS:PORT</code>.`
            : nothing
        }
      </p>`;
  }

  get #id(): string {
    return this.invitation?.token.split(".")[0] ?? "";
  }

  async #invite(): Promise<void> {
    this.busy = true;
    this.problem = "";
    try {
      const { name: cluster, certHash } = this.#hub.state;
      const params = { hub: location.origin, cluster, certHash };
      this.invitation = await this.#on.session.cluster.client.call("invite", params).result;
      await this.updateComplete;
      this.scrollIntoView({ block: "end" });
    } catch (error) {
      this.problem = reason(error);
    }
    this.busy = false;
  }
}

define("tn-connect", ConnectView);
