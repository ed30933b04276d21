import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing, unsafeCSS } from "lit";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { STEPS, type BootState, type StepState } from "../../boot/boot.ts";
import type { Fault } from "../../rpc/protocol.ts";
import type { Disposable } from "../../state/disposable.ts";
import bootStyle from "../../style/boot.css?inline";
import { base } from "../../ui/base.ts";
import { Watched } from "../../ui/watched.ts";

/** Milliseconds for which the finished list stays before it fades. */
const STAYS = 700;

/** What it stands over. */
export interface BootNeeds {
  session: Pick<Session, "cluster">;
  page: Pick<Page, "second" | "startHere" | "steps">;
}

/**
 * What is starting, with times; then, if need be, what went wrong and what to do. It looks as the
 * skeleton does that index.html shows before any script runs: both have the same style.
 */
export class BootView extends LitElement {
  static override properties = { shown: { state: true }, leaving: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        display: flow-root;
        height: 100%;
      }
    `,
    unsafeCSS(bootStyle),
  ];
  declare shown: boolean;
  declare leaving: boolean;
  readonly #on: BootNeeds;
  readonly #boot;
  readonly #second;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #listening: Disposable | undefined;
  #finished = false;
  /** When the page first saw each step run, in its own clock. */
  readonly #seen = new Map<string, number>();

  constructor(on: BootNeeds) {
    super();
    this.shown = true;
    this.leaving = false;
    this.#on = on;
    this.#boot = new Watched(this, on.session.cluster.boot);
    this.#second = new Watched(this, on.page.second);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#ticker = setInterval(() => this.requestUpdate(), 100);
    this.#listening = this.#on.page.steps.subscribe(this.#show);
    document.addEventListener("keydown", this.#hideOnEscape);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticker);
    this.#listening?.dispose();
    document.removeEventListener("keydown", this.#hideOnEscape);
  }

  override render() {
    const state = this.#boot.state;
    if (this.#second.state) return this.#elsewhere();
    if (state.fault) return this.#fault(state.fault, state);
    if (state.ready && !this.#finished) this.#finish();
    if (!this.shown) return nothing;
    return html`<div
      class="boot"
      role="status"
      ?data-leaving=${this.leaving}
      @click=${this.#hideIfReady}
    >
      <h2>${state.ready ? "Kubernetes runs in this tab" : "Starting Kubernetes in this tab"}</h2>
      <p>Nothing is installed and no server is asked. You can type in the terminal already.</p>
      ${this.#list(state)}
    </div>`;
  }

  /** Another tab has a cluster: two of them share the machine's memory, so it is asked. */
  #elsewhere() {
    return html`<div class="boot" role="alert">
      <h2>Tabernetes runs in another tab already</h2>
      <p>
        Its cluster is not seen from here: each tab has one of its own, with its own memory (some
        hundred MB).
      </p>
      <div class="actions">
        <button class="button primary" @click=${() => this.#on.page.startHere()}>
          Start a cluster of its own here
        </button>
      </div>
    </div>`;
  }

  #finish(): void {
    this.#finished = true;
    clearInterval(this.#ticker);
    setTimeout(() => (this.leaving = true), STAYS);
    setTimeout(() => {
      this.shown = false;
      this.leaving = false;
    }, STAYS + 200);
  }

  readonly #show = () => {
    this.shown = !this.shown;
  };

  readonly #hideOnEscape = (event: KeyboardEvent) => {
    if (event.key === "Escape") this.#hideIfReady();
  };

  #hideIfReady(): void {
    if (this.#boot.state.ready) this.shown = false;
  }

  #list(state: BootState) {
    return html`<ol>
      ${STEPS.map((name) => {
        const step = state.steps[name];
        if (step.startedAt !== undefined && !this.#seen.has(name)) {
          this.#seen.set(name, performance.now());
        }
        return html`<li data-state=${step.state}>
          <span class="mark">${MARKS[step.state]}</span>
          <span>${name}</span>
          <span class="detail">${detail(step)}</span>
          <span>${duration(step, this.#seen.get(name) ?? 0)}</span>
        </li>`;
      })}
    </ol>`;
  }

  #fault(fault: Fault, state: BootState) {
    clearInterval(this.#ticker);
    // Go may end between two steps: then it was on its way to the first that is not done.
    const tried =
      STEPS.find((step) => state.steps[step].state === "failed") ??
      STEPS.find((step) => state.steps[step].state !== "done");
    const during = state.ready ? "running the cluster" : `starting: ${tried ?? fault.component}`;
    return html`<div class="boot fault" role="alert">
      <h2>${state.ready ? "The cluster has stopped" : "The cluster could not start"}</h2>
      <dl>
        <dt>Tried</dt>
        <dd>${during}</dd>
        <dt>Happened</dt>
        <dd>${fault.message}</dd>
        <dt>To do</dt>
        <dd>${fault.hint}</dd>
      </dl>
      <div class="actions">
        <button class="button primary" @click=${() => location.reload()}>Reload the page</button>
        <button class="button" @click=${(event: MouseEvent) => copyDetails(event, fault, state)}>
          Copy the details
        </button>
      </div>
      ${state.ready ? nothing : this.#list(state)}
      ${
        fault.stack
          ? html`<details>
              <summary>Details</summary>
              <pre tabindex="0">${fault.stack}</pre>
            </details>`
          : nothing
      }
    </div>`;
  }
}

const MARKS: Record<StepState["state"], string> = {
  waiting: "·",
  running: "▸",
  done: "✓",
  failed: "✕",
};

function detail({ state, loaded, total, detail: note }: StepState) {
  if (total === undefined) return note ?? "";
  const of = state === "done" ? mb(total) : `${mb(loaded ?? 0)} of ${mb(total)}`;
  const bar =
    state === "running"
      ? html`<progress max=${total} .value=${loaded ?? 0} aria-label="Download"></progress>`
      : "";
  return html`${bar}${note ?? `${of} MB`}`;
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function duration({ startedAt, endedAt, state }: StepState, seenAt: number): string {
  if (startedAt === undefined) return "";
  if (endedAt !== undefined) return seconds(endedAt - startedAt);
  // The page's clock: the worker says nothing while it is busy.
  return state === "running" ? `${((performance.now() - seenAt) / 1000).toFixed(1)} s` : "";
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

async function copyDetails(event: MouseEvent, fault: Fault, state: BootState): Promise<void> {
  const button = event.currentTarget as HTMLButtonElement;
  const steps = STEPS.map((name) => `${name}: ${state.steps[name].state}`).join(", ");
  const text = [
    `Tabernetes: ${fault.message}`,
    `component: ${fault.component}`,
    `steps: ${steps}`,
    `browser: ${navigator.userAgent}`,
    `page: ${location.href}`,
    "",
    fault.stack ?? "",
  ].join("\n");
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "The browser did not allow copying";
  }
}

define("tn-boot", BootView);
