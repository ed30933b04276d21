import { html, LitElement, nothing } from "lit";
import type { TraceObject, TraceStep } from "../rpc/protocol.ts";
import type { Ran, RanLines, Row } from "../term/ran.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { Watched } from "../ui/watched.ts";
import type { TraceFeed } from "./feed.ts";
import { happened } from "./happened.ts";
import { marksStyle } from "./marks-style.ts";
import { partButton, type PartNeeds } from "./part.ts";
import { commandsOf } from "./ran.ts";
import { commands } from "./told.ts";
import { objectName, sentence } from "./words.ts";

/** How many objects of a command are named. */
const NAMED = 12;
/** Pixels between a command's line and what is unfolded below it. */
const BELOW = 2;

/** What it stands over. */
export interface MarksNeeds extends PartNeeds {
  readonly trace: TraceFeed;
  show(object: TraceObject): void;
  /** The objects that a line's output names. */
  named(ran: Ran, lines: RanLines): Promise<readonly TraceObject[]>;
}

/**
 * A mark beside each command of a terminal, which unfolds what the command set off: it is drawn over
 * the terminal, whose text stays as it is.
 */
export class MarksView extends LitElement {
  static override properties = { open: { state: true }, at: { state: true } };
  static override styles = [base, marksStyle];
  /** The run that is unfolded, and the one whose mark Tab leads to. */
  declare open: number | undefined;
  declare at: number | undefined;
  readonly #on: MarksNeeds;
  readonly #lines: RanLines;
  readonly #runs;
  /** The commands of runs that have ended: they are the same for ever. */
  readonly #known = new Map<number, readonly TraceStep[]>();
  #told: readonly { readonly ran: Ran; readonly steps: readonly TraceStep[] }[] = [];
  /** What the unfolded run's output names. */
  #named: readonly TraceObject[] = [];

  constructor(lines: RanLines, on: MarksNeeds) {
    super();
    this.#on = on;
    this.#lines = lines;
    this.open = undefined;
    this.at = undefined;
    this.#runs = new Watched(this, lines.runs);
    new Watched(this, lines.moved);
    new Watched(this, on.trace.version, 200);
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  protected override willUpdate(): void {
    const all = commands(this.#on.trace.steps);
    this.#told = this.#runs.state
      .map((ran) => ({ ran, steps: this.#stepsOf(ran, all) }))
      .filter(({ steps }) => steps.length > 0);
    if (!this.#told.some(({ ran }) => ran.id === this.open)) this.open = undefined;
    if (!this.#told.some(({ ran }) => ran.id === this.at)) this.at = this.#told.at(-1)?.ran.id;
  }

  #stepsOf(ran: Ran, all: readonly TraceStep[]): readonly TraceStep[] {
    const known = this.#known.get(ran.id);
    if (known) return known;
    const found = commandsOf(ran, all);
    // Steps come a little after what they tell of.
    if (found.length > 0 && ran.ended !== undefined && Date.now() - ran.ended > 2000) {
      this.#known.set(ran.id, found);
    }
    return found;
  }

  override render() {
    const open = this.#told.find(({ ran }) => ran.id === this.open);
    const row = open && this.#lines.row(open.ran);
    return html`<div
        class="gutter"
        role="toolbar"
        aria-orientation="vertical"
        aria-label="What commands set off"
      >
        ${this.#told.map(({ ran }) => this.#mark(ran, this.#lines.row(ran)))}
      </div>
      ${open && row ? this.#panel(open.ran, open.steps, row) : nothing}`;
  }

  #mark(ran: Ran, row: Row | undefined) {
    const open = ran.id === this.open;
    return html`<button
      class="mark"
      data-run=${ran.id}
      ?data-away=${row === undefined}
      style=${row ? `top: ${row.top}px; height: ${row.height}px` : nothing}
      tabindex=${ran.id === this.at ? 0 : -1}
      aria-expanded=${open}
      aria-label=${`What it set off: ${ran.line.slice(0, 120)}`}
      title="What it set off (Ctrl Shift ↑)"
      @click=${() => this.#toggle(ran)}
    >
      <span aria-hidden="true">${open ? "▾" : "▸"}</span>
    </button>`;
  }

  #panel(ran: Ran, steps: readonly TraceStep[], row: Row) {
    const parts = steps.flatMap((step) => {
      const found = happened(this.#on.trace, step);
      // One that only looked has nothing but itself to tell.
      return found.length > 0
        ? found
        : [{ text: sentence(step), step, failed: false, objects: [] as TraceObject[] }];
    });
    const objects = unique([...parts.flatMap((part) => part.objects), ...this.#named]);
    return html`<section
      class="panel"
      style="top: ${row.top + row.height + BELOW}px"
      aria-label=${`What ${ran.line.slice(0, 120)} set off`}
    >
      <div class="parts">
        ${parts.map((part, i) => html`${i > 0 ? html`<span class="arrow" aria-hidden="true">→</span>` : nothing}${partButton(part, this.#on, "Show the step")}`)}
        ${ran.ended === undefined ? html`<span class="arrow">…</span>` : nothing}
      </div>
      ${objects.length > 0 ? this.#objects(objects) : nothing}
      <button class="quiet close" aria-label="Fold it up (Esc)" @click=${() => this.#close()}>
        ×
      </button>
    </section>`;
  }

  #objects(objects: readonly TraceObject[]) {
    const more = objects.length - NAMED;
    return html`<ul aria-label="Objects">
      ${objects.slice(0, NAMED).map(
        (object) =>
          html`<li>
            <button
              class="object"
              title="Inspect it"
              @click=${() => this.#on.show(object)}
              @pointerenter=${() => this.#pointAt(object)}
              @pointerleave=${() => this.#on.point(undefined)}
              @focus=${() => this.#pointAt(object)}
              @blur=${() => this.#on.point(undefined)}
            >
              ${objectName(object)}
            </button>
          </li>`,
      )}
      ${more > 0 ? html`<li class="arrow">and ${more} more</li>` : nothing}
    </ul>`;
  }

  /** An object, and the last step that was about it. */
  #pointAt(object: TraceObject): void {
    const name = objectName(object);
    const step = [...this.#on.trace.steps.values()].findLast(
      (one) => objectName(one.object) === name,
    );
    if (step) this.#on.point({ step, objects: [object] });
  }

  #toggle(ran: Ran): void {
    this.at = ran.id;
    if (this.open === ran.id) {
      this.#close();
      return;
    }
    this.open = ran.id;
    this.#named = [];
    void this.#on.named(ran, this.#lines).then((named) => {
      if (this.open !== ran.id) return;
      this.#named = named;
      this.requestUpdate();
    });
  }

  #close(): void {
    this.open = undefined;
    this.#on.point(undefined);
  }

  /** Goes to the mark of the last command, from the terminal. */
  override focus(): void {
    const last = this.#told.at(-1);
    if (last) this.#go(last.ran);
  }

  #go(ran: Ran): void {
    this.at = ran.id;
    this.#lines.reveal(ran);
    this.requestUpdate();
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(`[data-run="${ran.id}"]`)?.focus(),
    );
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      event.preventDefault();
      if (this.open === undefined) {
        this.#lines.focus();
        return;
      }
      this.#close();
      const ran = this.#told.find((told) => told.ran.id === this.at)?.ran;
      if (ran) this.#go(ran);
      return;
    }
    if (!(event.composedPath()[0] as Element).matches(".mark")) return;
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = this.#told.findIndex(({ ran }) => ran.id === this.at);
    const next = this.#told[at + by];
    if (next) this.#go(next.ran);
    else if (by > 0) this.#lines.focus();
  }
}

function unique(objects: readonly TraceObject[]): TraceObject[] {
  return [...new Map(objects.map((object) => [objectName(object), object])).values()];
}

define("tn-marks", MarksView);
