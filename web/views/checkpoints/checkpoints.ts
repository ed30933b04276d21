import { css, html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { changesIn, sentenceOf } from "../../cluster/going-back.ts";
import { nameProblem } from "../../kept/clusters.ts";
import { listKept } from "../../kept/kept.ts";
import type { Checkpoint, CheckpointDifference, Checkpoints } from "../../rpc/protocol.ts";
import { reason } from "../../rpc/reason.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { keptTableStyle, tableStyle } from "../../ui/table-style.ts";

/** What it stands over. */
export interface CheckpointsNeeds {
  session: Pick<Session, "cluster">;
}

/** What is known of the one that somebody looks at. */
interface Looked {
  id: number;
  /** Undefined while it is compared. */
  difference: CheckpointDifference | undefined;
}

/** The moments of this cluster that are remembered: what going back would change, and going back. */
export class CheckpointsView extends LitElement {
  static override properties = {
    checkpoints: { state: true },
    looked: { state: true },
    said: { state: true },
    busy: { state: true },
    stays: { state: true },
  };
  static override styles = [
    base,
    tableStyle,
    keptTableStyle,
    css`
      .page {
        max-width: 900px;
      }
      input {
        width: 26ch;
      }
      td {
        vertical-align: top;
      }
      td.why {
        width: 100%;
      }
      td.why,
      td[colspan] {
        overflow-wrap: anywhere;
        white-space: normal;
      }
      time {
        white-space: nowrap;
      }
      ul {
        max-height: 14em;
        margin: 4px 0;
        padding: 0;
        overflow: auto;
        list-style: none;
      }
      li {
        white-space: pre-wrap;
      }
    `,
  ];
  /** The last one first; undefined until they are read. */
  declare checkpoints: readonly Checkpoint[] | undefined;
  /** Whether they outlive the tab, in a sentence. */
  declare stays: string;
  declare looked: Looked | undefined;
  declare said: { text: string; failed: boolean };
  declare busy: boolean;
  readonly #on: CheckpointsNeeds;

  constructor(on: CheckpointsNeeds) {
    super();
    this.#on = on;
    this.checkpoints = undefined;
    this.stays = "";
    this.looked = undefined;
    this.said = { text: "", failed: false };
    this.busy = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#try("", () => Promise.resolve(""));
  }

  override render() {
    return html`<div class="page">
      <h2>Go back</h2>
      <p class="quiet-text">
        Before each command that may change something, and before what the page itself deletes or
        applies, it remembers what the cluster held. Going back writes that again: what was deleted
        comes back, what was changed is as it was, what came later goes. Containers begin anew, with
        nothing of what they had in memory or in files of their own. ${this.stays}
      </p>
      <form class="row" @submit=${this.#take}>
        <input
          aria-label="What to call this moment"
          placeholder="Name, such as begin"
          maxlength="100"
        />
        <button class="button" ?disabled=${this.busy}>Remember now</button>
        <button type="button" class="quiet" ?disabled=${this.busy} @click=${this.#again}>
          Look again
        </button>
      </form>
      <p role="status" ?data-failed=${this.said.failed}>${this.said.text}</p>
      ${this.#list()}
    </div>`;
  }

  #list() {
    const { checkpoints } = this;
    if (!checkpoints) return nothing;
    if (checkpoints.length === 0) {
      return html`<p class="quiet-text">Nothing is remembered yet: nothing was changed.</p>`;
    }
    return html`<table>
      <thead>
        <tr>
          <th>At</th>
          <th>Before</th>
          <th>Objects</th>
          <th></th>
        </tr>
      </thead>
      <tbody>
        ${repeat(
          checkpoints,
          ({ id }) => id,
          (one) => {
            const looked = this.looked?.id === one.id ? this.looked : undefined;
            return html`<tr>
                <td>
                  <time class="mono" datetime=${one.time}
                    >${moment(new Date(one.time), new Date())}</time
                  >
                </td>
                <td class="why">
                  <span class=${one.asked ? "" : "mono"}>${one.why || "(no name)"}</span>
                </td>
                <td class="mono">${one.objects}</td>
                <td>
                  <div class="acts">
                    <button
                      class="button"
                      aria-expanded=${looked !== undefined}
                      ?disabled=${this.busy}
                      @click=${() => this.#look(one.id)}
                    >
                      What would change
                    </button>
                  </div>
                </td>
              </tr>
              ${
                looked
                  ? html`<tr>
                      <td colspan="4">${this.#difference(looked)}</td>
                    </tr>`
                  : nothing
              }`;
          },
        )}
      </tbody>
    </table>`;
  }

  #difference({ id, difference }: Looked) {
    if (!difference) return html`<p class="quiet-text">Compared …</p>`;
    const shown = difference.objects.length;
    const all = difference.comesBack + difference.changes + difference.goes;
    return html`<p>${sentenceOf(difference)}</p>
      ${
        shown === 0
          ? nothing
          : html`<ul class="mono" tabindex="0" aria-label="What would change">
              ${changesIn(difference).map((line) => html`<li>${line}</li>`)}
              ${all > shown ? html`<li>… and ${all - shown} more</li>` : nothing}
            </ul>`
      }
      <div class="row">
        <button
          class="button primary"
          ?disabled=${this.busy || all === 0}
          @click=${() => this.#restore(id)}
        >
          Go back to here
        </button>
      </div>
      <form class="row" @submit=${(event: Event) => this.#copy(id, event)}>
        <input
          aria-label="Name of the new cluster"
          placeholder="Name, such as what-if"
          maxlength="40"
        />
        <button class="button" ?disabled=${this.busy}>Keep as a cluster</button>
        <span class="quiet-text"
          >With keys of its own and no files of volumes; open it in Clusters, in this tab or
          another.</span
        >
      </form>`;
  }

  /** Does something, says how it went, and reads what is remembered then. */
  async #try(doing: string, work: () => Promise<string>): Promise<void> {
    this.busy = true;
    if (doing) this.said = { text: `${doing} …`, failed: false };
    let said: { text: string; failed: boolean };
    try {
      said = { text: await work(), failed: false };
    } catch (error) {
      said = { text: `${doing}: ${reason(error)}`, failed: true };
    }
    try {
      const all = await this.#on.session.cluster.client.call("checkpoints", {}).result;
      this.checkpoints = all.checkpoints.toReversed();
      this.stays = stays(all);
    } catch (error) {
      said = { text: reason(error), failed: true };
    }
    this.said = said;
    this.busy = false;
  }

  readonly #again = () => {
    this.looked = undefined;
    void this.#try("Look again", () => Promise.resolve(""));
  };

  readonly #take = (event: Event) => {
    event.preventDefault();
    const input = (event.target as HTMLFormElement).querySelector("input");
    void this.#try("Remember", async () => {
      const typed = input?.value.trim() ?? "";
      const why = typed === "" ? "asked for" : typed;
      await this.#on.session.cluster.client.call("takeCheckpoint", { why }).result;
      if (input) input.value = "";
      return "This moment is remembered.";
    });
  };

  #look(id: number): void {
    if (this.looked?.id === id) {
      this.looked = undefined;
      return;
    }
    this.looked = { id, difference: undefined };
    void this.#try("Compare", async () => {
      try {
        const difference = await this.#on.session.cluster.client.call("compareCheckpoint", { id })
          .result;
        if (this.looked?.id === id) this.looked = { id, difference };
        return "";
      } catch (error) {
        this.looked = undefined;
        throw error;
      }
    });
  }

  #restore(id: number): void {
    void this.#try("Go back", async () => {
      const did = await this.#on.session.cluster.client.call("restoreCheckpoint", { id }).result;
      this.looked = undefined;
      return `${sentenceOf(did, true)} To undo this, go back to the first line below.`;
    });
  }

  #copy(id: number, event: Event): void {
    event.preventDefault();
    const name = (event.target as HTMLFormElement).querySelector("input")?.value ?? "";
    void this.#try(`Keep it as ${name}`, async () => {
      const problem = nameProblem(name, await listKept());
      if (problem) throw new Error(problem);
      await this.#on.session.cluster.client.call("copyCheckpoint", { id, name }).result;
      return `${name} has all objects of then. Open it in Clusters.`;
    });
  }
}

/** Whether what is remembered outlives the tab, and what of it does not. */
function stays({ kept, lost }: Checkpoints): string {
  const word = kept
    ? "These moments are kept with the cluster: a reload has them."
    : "These moments end with this tab.";
  return lost === "" ? word : `${word} ${lost.charAt(0).toUpperCase()}${lost.slice(1)}.`;
}

/** When it was: the day, too, if that is another one. */
function moment(at: Date, now: Date): string {
  const time = at.toLocaleTimeString("en-GB");
  const day = at.toLocaleDateString("en-CA");
  return day === now.toLocaleDateString("en-CA") ? time : `${day} ${time}`;
}

define("tn-checkpoints", CheckpointsView);
