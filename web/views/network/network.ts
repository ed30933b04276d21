import { css, html, LitElement, nothing } from "lit";
import type { PacketPath, PodName } from "../../rpc/protocol.ts";
import { reason } from "../../rpc/reason.ts";
import type { Session } from "../../session/session.ts";
import type { Readable } from "../../state/store.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { tableStyle } from "../../ui/table-style.ts";
import { Watched } from "../../ui/watched.ts";

/** The two pods that the address names, as "namespace/name"; empty for none. */
export interface Ends {
  readonly from: string;
  readonly to: string;
}

/** What it stands over. */
export interface NetworkNeeds {
  readonly session: Pick<Session, "pods" | "cluster">;
  readonly ends: Readable<Ends>;
  choose(ends: Ends): void;
}

/** How many pods can be chosen from: a list of a thousand is no choice. */
const CHOICES = 500;

/** The way of a packet between two pods that are chosen, hop by hop, and each node's range of addresses. */
export class NetworkView extends LitElement {
  static override properties = {
    path: { state: true },
    problem: { state: true },
  };
  static override styles = [
    base,
    tableStyle,
    css`
      .bar select {
        max-width: min(36ch, 100%);
      }
      ol {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: grid;
        grid-template-columns: 24px minmax(0, 1fr);
        max-width: 720px;
        font-size: var(--size-m);
      }
      .rail {
        position: relative;
      }
      .rail::before {
        content: "";
        position: absolute;
        inset: 0 auto 0 7px;
        border-left: 2px solid var(--line-strong);
      }
      li:first-child .rail::before {
        top: 12px;
      }
      li:last-child .rail::before {
        bottom: calc(100% - 12px);
      }
      .rail::after {
        content: "";
        position: absolute;
        top: 8px;
        left: 3px;
        width: 10px;
        height: 10px;
        border-radius: 50%;
        background: var(--accent);
      }
      [data-stops] .rail::after {
        content: "✕";
        border-radius: 0;
        background: var(--panel);
        color: var(--failing);
        font: bold var(--size-m) / 10px var(--sans);
      }
      .hop {
        padding: 2px 0 12px;
        overflow-wrap: anywhere;
      }
      .why {
        display: block;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      .mtu {
        color: var(--text-2);
        font: var(--size-s) var(--mono);
      }
    `,
  ];
  declare path: PacketPath | undefined;
  declare problem: string;
  readonly #on: NetworkNeeds;
  readonly #pods;
  readonly #ends;
  #asked = "";

  constructor(on: NetworkNeeds) {
    super();
    this.#on = on;
    this.path = undefined;
    this.problem = "";
    this.#pods = new Watched(this, on.session.pods, 500);
    this.#ends = new Watched(this, on.ends);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#askAgain();
  }

  override render() {
    const names = this.#names();
    const { from, to } = this.#chosen(names);
    void this.#ask(from, to);
    return html`<div class="page">
      <div class="bar">
        ${this.#select("From pod", names, from, (name) => this.#on.choose({ from: name, to }))}
        ${this.#select("To pod", names, to, (name) => this.#on.choose({ from, to: name }))}
        <button class="quiet" @click=${() => this.#on.choose({ from: to, to: from })}>
          The way back
        </button>
        <button class="quiet" @click=${() => this.#askAgain()}>Ask again</button>
      </div>
      ${names.length < 2 ? html`<p class="quiet-text">Two pods with an address are needed. Type <code>kubectl create deployment web --image=nginx --replicas=2</code>.</p>` : nothing}
      ${this.problem ? html`<p role="alert">${this.problem}</p>` : nothing}
      ${this.path ? this.#draw(this.path) : nothing}
    </div>`;
  }

  #draw({ hops, arrives, mtu, subnets }: PacketPath) {
    const size =
      mtu === undefined
        ? "There are no packets on it: what is sent within the tab is handed on in memory, so that there is no MTU."
        : `The largest packet that goes all the way has ${mtu} bytes.`;
    return html`<h2>The way of a packet</h2>
      <p class="quiet-text" role="status">${arrives ? size : "It does not arrive."}</p>
      <ol aria-label="Hops">
        ${hops.map(
          ({ at, by, address, mtu: here, why }) =>
            html`<li ?data-stops=${by === "nothing"}>
              <span class="rail" aria-hidden="true"></span>
              <span class="hop">
                <strong class="mono">${at}</strong>
                ${by === "nothing" ? "goes no further" : html`${by}${address ? html` <span class="mono">${address}</span>` : nothing}`}
                ${here === undefined ? nothing : html`<span class="mtu">MTU ${here}</span>`}
                ${why ? html`<span class="why">${why}</span>` : nothing}
              </span>
            </li>`,
        )}
      </ol>
      <h2>Ranges of the nodes</h2>
      <div class="scroll" tabindex="0" role="region" aria-label="Ranges of the nodes">
        <table>
          <thead>
            <tr>
              <th>Node</th>
              <th>Pods' addresses</th>
              <th>Where</th>
            </tr>
          </thead>
          <tbody>
            ${subnets.map(
              ({ node, pods, inTab }) =>
                html`<tr>
                  <td class="mono">${node}</td>
                  <td class="mono">${pods || "none yet"}</td>
                  <td>${inTab ? "in this tab, in memory" : "a machine, through its tunnel"}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
  }

  #select(label: string, names: readonly string[], chosen: string, choose: (name: string) => void) {
    return html`<label
      >${label}
      <select @change=${(e: Event) => choose((e.target as HTMLSelectElement).value)}>
        ${names.map((name) => html`<option ?selected=${name === chosen}>${name}</option>`)}
      </select></label
    >`;
  }

  /** Pods that have an address. */
  #names(): readonly string[] {
    return [...this.#pods.state.rows.values()]
      .filter(({ object }) => Boolean(object.status.podIP))
      .map(({ object: { metadata } }) => `${metadata.namespace ?? ""}/${metadata.name}`)
      .sort()
      .slice(0, CHOICES);
  }

  #chosen(names: readonly string[]): Ends {
    const { from, to } = this.#ends.state;
    const first = names.includes(from) ? from : (names[0] ?? "");
    return {
      from: first,
      to: names.includes(to) ? to : (names.find((name) => name !== first) ?? ""),
    };
  }

  /** Nodes are stopped, and NetworkPolicies come, without a word here. */
  #askAgain(): void {
    this.#asked = "";
    this.requestUpdate();
  }

  async #ask(from: string, to: string): Promise<void> {
    const asked = `${from} ${to}`;
    if (asked === this.#asked || from === "" || to === "") return;
    this.#asked = asked;
    try {
      const { cluster } = this.#on.session;
      const params = { from: podName(from), to: podName(to) };
      const path = await cluster.client.call("packetPath", params).result;
      if (asked === this.#asked) [this.path, this.problem] = [path, ""];
    } catch (error) {
      if (asked !== this.#asked) return;
      this.path = undefined;
      this.problem = reason(error);
    }
  }
}

function podName(text: string): PodName {
  const [namespace = "", name = ""] = text.split("/");
  return { namespace, name };
}

define("tn-network", NetworkView);
