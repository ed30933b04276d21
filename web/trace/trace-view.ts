import { html, LitElement, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { reason } from "../rpc/reason.ts";
import type { Readable } from "../state/store.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { Watched } from "../ui/watched.ts";
import type { TraceFeed } from "./feed.ts";
import { StepView, type StepNeeds } from "./step-view.ts";
import type { Telling } from "./telling.ts";
import { commands, stepsAbout, top, type About } from "./told.ts";
import { traceStyle } from "./trace-style.ts";
import { objectName, sentence, took } from "./words.ts";

/** Pixels of a row, of one line or of two; trace-style.ts has the same. */
const ROW = 26;
const TALL = 44;
/** From this width of the list on a sentence has room in one line; trace-style.ts has the same. */
const WIDE = 1100;
/** Rows that are drawn above and below those in sight. */
const AROUND = 26;

/** What it stands over. */
export interface TraceNeeds extends StepNeeds {
  /** Which command is told where no step is looked at. */
  readonly telling: Telling;
  /** Has a command told from now on, here and in the guide and the journey. */
  choose(command: number): void;
  /** The step that is looked at. */
  readonly focus: Readable<number | undefined>;
  /** The object whose steps are wanted, of whichever command; undefined: those of one command. */
  readonly of: Readable<About | undefined>;
  /** Goes back to the steps of a command. */
  leave(): void;
  /** The chapter of the guide from which somebody came here; undefined if it was by another way. */
  readonly from: Readable<{ readonly chapter: string } | undefined>;
  /** Back to where they read. */
  back(): void;
  /** Whether somebody came here from the journey. */
  readonly fromJourney: Readable<boolean>;
  /** Back to it, at the step that it shows. */
  toJourney(): void;
  /** What a chapter is called. */
  title(chapter: string): string | undefined;
  /** Opens one of the views that have no tab of their own. */
  open(view: "start" | "network"): void;
}

/** In the place of a command's number: what the cluster did before there was one. */
const START = -1;

interface Line {
  readonly step: TraceStep;
  readonly depth: number;
}

/** The tree of one command: each step below what it was caused by, with when and how long. */
export class TraceView extends LitElement {
  static override properties = {
    start: { state: true },
    words: { state: true },
    component: { state: true },
    about: { state: true },
    byTime: { state: true },
    scrolled: { state: true },
    note: { state: true },
  };
  static override styles = [base, traceStyle];
  /** What the cluster did before there was a command is shown, in the place of one's tree. */
  declare start: boolean;
  declare words: string;
  declare component: string;
  /** The object that all shown are about, by its name; empty for any. */
  declare about: string;
  declare byTime: boolean;
  declare scrolled: number;
  declare note: string;
  readonly #on: TraceNeeds;
  readonly #focus;
  readonly #of;
  readonly #from;
  readonly #fromJourney;
  readonly #step: StepView;
  #lines: readonly Line[] = [];
  #height = 600;
  #rowHeight = ROW;
  #resize: ResizeObserver | undefined;
  #lastFocus: number | undefined;

  constructor(on: TraceNeeds) {
    super();
    this.#on = on;
    this.start = false;
    this.words = "";
    this.component = "";
    this.about = "";
    this.byTime = false;
    this.scrolled = 0;
    this.note = "";
    new Watched(this, on.trace.version, 250);
    this.#focus = new Watched(this, on.focus);
    new Watched(this, on.telling.chosen);
    this.#of = new Watched(this, on.of);
    this.#from = new Watched(this, on.from);
    this.#fromJourney = new Watched(this, on.fromJourney);
    this.#step = new StepView(on);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      // Behind another view it has no room, and needs none.
      if (height === 0) return;
      const seen = this.#isInSight();
      this.#height = height;
      this.#fit(width);
      this.requestUpdate();
      // Rows became higher, or what stands above them did.
      if (seen) void this.updateComplete.then(() => this.#sight());
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize?.disconnect();
  }

  protected override firstUpdated(): void {
    const list = this.renderRoot.querySelector(".list");
    if (list) this.#resize?.observe(list);
  }

  override render() {
    const { trace, telling } = this.#on;
    const all = commands(trace.steps);
    const focused = this.#focus.state;
    const told = focused === undefined ? telling.root : top(trace.steps, focused);
    const shown = this.start ? START : (told ?? 0);
    const of = this.#of.state;
    const from = this.#from.state;
    const tree = of
      ? stepsAbout(trace.steps, of).map((step) => ({ step, depth: 0 }))
      : shown === START
        ? startOf(trace.steps)
        : trace.tree(shown);
    const components = [...new Set(tree.map(({ step }) => step.component))];
    this.#lines = this.#filtered(tree);
    const root = trace.steps.get(shown);
    const held = focused === undefined ? undefined : trace.steps.get(focused);
    this.#step.step = of
      ? (tree.find(({ step }) => step === held) ?? tree[0])?.step
      : (held ?? root);
    return html`<h2 class="sr">Trace</h2>
      <div class="bar">
        ${
          from
            ? html`<button
                class="button"
                title="To where you read in “${this.#on.title(from.chapter) ?? from.chapter}”"
                @click=${() => this.#on.back()}
              >
                <span aria-hidden="true">◂ </span>Back to the guide
              </button>`
            : this.#fromJourney.state
              ? html`<button
                  class="button"
                  title="To the step that it shows"
                  @click=${() => this.#on.toJourney()}
                >
                  <span aria-hidden="true">◂ </span>Back to the journey
                </button>`
              : nothing
        }
        ${
          of
            ? html`<button
                class="button mono"
                title="Back to the steps of a command"
                @click=${() => this.#on.leave()}
              >
                ${objectName(of)} <span aria-hidden="true">×</span>
              </button>`
            : nothing
        }
        <select
          ?hidden=${of !== undefined}
          aria-label="Command"
          @change=${(e: Event) => {
            const chosen = Number((e.target as HTMLSelectElement).value);
            this.start = chosen === START;
            if (!this.start) this.#on.choose(chosen);
            this.scrolled = 0;
          }}
        >
          ${all.length === 0 ? html`<option>No command yet</option>` : nothing}
          ${all.toReversed().map((command) => html`<option value=${command.id} ?selected=${command.id === shown}>${sentence(command)}</option>`)}
          <option value=${START} ?selected=${shown === START}>The start of the cluster</option>
        </select>
        <input
          type="search"
          placeholder="Search"
          aria-label="Search the steps"
          .value=${this.words}
          @input=${(e: Event) => (this.words = (e.target as HTMLInputElement).value)}
        />
        <select
          aria-label="Component"
          @change=${(e: Event) => (this.component = (e.target as HTMLSelectElement).value)}
        >
          <option value="">All components</option>
          ${components.map((name) => html`<option ?selected=${name === this.component}>${name}</option>`)}
        </select>
        <button
          class="quiet"
          aria-pressed=${this.byTime}
          title="In the order in which they began, without the tree"
          @click=${() => (this.byTime = !this.byTime)}
        >
          By time
        </button>
        ${
          this.about
            ? html`<button
                class="quiet"
                title="Show steps about any object"
                @click=${() => (this.about = "")}
              >
                ${this.about} <span aria-hidden="true">×</span>
              </button>`
            : nothing
        }
        <span class="gap"></span>
        <span class="together">
          <button
            class="quiet"
            title="How the API server was made, stage by stage"
            @click=${() => this.#on.open("start")}
          >
            Start
          </button>
          <button
            class="quiet"
            title="Which way a packet takes between two pods"
            @click=${() => this.#on.open("network")}
          >
            Packet’s path
          </button>
          <span class="count" aria-live=${this.#searched() ? "polite" : "off"}
            >${this.#count(tree.length)}</span
          >
          <button
            class="quiet"
            ?disabled=${tree.length === 0 || of !== undefined || shown === START}
            title="Save this command's steps as JSON"
            @click=${() => void this.#export(shown)}
          >
            Export
          </button>
        </span>
      </div>
      ${this.note ? html`<p class="note" role="alert">${this.note}</p>` : nothing}
      <div class="body">
        <div
          class="list"
          role="tree"
          tabindex="0"
          aria-label="Steps"
          aria-activedescendant=${this.#step.step ? `step-${this.#step.step.id}` : nothing}
          @scroll=${(e: Event) => (this.scrolled = (e.target as HTMLElement).scrollTop)}
          @keydown=${this.#key}
        >
          ${this.#rows(tree)}
        </div>
        <div class="detail" role="region" aria-label="Step">${this.#step}</div>
      </div>`;
  }

  protected override updated(): void {
    // What was chosen elsewhere comes into sight.
    const { state } = this.#focus;
    // Behind another view nothing can be scrolled: once this one comes forward it has a height.
    if (state === this.#lastFocus || !this.checkVisibility()) return;
    this.#lastFocus = state;
    this.#take();
    this.#sight();
  }

  /** Where the row of the step that is looked at is; -1 if there is none. */
  get #looked(): number {
    const { state } = this.#focus;
    return this.#lines.findIndex(({ step }) => step.id === state);
  }

  #isInSight(): boolean {
    const below = this.#looked * this.#rowHeight - this.scrolled;
    return this.#looked >= 0 && below >= 0 && below < this.#height;
  }

  #sight(): void {
    const at = this.#looked;
    const list = this.renderRoot.querySelector(".list");
    if (at < 0 || !list) return;
    const from = at * this.#rowHeight;
    const above = list.scrollTop - from;
    const below = from + this.#rowHeight - (list.scrollTop + this.#height);
    // Row by row the list moves by rows; what is far off comes with some of what it caused below it.
    if (above > this.#rowHeight || below > this.#rowHeight)
      list.scrollTop = from - Math.floor(this.#height / 3);
    else if (above > 0) list.scrollTop = from;
    else if (below > 0) list.scrollTop += below;
  }

  /** Rows are as high as the list's width asks, and what is at its top stays there. */
  #fit(width: number): void {
    const height = width > WIDE ? ROW : TALL;
    if (width === 0 || height === this.#rowHeight) return;
    const at = this.scrolled / this.#rowHeight;
    this.#rowHeight = height;
    const list = this.renderRoot.querySelector(".list");
    void this.updateComplete.then(() => {
      if (list) list.scrollTop = at * height;
    });
  }

  /** Whoever came here by a button that is gone now goes on at the step, not at the page's beginning. */
  #take(): void {
    // What has gone loses the focus with the next frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body || !this.checkVisibility()) return;
        this.renderRoot.querySelector<HTMLElement>(".list")?.focus({ preventScroll: true });
      }),
    );
  }

  /** How many there are is said aloud to those who look for some: a command's number goes up by itself. */
  #searched(): boolean {
    return this.words.trim() !== "" || this.component !== "" || this.about !== "";
  }

  #filtered(tree: readonly Line[]): readonly Line[] {
    const words = this.words.trim().toLowerCase();
    const lines = tree.filter(
      ({ step }) =>
        (this.component === "" || step.component === this.component) &&
        (this.about === "" || objectName(step.object) === this.about) &&
        (words === "" || textIn(step).includes(words)),
    );
    if (!this.byTime) return lines;
    return lines
      .map(({ step }) => ({ step, depth: 0 }))
      .sort((a, b) => a.step.at - b.step.at || a.step.id - b.step.id);
  }

  #count(all: number): string {
    const { missed, problem } = this.#on.trace;
    const shown = this.#lines.length === all ? `${all}` : `${this.#lines.length} of ${all}`;
    const gone = missed > 0 ? ` · ${missed} older ones are not held any more` : "";
    return `${shown} steps${gone}${problem ? ` · ${problem}` : ""}`;
  }

  #rows(tree: readonly Line[]) {
    if (this.#lines.length === 0) {
      return html`<p class="none">
        ${tree.length === 0 && this.#of.state ? "No step about it is held any more." : tree.length === 0 ? "Run a command in the terminal: its steps come here." : "No step is like that."}
      </p>`;
    }
    const begin = Math.min(...tree.map(({ step }) => step.at));
    const end = Math.max(...tree.map(({ step }) => step.at + (step.took ?? 0)), begin + 1);
    const from = Math.max(0, Math.floor(this.scrolled / this.#rowHeight) - AROUND);
    const to = Math.ceil((this.scrolled + this.#height) / this.#rowHeight) + AROUND;
    const below = Math.max(0, this.#lines.length - to);
    return html`<div style="height: ${from * this.#rowHeight}px" role="none"></div>
      ${this.#lines.slice(from, to).map((line, i) => this.#row(line, from + i, begin, end))}
      <div style="height: ${below * this.#rowHeight}px" role="none"></div>`;
  }

  #row({ step, depth }: Line, at: number, begin: number, end: number) {
    const share = (ms: number) => `${((ms / (end - begin)) * 100).toFixed(2)}%`;
    return html`<div
      class="row"
      role="treeitem"
      id="step-${step.id}"
      aria-level=${depth + 1}
      aria-setsize=${this.#lines.length}
      aria-posinset=${at + 1}
      aria-selected=${this.#step.step === step}
      @click=${() => this.#on.look(step)}
      @dblclick=${() => (this.about = objectName(step.object))}
    >
      <span class="at">+${took(step.at - begin)}</span>
      <span class="who">${step.component}</span>
      <span class="what" style="--depth: ${Math.min(depth, 24)}" title=${sentence(step)}
        >${sentence(step)}</span
      >
      <span class="node">${step.node ?? ""}</span>
      <span class="took">${took(step.took)}</span>
      <span class="time" aria-hidden="true"
        ><i style="left: ${share(step.at - begin)}; width: ${share(step.took ?? 0)}"></i
      ></span>
    </div>`;
  }

  #key(event: KeyboardEvent): void {
    // What is looked at, not what was drawn last: keys come faster than frames.
    const looked = this.#focus.state ?? this.#step.step?.id;
    const at = this.#lines.findIndex(({ step }) => step.id === looked);
    const page = Math.max(1, Math.floor(this.#height / this.#rowHeight) - 1);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: this.#lines.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = this.#lines[Math.min(this.#lines.length - 1, Math.max(0, to))];
    if (next) this.#on.look(next.step);
  }

  async #export(id: number): Promise<void> {
    try {
      const text = await this.#on.trace.export(id);
      const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      const link = document.createElement("a");
      link.href = url;
      link.download = "trace.json";
      link.click();
      URL.revokeObjectURL(url);
      this.note = "";
    } catch (error) {
      this.note = `The trace could not be saved: ${reason(error)}`;
    }
  }
}

/** What the start told, in the order in which it happened: it has a ring of its own, and stays. */
function startOf(steps: TraceFeed["steps"]): Line[] {
  return [...steps.values()]
    .filter(({ kind }) => kind.startsWith("start."))
    .sort((a, b) => a.at - b.at || a.id - b.id)
    .map((step) => ({ step, depth: 0 }));
}

/** What a search looks into. */
function textIn(step: TraceStep): string {
  const { kind, component, node = "" } = step;
  return `${sentence(step)} ${kind} ${component} ${node} ${objectName(step.object)}`.toLowerCase();
}

define("tn-trace", TraceView);
