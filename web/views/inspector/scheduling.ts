import { css, html, nothing } from "lit";
import {
  answerKey,
  decisionRows,
  foundBy,
  type Cell,
  type DecisionRow,
} from "../../kube/decision.ts";
import { CallError } from "../../rpc/client.ts";
import type { PluginAnswer, SchedulingDecision } from "../../rpc/protocol.ts";
import { messageOf } from "../../rpc/reason.ts";
import { base } from "../../ui/base.ts";
import { chosenMark } from "../../ui/chosen.ts";
import { define } from "../../ui/define.ts";
import { wideStyle } from "../../ui/wide-style.ts";
import { ObjectTab } from "./tab.ts";
import { tabStyle } from "./tab-style.ts";

/** Why a pod went where it went, or nowhere: nodes by plugins, of the scheduler's last attempt. */
export class SchedulingTab extends ObjectTab {
  static override properties = {
    ...ObjectTab.properties,
    decision: { state: true },
    problem: { state: true },
    advice: { state: true },
    answers: { state: true },
    asking: { state: true },
  };
  static override styles = [
    base,
    tabStyle,
    wideStyle,
    css`
      h3 {
        margin: 12px 0 4px;
        font-size: var(--size-s);
        font-weight: 600;
      }
      p {
        margin: 0 0 4px;
        overflow-wrap: anywhere;
      }
      .message {
        color: var(--failing);
      }
      table {
        border-collapse: collapse;
        font-variant-numeric: tabular-nums;
      }
      th,
      td {
        padding: 2px 8px 2px 0;
        border-bottom: 1px solid var(--line);
        text-align: right;
        white-space: nowrap;
      }
      th:first-child {
        position: sticky;
        left: 0;
        background: var(--panel);
        text-align: left;
      }
      tbody th {
        font-family: var(--mono);
        font-weight: 400;
      }
      tr[data-chosen] th {
        font-weight: 600;
      }
      td[data-refused] {
        color: var(--failing);
      }
      td button {
        min-width: 24px;
        min-height: 24px;
        padding: 0 4px;
        border: 0;
        background: none;
        color: var(--accent);
        cursor: pointer;
      }
      td button:hover {
        background: var(--hover);
      }
      small {
        font-size: var(--size-s);
        color: var(--text-2);
      }
    `,
  ];
  declare decision: SchedulingDecision | undefined;
  declare problem: string;
  /** What to do about the problem, or where to look; empty if nobody says so. */
  declare advice: string;
  declare answers: ReadonlyMap<string, PluginAnswer>;
  /** What the last cell that was asked came to, in words. */
  declare asking: string;
  #about = "";

  constructor(on: ConstructorParameters<typeof ObjectTab>[0]) {
    super(on);
    this.decision = undefined;
    this.problem = "";
    this.advice = "";
    this.answers = new Map();
    this.asking = "";
  }

  override render() {
    void this.#load();
    if (this.problem)
      return html`<p class="note">${this.problem}</p>
        ${this.advice ? html`<p class="note">${this.advice}</p>` : nothing}`;
    const { decision } = this;
    if (!decision) return nothing;
    const rows = decisionRows(decision, this.answers);
    const late = [...this.answers.values()];
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Scheduling">
      <p>
        Attempt ${decision.attempt} of ${decision.profile} at
        ${new Date(decision.began).toLocaleTimeString("en-GB")}: ${decision.feasible} of
        ${decision.rows.length + decision.moreRows} nodes
        passed${decision.node ? html`, <b class="mono">${decision.node}</b> was chosen${foundBy(decision)}` : nothing}.
      </p>
      ${decision.message ? html`<p class="message">${decision.message}</p>` : nothing}
      ${decision.preemption ? html`<p>Preemption: ${decision.preemption}</p>` : nothing}
      ${decision.nominated ? html`<p>Preemption had made room on ${decision.nominated}.</p>` : nothing}
      ${decision.hint ? html`<p>Tried first, since an equal pod went there: ${decision.hint}.</p>` : nothing}
      ${this.#table("Filters", decision.filters, rows, "filters")}
      ${this.#table(
        "Scores",
        decision.scores.map(({ name, weight }) => `${name} ×${weight}`),
        rows,
        "scores",
      )}
      ${decision.moreRows > 0 ? html`<p>and ${decision.moreRows} more nodes</p>` : nothing}
      <p role="status">${this.asking}</p>
      ${
        late.length > 0
          ? html`<h3>Asked afterwards</h3>
              <ul>
                ${late.map(({ node, plugin, at, filter, score }) => {
                  const said = filter
                    ? [filter.verdict, filter.why].filter(Boolean).join(": ")
                    : score?.scored
                      ? `raw ${score.raw}, normalised ${score.normalized}`
                      : (score?.why ?? "nothing to say");
                  return html`<li>
                    ${plugin}, of <span class="mono">${node}</span>, at
                    ${new Date(at).toLocaleTimeString("en-GB")}: ${said}
                  </li>`;
                })}
              </ul>`
          : nothing
      }
      ${this.subject.deleted ? nothing : legend(rows)}
    </div>`;
  }

  #table(
    title: string,
    plugins: readonly string[],
    rows: readonly DecisionRow[],
    part: "filters" | "scores",
  ) {
    if (plugins.length === 0) return nothing;
    return html`<h3>${title}</h3>
      <div class="wide" tabindex="0" role="region" aria-label=${`Nodes and ${title.toLowerCase()}`}>
        <table>
          <thead>
            <tr>
              <th>Node</th>
              ${part === "scores" ? html`<th>Total</th>` : nothing}
              ${plugins.map((plugin) => html`<th>${plugin}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (row) =>
                html`<tr ?data-chosen=${row.chosen}>
                  <th scope="row">${row.chosen ? chosenMark : nothing}${row.node}</th>
                  ${part === "scores" ? html`<td>${row.total}</td>` : nothing}
                  ${row[part].map((cell) => this.#cell(row.node, cell))}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
  }

  #cell(node: string, cell: Cell) {
    const { text, why, plugin, asked } = cell;
    return html`<td title=${why} ?data-refused=${cell.refused}>
      ${
        cell.open && !this.subject.deleted
          ? html`<button
              aria-label=${`Ask ${plugin} of ${node} now (${why})`}
              @click=${() => void this.#ask(node, plugin)}
            >
              ${text}
            </button>`
          : html`${text}${asked === undefined ? "" : "*"}`
      }
    </td>`;
  }

  async #ask(node: string, plugin: string): Promise<void> {
    const { namespace = "", name } = this.subject.row.object.metadata;
    const about = this.#about;
    this.asking = `Asking ${plugin} of ${node}.`;
    try {
      const { client } = this.on.session.cluster;
      const params = { namespace, name, node, plugin };
      const answer = await client.call("askPlugin", params).result;
      if (about !== this.#about) return;
      this.answers = new Map(this.answers).set(answerKey(node, plugin), answer);
      this.asking = `${plugin} was asked of ${node}.`;
    } catch (error) {
      if (about === this.#about) this.asking = `${plugin} could not be asked: ${messageOf(error)}`;
    }
  }

  /** The last attempt, again whenever the pod has changed. */
  async #load(): Promise<void> {
    const { uid, namespace = "", name, resourceVersion } = this.subject.row.object.metadata;
    const about = `${uid} ${resourceVersion}`;
    if (about === this.#about) return;
    this.#about = about;
    try {
      const params = { namespace, name };
      const decision = await this.on.session.cluster.client.call("decision", params).result;
      if (about !== this.#about) return;
      if (this.decision?.attempt !== decision.attempt || this.decision.uid !== decision.uid) {
        this.answers = new Map();
        this.asking = "";
      }
      this.decision = decision;
      this.problem = "";
    } catch (error) {
      if (about !== this.#about) return;
      this.decision = undefined;
      this.problem = `There is no decision to show: ${messageOf(error)}`;
      this.advice = error instanceof CallError ? (error.hint ?? "") : "";
    }
  }
}

/** What a dash and a star are, where there are any. */
function legend(rows: readonly DecisionRow[]) {
  const cells = rows.flatMap((row) => [...row.filters, ...row.scores]);
  const open = cells.some((cell) => cell.open);
  const asked = cells.some((cell) => cell.asked !== undefined);
  return html`${
    open
      ? html`<p>
          <small
            >–: in this attempt the scheduler did not come to this plugin for this node. Press a –
            to hear what the plugin says today: it looks at the cluster as it is now.</small
          >
        </p>`
      : nothing
  }
  ${asked ? html`<p><small>*: said now, and not in this attempt.</small></p>` : nothing}`;
}

define("tn-object-scheduling", SchedulingTab);
