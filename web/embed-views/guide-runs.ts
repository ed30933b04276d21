import { css, html, LitElement, nothing } from "lit";
import { reason } from "../rpc/reason.ts";
import type { EmbeddedCluster } from "../sdk/create.ts";
import type { GuideView } from "../guide/guide-view.ts";
import type { Telling } from "../trace/telling.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";

/** UTF-16 code units of output that are kept: the last ones. */
const MAX_OUTPUT = 64 << 10;

interface Ran {
  readonly line: string;
  output: string;
  /** How it ended; empty while it runs. */
  end: string;
}

/** Counts the guides of a page: each has a shell of its own. */
let opened = 0;

/** The guide, and below it what the line printed that ran in here, where there is no terminal. */
export class GuideRuns extends LitElement {
  static override properties = { ran: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
      }
      .guide {
        flex: 1;
        min-height: 0;
      }
      .ran {
        display: flex;
        flex: none;
        flex-direction: column;
        max-height: 40%;
        border-top: 1px solid var(--line-strong);
        font-size: var(--size-s);
      }
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        gap: 0 8px;
        padding: 4px 8px 0 16px;
      }
      header code {
        flex: 1 1 16ch;
        max-height: 4.2em;
        overflow: auto;
        font-family: var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      pre {
        min-height: 0;
        margin: 0;
        padding: 4px 16px 8px;
        overflow: auto;
        font: var(--size-s) / 1.4 var(--mono);
      }
    `,
  ];
  declare ran: Ran | undefined;
  readonly #cluster: EmbeddedCluster;
  readonly #guide: GuideView;
  readonly #telling: Pick<Telling, "ran">;
  readonly #session = `guide-${++opened}`;
  #abort = new AbortController();

  constructor(cluster: EmbeddedCluster, guide: GuideView, telling: Pick<Telling, "ran">) {
    super();
    this.#cluster = cluster;
    this.#guide = guide;
    this.#telling = telling;
  }

  override render() {
    const { ran } = this;
    return html`<div class="guide">${this.#guide}</div>
      ${
        ran
          ? html`<section class="ran" aria-label="What it printed">
              <header>
                <code tabindex="0">$ ${ran.line}</code>
                <span role="status">${ran.end || "Running …"}</span>
                <button
                  class="quiet"
                  @click=${() => (ran.end ? (this.ran = undefined) : this.#abort.abort())}
                >
                  ${ran.end ? "Close" : "Stop"}
                </button>
              </header>
              ${ran.output ? html`<pre tabindex="0">${ran.output}</pre>` : nothing}
            </section>`
          : nothing
      }`;
  }

  /** Runs a line; one that still runs is stopped. */
  async run(line: string): Promise<void> {
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    const ran: Ran = { line, output: "", end: "" };
    this.ran = ran;
    const run: { line: string; session: string; began: number; ended?: number } = {
      line,
      session: this.#session,
      began: Date.now(),
    };
    this.#telling.ran(run);
    const output = (text: string) => {
      ran.output = (ran.output + text).slice(-MAX_OUTPUT);
      this.requestUpdate();
    };
    try {
      const { code } = await this.#cluster.shell(line, {
        session: this.#session,
        signal,
        output,
      });
      ran.end = code === 0 ? "✓ Done" : `✗ Exit code ${code}`;
    } catch (error) {
      ran.end = signal.aborted ? "Stopped" : `✗ ${reason(error)}`;
    }
    run.ended = Date.now();
    this.requestUpdate();
  }

  /** Ends what runs, and its shell. */
  dispose(): void {
    this.#abort.abort();
    this.#cluster.close(this.#session).catch(() => undefined); // the cluster may be gone
  }
}

define("tn-guide-runs", GuideRuns);
