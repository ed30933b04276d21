import { css, html, LitElement, nothing } from "lit";
import type { TraceKind, TraceStep } from "../../rpc/protocol.ts";
import type { TraceFeed } from "../../trace/feed.ts";
import { took } from "../../trace/words.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { tableStyle } from "../../ui/table-style.ts";
import { Watched } from "../../ui/watched.ts";
import { linesOf, stagesOf, type Stage } from "./stages.ts";

/** What it stands over. */
export interface StartNeeds {
  readonly trace: TraceFeed;
  look(step: TraceStep): void;
}

/** Milliseconds that a stage is shown while it is played. */
const SLOWLY = 1800;
/** Lines of a stage that are drawn unless all are asked for. */
const SHORT = 8;

/** How the API server was made, stage by stage, from its own ring of the trace; it can be played again. */
export class StartView extends LitElement {
  static override properties = {
    cursor: { state: true },
    playing: { state: true },
    whole: { state: true },
    kinds: { state: true },
    open: { state: true },
  };
  static override styles = [
    base,
    tableStyle,
    css`
      .page {
        padding: 0 16px 16px;
      }
      .bar {
        position: sticky;
        inset: 0 0 auto;
        z-index: 1;
        margin: 0;
        padding: 6px 0;
        border-bottom: 1px solid var(--line);
        background: var(--panel);
      }
      section {
        padding: 8px 0 8px 12px;
        border-left: 3px solid var(--line);
      }
      section[data-now] {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
      section[data-later] {
        color: var(--text-2);
      }
      h2 {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 12px;
        align-items: baseline;
        margin: 0;
        font-size: var(--size-m);
        font-weight: 600;
      }
      .at,
      h2 a,
      h2 button {
        color: var(--text-2);
        font: 400 var(--size-s) var(--mono);
      }
      p {
        margin: 0 0 4px;
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
        font: var(--size-s) / 1.5 var(--mono);
        overflow-wrap: anywhere;
      }
      .chain {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
      .chain li {
        padding: 4px 8px;
        border: 1px solid var(--line-strong);
        border-radius: 4px;
      }
      .chain li + li::before {
        content: "→ ";
      }
    `,
  ];
  /** The stage that is shown while it is played; undefined: all, as they were. */
  declare cursor: number | undefined;
  declare playing: boolean;
  /** Details of steps that are told in brief, by the step's number. */
  declare whole: ReadonlyMap<number, unknown>;
  declare kinds: ReadonlyMap<string, TraceKind>;
  /** Stages that are shown with all their lines. */
  declare open: ReadonlySet<string>;
  readonly #on: StartNeeds;
  readonly #asked = new Set<number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(on: StartNeeds) {
    super();
    this.#on = on;
    this.cursor = undefined;
    this.playing = false;
    this.whole = new Map();
    this.kinds = new Map();
    this.open = new Set();
    new Watched(this, on.trace.version, 500);
    on.trace.kinds().then(
      (kinds) => (this.kinds = kinds),
      // Without it there is no link to the source; all else is there.
      () => undefined,
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pause();
  }

  override render() {
    const stages = stagesOf(this.#on.trace.steps.values());
    const first = Math.min(...stages.flatMap(({ steps }) => steps.map(({ at }) => at)));
    if (stages.length === 0) {
      return html`<div class="page">
        <p class="quiet-text" role="status">
          The cluster has not told of its start yet. It does while it comes up.
        </p>
      </div>`;
    }
    return html`<div class="page">
      <div class="bar">${this.#controls(stages)}</div>
      ${stages.map((stage, i) => this.#stage(stage, i, first))}
    </div>`;
  }

  #controls(stages: readonly Stage[]) {
    const last = stages.length - 1;
    const { cursor } = this;
    const at = cursor ?? -1;
    return html`<button
        class="button"
        @click=${() => (this.playing ? this.#pause() : this.#play(last))}
      >
        ${this.playing ? "Pause" : "Play the start"}
      </button>
      <button
        class="quiet"
        aria-label="One stage back"
        ?disabled=${at <= 0}
        @click=${() => this.#go(at - 1)}
      >
        ◂
      </button>
      <button
        class="quiet"
        aria-label="One stage on"
        ?disabled=${at >= last}
        @click=${() => this.#go(at + 1)}
      >
        ▸
      </button>
      <span role="status"
        >${cursor === undefined ? `${stages.length} stages, from flags to hooks` : `${cursor + 1} of ${stages.length}: ${stages[cursor]?.title ?? ""}`}</span
      >
      ${
        cursor === undefined
          ? nothing
          : html`<button
              class="quiet"
              @click=${() => {
                this.#pause();
                this.cursor = undefined;
              }}
            >
              Show all
            </button>`
      }`;
  }

  #stage({ kind, title, about, steps }: Stage, i: number, begun: number) {
    const { cursor } = this;
    const later = cursor !== undefined && i > cursor;
    const lines = later ? [] : [...new Set(steps.flatMap((step) => this.#lines(step, begun)))];
    const [first] = steps;
    const all = this.open.has(kind) || lines.length <= SHORT + 1;
    const shown = all ? lines : lines.slice(0, SHORT);
    const url = this.kinds.get(kind)?.url ?? "";
    return html`<section ?data-now=${i === cursor} ?data-later=${later} aria-label=${title}>
      <h2>
        ${title} ${first ? html`<span class="at">+${took(first.at - begun)}</span>` : nothing}
        ${first ? html`<button class="quiet" @click=${() => this.#on.look(first)}>Show the step</button>` : nothing}
        ${url.startsWith("https://github.com/") ? html`<a href=${url} target="_blank" rel="noreferrer">Source</a>` : nothing}
      </h2>
      <p>${about}</p>
      <ul class=${kind === "start.servers" ? "chain" : ""}>
        ${shown.map((line) => html`<li>${line}</li>`)}
      </ul>
      ${
        all
          ? nothing
          : html`<button class="quiet" @click=${() => (this.open = new Set([...this.open, kind]))}>
              All ${lines.length}
            </button>`
      }
    </section>`;
  }

  /** What a step says. Of those that are many of one stage each says when it was. */
  #lines(step: TraceStep, begun: number): string[] {
    const lines = linesOf(this.#details(step));
    if (step.kind !== "start.storage" && step.kind !== "start.routes") return lines;
    return lines.map((line) => `+${took(step.at - begun)}  ${line}`);
  }

  #details(step: TraceStep): unknown {
    if (!step.brief) return step.details;
    if (!this.#asked.has(step.id)) {
      this.#asked.add(step.id);
      void this.#on.trace.details(step.id).then((whole) => {
        this.whole = new Map([...this.whole, [step.id, whole?.details]]);
      });
    }
    return this.whole.get(step.id);
  }

  #go(to: number): void {
    this.cursor = to;
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector("[data-now]")?.scrollIntoView({ block: "nearest" }),
    );
  }

  #play(last: number): void {
    this.playing = true;
    this.#go(this.cursor === undefined || this.cursor >= last ? 0 : this.cursor);
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if ((this.cursor ?? 0) >= last) this.#pause();
      else this.#go((this.cursor ?? 0) + 1);
    }, SLOWLY);
  }

  #pause(): void {
    this.playing = false;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

define("tn-start", StartView);
