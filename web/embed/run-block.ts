import { css, html, LitElement, nothing } from "lit";
import { memoryHere } from "../sdk/memory.ts";
import { parseUntil, scriptOf, waitFor, type Until } from "../lesson/block.ts";
import { define } from "../ui/define.ts";
import { reason } from "../rpc/reason.ts";
import type { Disposable } from "../state/disposable.ts";
import type { SharedCluster } from "./shared.ts";

/** What becomes of a block. */
type State =
  | { is: "waiting" }
  | { is: "starting" | "running" | "checking" }
  | { is: "done" }
  | { is: "failed"; why: string };

/** UTF-16 code units of output that are kept: the last ones. */
const MAX_OUTPUT = 64 << 10;
/** What the first block says before it is run. */
const COST = "Starts Kubernetes in this tab; it is downloaded once.";
/** Seconds that `until` may take. */
const PATIENCE = 120;

/**
 * A button below a code block that runs it in the page's cluster, what it printed, and whether it
 * did what it should. Colours and fonts can be set from outside: --tabernetes-accent, -ok, -failed,
 * -line, -mono.
 */
export class RunBlock extends LitElement {
  static override properties = {
    state: { state: true },
    output: { state: true },
    open: { state: true },
    starting: { state: true },
  };
  static override styles = css`
    :host {
      display: block;
      margin: 4px 0 16px;
      font-size: 0.875rem;
      line-height: 1.4;
    }
    .row {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 4px 12px;
    }
    button {
      min-height: 32px;
      padding: 2px 14px;
      border: 1px solid currentcolor;
      border-radius: 4px;
      background: none;
      color: var(--tabernetes-accent, #1d5bbf);
      color: var(--tabernetes-accent, light-dark(#1d5bbf, #8ab4f8));
      font: inherit;
      cursor: pointer;
    }
    button:focus-visible,
    summary:focus-visible {
      outline: 2px solid currentcolor;
      outline-offset: 2px;
    }
    .done {
      color: var(--tabernetes-ok, #1a7f4b);
      color: var(--tabernetes-ok, light-dark(#1a7f4b, #57c28d));
    }
    .failed {
      color: var(--tabernetes-failed, #c02f27);
      color: var(--tabernetes-failed, light-dark(#c02f27, #ff8a80));
      overflow-wrap: anywhere;
    }
    details {
      margin-top: 4px;
      border-left: 3px solid var(--tabernetes-line, rgb(128 128 128 / 50%));
      padding-left: 10px;
    }
    summary {
      cursor: pointer;
    }
    pre {
      max-height: 24em;
      margin: 4px 0 0;
      overflow: auto;
      font: inherit;
      font-family: var(--tabernetes-mono, ui-monospace, Menlo, Consolas, monospace);
      white-space: pre;
    }
  `;
  declare state: State;
  declare output: string;
  declare open: boolean;
  /** How far the cluster is that it waits for. */
  declare starting: string;
  readonly #shared: SharedCluster;
  readonly #script: string;
  readonly #until: Until | undefined;
  readonly #first: boolean;
  #abort: AbortController | undefined;
  #shown: Disposable | undefined;

  constructor(shared: SharedCluster, text: string, until: string | undefined) {
    super();
    this.state = { is: "waiting" };
    this.output = "";
    this.open = false;
    this.starting = "";
    this.#shared = shared;
    this.#script = scriptOf(text);
    this.#until = until === undefined ? undefined : parseUntil(until);
    // The first one says what it costs, for all of them.
    this.#first = shared.first(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#abort?.abort();
    this.#shown?.dispose();
    this.#shown = undefined;
  }

  override render() {
    const { state } = this;
    const busy = ["starting", "running", "checking"].includes(state.is);
    return html`<div class="row">
        ${
          busy
            ? html`<button @click=${() => this.#abort?.abort()}>Stop</button>`
            : html`<button @click=${() => void this.run()}>
                ${state.is === "waiting" ? "Run" : "Run again"}
              </button>`
        }
        <span role="status" class=${state.is}>${this.#words(state)}</span>
      </div>
      ${
        this.output === ""
          ? nothing
          : html`<details ?open=${this.open} @toggle=${this.#toggled}>
              <summary>Output</summary>
              <pre tabindex="0" role="group" aria-label="Output">${this.output}</pre>
            </details>`
      }`;
  }

  /** Runs it: the page's cluster starts if this is the first block that is. */
  async run(): Promise<void> {
    if (this.#abort) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.output = "";
    this.open = true;
    this.#shared.front(this);
    this.#shown ??= this.#shared.shows(this);
    try {
      this.state = { is: "starting" };
      const cluster = await this.#shared.started((said) => (this.starting = said), abort.signal);
      this.state = { is: "running" };
      const { code } = await cluster.shell(this.#script, {
        session: "blocks",
        signal: abort.signal,
        output: (text) => (this.output = (this.output + text).slice(-MAX_OUTPUT)),
      });
      if (code !== 0) {
        this.state = { is: "failed", why: `It ended with exit code ${code}.` };
        return;
      }
      if (this.#until) await this.#check(this.#until, abort.signal);
      this.state = { is: "done" };
    } catch (error) {
      this.state = { is: "failed", why: abort.signal.aborted ? "Stopped." : reason(error) };
    } finally {
      this.#abort = undefined;
    }
  }

  /** Another block is what the reader looks at: folds what this one printed, unless it failed. */
  fold(): void {
    if (this.state.is === "done") this.open = false;
  }

  async #check(until: Until, signal: AbortSignal): Promise<void> {
    this.state = { is: "checking" };
    const cluster = await this.#shared.started(() => undefined, signal);
    const { code, stderr } = await cluster.kubectl(waitFor(until, PATIENCE), {
      session: "blocks-check",
      signal,
    });
    if (code !== 0) throw new Error(`${until.object} is not as it should be: ${stderr.trim()}`);
  }

  #words(state: State): string {
    switch (state.is) {
      case "waiting":
        return this.#first && !this.#shared.begun ? `${COST} ${memoryHere().says}`.trimEnd() : "";
      case "starting":
        return this.starting || "Starting Kubernetes in this tab …";
      case "running":
        return "Running …";
      case "checking":
        return `Waiting for ${this.#until?.object ?? "it"} …`;
      case "done":
        return "✓ Done";
      case "failed":
        return `✗ ${state.why}`;
    }
  }

  readonly #toggled = (event: Event) => (this.open = (event.target as HTMLDetailsElement).open);
}

define("tabernetes-run", RunBlock);
