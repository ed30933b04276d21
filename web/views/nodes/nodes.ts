import { byName } from "../../kube/order.ts";
import { reason } from "../../rpc/reason.ts";
import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ConnectNeeds } from "./connect.ts";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { age, humanDuration } from "../../kube/age.ts";
import type { Consumption } from "../../kube/consumption.ts";
import { clockTime } from "../../kube/gone.ts";
import { actionsFor, nodeState, type NodeAction } from "../../kube/nodes.ts";
import type { Node, Row } from "../../kube/types.ts";
import { bytes, trim, usage, type Usage } from "../../map/capacity.ts";
import type { InTabState, Slept } from "../../rpc/protocol.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { ConnectView } from "./connect.ts";
import { tableStyle } from "../../ui/table-style.ts";

/** Widths in characters: with the cells' own, the table would shift as they change. */
const COLUMNS: readonly { name: string; width: number; narrow?: number; title?: string }[] = [
  { name: "Name", width: 12 },
  // On a phone the last of them stand in a second line: none is beyond its edge.
  { name: "Actions", width: 50, narrow: 38 },
  { name: "Status", width: 30 },
  { name: "Address", width: 15 },
  { name: "Pods", width: 9 },
  { name: "CPU", width: 10, title: "Requested by its pods, of what it has" },
  { name: "Memory", width: 14, title: "Requested by its pods, of what it has" },
  {
    name: "Disk",
    width: 14,
    title: "Ephemeral storage: requested by its pods, of what they may have",
  },
  {
    name: "In use",
    width: 28,
    title: "As the node's kubelet measures it; in-tab nodes measure files only",
  },
  { name: "Age", width: 8 },
];

/** Of the whole table: a name of any length makes it no wider. */
const TABLE_WIDTH = COLUMNS.reduce((sum, { width }) => sum + width, 0);
const NARROW_WIDTH = COLUMNS.reduce((sum, { width, narrow }) => sum + (narrow ?? width), 0);

/** What it stands over. */
export type NodesNeeds = ConnectNeeds & {
  session: Pick<Session, "cluster" | "gone" | "measurements" | "nodes" | "pods">;
  page: Pick<Page, "selection" | "terminal">;
};

/** The nodes, and what can be done to them: by kubectl in the terminal, or as a fault. */
export class NodesView extends LitElement {
  static override properties = {
    states: { state: true },
    about: { state: true },
    busy: { state: true },
    said: { state: true },
    cores: { state: true },
    memory: { state: true },
    disk: { state: true },
  };
  static override styles = [
    base,
    tableStyle,
    css`
      .ready {
        color: var(--running);
      }
      .notready {
        color: var(--failing);
      }
      /* Nothing may shift under the pointer: every column has its width, whatever stands in it,
         every row room for the second line, and every action its place. */
      table {
        width: ${TABLE_WIDTH}ch;
        min-width: 100%;
        table-layout: fixed;
      }
      td {
        height: 44px;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      /* What cuts a text off would cut off the ring around a button. */
      td :focus-visible {
        outline-offset: -2px;
      }
      .gone {
        display: block;
        white-space: nowrap;
      }
      .act {
        display: inline-block;
        width: 8ch;
      }
      .act:first-child {
        width: 10ch;
      }
      .act.wide {
        width: 12ch;
        margin-left: 1ch;
      }
      @media (max-width: 799px) {
        table {
          width: ${NARROW_WIDTH}ch;
        }
        col {
          width: var(--narrow) !important; /* over its own style */
        }
        td {
          height: 88px;
        }
        td.actions {
          white-space: normal;
          line-height: 36px; /* two lines of what a finger hits */
        }
        .act.wide {
          margin-left: 0;
        }
      }
      /* Of one height whatever it says: the page would else scroll under the pointer that asks. */
      .about {
        height: 88px;
        overflow-y: auto;
        margin: 8px 0;
        color: var(--text-2);
      }
      .said {
        color: var(--text);
      }
      .said[data-failed] {
        color: var(--failing);
      }
    `,
  ];
  declare states: ReadonlyMap<string, InTabState>;
  /** The action whose meaning is shown. */
  declare about: NodeAction | undefined;
  declare busy: string;
  declare said: { text: string; failed: boolean } | undefined;
  declare cores: number;
  declare memory: number;
  declare disk: number;
  readonly #on: NodesNeeds;
  readonly #nodes;
  readonly #pods;
  readonly #consumption;
  readonly #gone;
  readonly #slept;
  readonly #connect;
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor(on: NodesNeeds) {
    super();
    this.#on = on;
    this.states = new Map();
    this.busy = "";
    this.cores = 0;
    this.memory = 0;
    this.disk = 0;
    this.#connect = new ConnectView(on);
    this.#consumption = new Watched(this, on.session.measurements.store);
    this.#gone = new Watched(this, on.session.gone);
    this.#slept = new Watched(this, on.session.cluster.slept);
    this.#nodes = new Watched(this, on.session.nodes);
    this.#pods = new Watched(this, on.session.pods, 250);
    // The nodes come after the API.
    for (const reached of [on.session.cluster.serving, on.session.cluster.ready]) {
      reached.then(
        () => this.#do("list"),
        () => undefined,
      );
    }
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // How long a node is gone grows without any message.
    this.#ticker = setInterval(() => this.#gone.state.size > 0 && this.requestUpdate(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticker);
  }

  override render() {
    const rows = [...this.#nodes.state.rows.values()].sort((a, b) =>
      byName(a.object.metadata.name, b.object.metadata.name),
    );
    const used = usage(rows, this.#pods.state.rows.values());
    return html`<div class="page">
      <form class="bar" @submit=${this.#add}>
        <button class="button primary" ?disabled=${this.busy !== ""}>Add a node</button>
        <label
          >of
          <input
            type="number"
            min="1"
            max="64"
            placeholder="4"
            aria-label="Cores of the new node"
            @input=${(event: Event) => (this.cores = numberOf(event))}
          />
          cores</label
        >
        <label
          >with
          <input
            type="number"
            min="256"
            step="256"
            placeholder="8192"
            aria-label="Memory of the new node in MiB"
            @input=${(event: Event) => (this.memory = numberOf(event))}
          />
          MiB of memory,</label
        >
        <label
          >a disk of
          <input
            type="number"
            min="64"
            step="1"
            placeholder="same"
            aria-label="Disk of the new node in MiB"
            @input=${(event: Event) => (this.disk = numberOf(event))}
          />
          MiB</label
        >
        <span class="quiet-text">Starts one more kubelet in this tab.</span>
      </form>
      ${
        rows.length === 0
          ? html`<p class="quiet-text">No nodes yet: they register as the cluster starts.</p>`
          : this.#table(rows, used)
      }
      <div class="about" aria-live="polite">
        ${this.busy ? html`<p class="said">${this.busy}</p>` : nothing}
        ${this.said ? html`<p class="said" ?data-failed=${this.said.failed}>${this.said.text}</p>` : nothing}
        ${this.about ? html`<p>${meaning(this.about)}</p>` : nothing}
        ${this.#slept.state ? html`<p>${asleep(this.#slept.state)}</p>` : nothing}
      </div>
      ${this.#connect}
    </div>`;
  }

  #table(rows: Row<Node>[], used: ReadonlyMap<string, Usage>) {
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Nodes">
      <table>
        <colgroup>
          ${COLUMNS.map(
            ({ width, narrow = width }) =>
              html`<col style=${`width: ${width}ch; --narrow: ${narrow}ch`} />`,
          )}
        </colgroup>
        <thead>
          <tr>
            ${COLUMNS.map(({ name, title }) => html`<th title=${title ?? nothing}>${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${repeat(
            rows,
            (row) => row.object.metadata.uid,
            (row) => this.#row(row, used.get(row.object.metadata.name)),
          )}
        </tbody>
      </table>
    </div>`;
  }

  #row(row: Row<Node>, used: Usage | undefined) {
    const { name, uid, creationTimestamp } = row.object.metadata;
    const state = this.states.get(name);
    const { well, text, why } = nodeState(row);
    return html`<tr>
      <td class="mono">
        <button
          class="link"
          @click=${() => this.#on.page.selection.dispatch({ kind: "node", name, uid })}
        >
          ${name}
        </button>
      </td>
      <td class="actions">
        ${actionsFor(row, state).map(
          (action) =>
            html`<span class=${action.action === "shutdown" ? "act wide" : "act"}
              ><button
                class="quiet"
                aria-label=${`${action.verb} ${name}: ${action.line ?? action.fault ?? ""}`}
                title=${action.line ?? action.fault ?? ""}
                ?disabled=${this.busy !== "" && action.action !== undefined}
                @focus=${() => (this.about = action)}
                @pointerenter=${() => (this.about = action)}
                @click=${() => this.#act(name, action)}
              >
                ${action.verb}
              </button></span
            >`,
        )}
      </td>
      <td class=${well ? "ready" : "notready"} title=${why}>
        ${text}${state && state !== "running" ? html` <span class="quiet-text">(${state})</span>` : nothing}
        ${this.#goneSince(name)}
      </td>
      <td class="mono">${row.cells["Internal-IP"] ?? ""}</td>
      <td class="mono">${used ? `${used.pods.requested}/${used.pods.of}` : ""}</td>
      <td class="mono">${used ? `${trim(used.cpu.requested)}/${trim(used.cpu.of)}` : ""}</td>
      <td class="mono">
        ${used ? `${bytes(used.memory.requested)}/${bytes(used.memory.of)}` : ""}
      </td>
      <td class="mono">${used ? `${bytes(used.disk.requested)}/${bytes(used.disk.of)}` : ""}</td>
      <td class="mono">${inUse(this.#consumption.state.get(name))}</td>
      <td class="mono">${age(creationTimestamp, Date.now())}</td>
    </tr>`;
  }

  #goneSince(name: string) {
    const at = this.#gone.state.get(name);
    if (at === undefined) return nothing;
    const now = Date.now();
    const title = "Its lease was renewed then for the last time; what runs there goes on.";
    return html`<span class="gone quiet-text" title=${title}
      >gone since
      <time datetime=${new Date(at).toISOString()}>${clockTime(at, now)}</time>
      (${humanDuration(now - at)})</span
    >`;
  }

  #add(event: Event): void {
    event.preventDefault();
    this.busy = "Starting a kubelet …";
    void this.#do("add", "", ({ name = "" }) => `node/${name} is Ready`);
  }

  #act(name: string, { verb, line, action }: NodeAction): void {
    if (line) {
      this.#on.page.terminal?.run(line);
      return;
    }
    if (!action) return;
    if (action === "shutdown") {
      // Nothing waits for it: it takes as long as the pods have.
      this.states = new Map(this.states).set(name, "shutting down");
      this.said = { text: `node/${name} shuts down: its pods end.`, failed: false };
      void this.#do(action, name, () => `node/${name} is off`);
      return;
    }
    this.busy = `${verb} ${name} …`;
    void this.#do(
      action,
      name,
      () => `node/${name} ${{ stop: "stopped", heal: "healed", remove: "removed" }[action]}`,
    );
  }

  async #do(
    action: "list" | "add" | "shutdown" | "stop" | "heal" | "remove",
    name = "",
    words?: (result: { name?: string }) => string,
  ): Promise<void> {
    try {
      const result = await this.#on.session.cluster.client.call("nodes", {
        action,
        name,
        ...(action === "add" ? { cpu: this.cores, memory: this.memory, disk: this.disk } : {}),
      }).result;
      this.states = new Map(result.nodes.map(({ name, state }) => [name, state]));
      if (words) this.said = { text: words(result), failed: false };
    } catch (error) {
      const text = reason(error);
      if (words) this.said = { text, failed: true };
    }
    if (action !== "shutdown") this.busy = "";
  }
}

function inUse(measured: Consumption | undefined): string {
  if (!measured) return "";
  const { cpu, memory, disk } = measured;
  return [
    cpu === undefined ? "" : `cpu ${trim(cpu)}`,
    memory === undefined ? "" : `mem ${bytes(memory)}`,
    disk === undefined ? "" : `disk ${bytes(disk)}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

/** What was frozen with the tab: nobody was found gone while nobody could be heard. */
function asleep({ at, milliseconds }: Slept): string {
  const from = clockTime(at - milliseconds, at);
  return `The tab was asleep from ${from} to ${clockTime(at, at)}. Leases and evictions stood still with it.`;
}

function meaning({ verb, line, fault, same }: NodeAction) {
  return line
    ? html`${verb} runs in the terminal: <code class="mono">${line}</code>`
    : html`${verb} is <code class="mono">${same}</code>. ${fault}`;
}

function numberOf(event: Event): number {
  const { value } = event.target as HTMLInputElement;
  return Math.max(0, Math.round(Number(value) || 0));
}

define("tn-nodes", NodesView);
