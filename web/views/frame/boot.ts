import { messageOf } from "../../rpc/reason.ts";
import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing, unsafeCSS } from "lit";
import type { Owner } from "../../kept/owner.ts";
import type { Session } from "../../session/session.ts";
import type { Page, StartQuestion } from "../../page/page.ts";
import { STEPS, type BootState, type StepState } from "../../boot/boot.ts";
import { restOf } from "../../boot/rest.ts";
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
  page: Pick<Page, "asks" | "keepStart" | "lastStart" | "startHere" | "steps">;
  /** This tab's right to the kept cluster; undefined if none is to be opened. */
  owner?: Pick<Owner, "dispose" | "name" | "take"> | undefined;
}

/** The component that a fault names when another tab has taken the cluster. */
export const TAKEN = "another tab";

/**
 * What is starting, with times; then, if need be, what went wrong and what to do. It looks as the
 * skeleton does that index.html shows before any script runs: both have the same style.
 */
export class BootView extends LitElement {
  static override properties = {
    shown: { state: true },
    leaving: { state: true },
    size: { state: true },
    taking: { state: true },
  };
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
  /** What a first visit loads, in words; empty until somebody is asked. */
  declare size: string;
  /** How taking the cluster over from another tab goes. */
  declare taking: string;
  readonly #on: BootNeeds;
  readonly #boot;
  readonly #asks;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #listening: Disposable | undefined;
  #finished = false;
  /** Somebody has asked for it, who wants all of it. */
  #asked = false;
  /** When the page first saw each step run, in its own clock. */
  readonly #seen = new Map<string, number>();

  constructor(on: BootNeeds) {
    super();
    this.shown = true;
    this.leaving = false;
    this.size = "";
    this.taking = "";
    this.#on = on;
    this.#boot = new Watched(this, on.session.cluster.boot);
    this.#asks = new Watched(this, on.page.asks);
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
    if (state.fault) return this.#fault(state.fault, state);
    if (this.#asks.state !== "") return this.#question(this.#asks.state);
    if (state.ready && !this.#finished) this.#finish();
    if (!this.shown) return nothing;
    // What is said is its beginning and its end: the list has clocks, which would be said ten times a second.
    return html`<div
      class="boot"
      ?data-leaving=${this.leaving}
      ?data-brief=${!this.#asked}
      @click=${this.#hideIfReady}
    >
      <div role="status">
        <h2>${state.ready ? "Kubernetes runs in this tab" : "Starting Kubernetes in this tab"}</h2>
        <p>
          ${
            state.ready
              ? "Nothing was installed, and no server was asked."
              : "Nothing is installed and no server is asked. You can type in the terminal already."
          }
        </p>
      </div>
      ${this.#list(state)}
    </div>`;
  }

  /** What starts costs memory and bytes: where that may be dear, the owner is asked. */
  #question(asks: Exclude<StartQuestion, "">) {
    if (asks === "kept" && this.#on.owner) return this.#elsewhere(this.#on.owner);
    if (asks === "size" && this.size === "") void this.#readSize();
    return html`<div class="boot" role="alert">
      <h2>
        ${asks === "size" ? "Load Kubernetes into this tab?" : "Tabernetes runs in another tab already"}
      </h2>
      <p>
        ${
          asks === "size"
            ? html`It downloads ${this.size}, once. Your browser asks for less data, or says that
              you are on a phone's network. Nothing has been downloaded yet.`
            : html`Each tab has a cluster of its own, which takes a few hundred MB of memory. You
              cannot see the other one from here.`
        }
      </p>
      <div class="actions">
        <button class="button primary" @click=${() => this.#on.page.startHere()}>
          ${asks === "size" ? `Download ${this.size}` : "Start another cluster here"}
        </button>
      </div>
    </div>`;
  }

  /** The kept cluster is open in another tab. */
  #elsewhere(owner: Pick<Owner, "dispose" | "name" | "take">) {
    const waits = this.taking !== "";
    const take = async () => {
      this.taking = "Waiting for the other tab to let go …";
      const slow = () => {
        this.taking =
          "The other tab seems to be asleep, and still has the files open. Go to it to wake it up, or close it: this one goes on by itself then.";
      };
      try {
        // Otherwise a third tab was quicker, and the page says so already.
        if (await owner.take(slow)) this.#on.page.startHere();
      } catch (error) {
        this.taking = `The browser does not say whether the other tab has let go: ${messageOf(error)}. Reload this page.`;
      }
    };
    const another = () => {
      owner.dispose();
      this.#on.session.cluster.config.keep = "";
      this.#on.page.startHere();
    };
    return html`<div class="boot" role="alert">
      <h2>“${owner.name}” is open in another tab</h2>
      <p>
        A cluster that is kept runs in one tab at a time. If it goes on here, the other tab stops:
        nothing that it acknowledged is lost, and what runs starts again as after a loss of power.
      </p>
      <p role="status">${this.taking}</p>
      <div class="actions">
        <button class="button primary" ?disabled=${waits} @click=${take}>
          Go on with ${owner.name} here
        </button>
        <button class="button" ?disabled=${waits} @click=${another}>
          Start another cluster here, which is not kept
        </button>
      </div>
    </div>`;
  }

  async #readSize(): Promise<void> {
    this.size = "some 30 MB";
    try {
      this.size = `${mb(await this.#on.session.cluster.size())} MB`;
    } catch {
      // The list of files cannot be read: what is said stays, and the start will say why.
    }
  }

  #finish(): void {
    this.#finished = true;
    this.#on.page.keepStart(times(this.#boot.state));
    clearInterval(this.#ticker);
    setTimeout(() => (this.leaving = true), STAYS);
    setTimeout(() => {
      this.shown = false;
      this.leaving = false;
    }, STAYS + 200);
  }

  readonly #show = () => {
    this.#asked = true;
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
          <span class="mark" aria-hidden="true">${MARKS[step.state]}</span>
          <span>${name}</span>
          <span class="detail">${this.#detail(name, step)}</span>
          <span>${duration(step, this.#seen.get(name) ?? 0)}</span>
        </li>`;
      })}
    </ol>`;
  }

  /** What is being done; how far it is, where that is known or was learnt at the last visit. */
  #detail(name: BootStepName, step: StepState) {
    const { state, loaded = 0, total, detail: note } = step;
    const took = state === "running" ? performance.now() - (this.#seen.get(name) ?? 0) : 0;
    if (total !== undefined) {
      if (state !== "running") return note ?? `${mb(total)} MB`;
      const left = rest(loaded, total, took);
      return html`${bar("Download", loaded, total)}${note ?? `${mb(loaded)} of ${mb(total)} MB${left}`}`;
    }
    if (state !== "running") return note ?? "";
    const last = this.#on.page.lastStart?.[name];
    if (last === undefined) return note ?? WORDS[name];
    return html`${bar(name, took, last)}${seconds(last)} last time`;
  }

  #fault(fault: Fault, state: BootState) {
    clearInterval(this.#ticker);
    // Go may end between two steps: then it was on its way to the first that is not done.
    const tried =
      STEPS.find((step) => state.steps[step].state === "failed") ??
      STEPS.find((step) => state.steps[step].state !== "done");
    const during = state.ready ? "running the cluster" : `starting: ${tried ?? fault.component}`;
    const taken = fault.component === TAKEN;
    const stopped = state.ready ? "The cluster has stopped" : "The cluster could not start";
    return html`<div class="boot fault" role="alert">
      <h2>${taken ? "The cluster goes on in another tab" : stopped}</h2>
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

type BootStepName = (typeof STEPS)[number];

/** What each step does, for whoever waits for it. */
const WORDS: Record<BootStepName, string> = {
  download: "looking for the files",
  compile: "WebAssembly, as it arrives",
  store: "etcd, in memory",
  apiserver: "every API, its storage and the default roles",
  controllers: "one for each kind that needs one",
  scheduler: "filters and scores",
  nodes: "a kubelet for each",
};

function bar(label: string, value: number, max: number) {
  return html`<progress max=${max} .value=${Math.min(value, max)} aria-label=${label}></progress>`;
}

/** What is left of a download, once that can be said. */
function rest(loaded: number, total: number, took: number): string {
  const left = restOf(loaded, total, took) ?? 0;
  return left < 1000 ? "" : `, ${Math.round(left / 1000)} s left`;
}

/** What each step took, in milliseconds. */
function times({ steps }: BootState): Record<string, number> {
  const took = STEPS.map((name) => {
    const { startedAt = 0, endedAt = 0 } = steps[name];
    return [name, endedAt - startedAt];
  });
  return Object.fromEntries(took) as Record<string, number>;
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
