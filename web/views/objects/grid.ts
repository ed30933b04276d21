import { define } from "../../ui/define.ts";
import { html, LitElement, nothing } from "lit";
import { cellText, columnWidths, type Sorting } from "../../kube/tables.ts";
import type { Column, KubeObject, Row } from "../../kube/types.ts";
import { base } from "../../ui/base.ts";
import { gridStyle } from "./grid-style.ts";

/** Rows drawn above and below what can be seen. */
const SPARE = 12;
/** Pixels a row is high; on a touch screen a finger must hit it. */
const ROW = matchMedia("(pointer: coarse)").matches ? 40 : 25;

export interface GridRow extends Row<KubeObject> {
  /** What the row's first word is drawn with. */
  state?: string | undefined;
  /** Said of its status when one points at it. */
  note?: string | undefined;
}

/** What a grid tells of: the row under the cursor was opened, or another column was chosen. */
export interface GridEvents {
  open(row: GridRow): void;
  /** By a column; by the same one again, the other way round. */
  sort(by: string): void;
}

/**
 * A table of any length: only the rows in sight are in the document. The cursor is moved by keys
 * and by clicks; the whole is one stop for Tab. Columns are as wide as their longest cell.
 */
export class GridView extends LitElement {
  static override properties = {
    columns: { attribute: false },
    rows: { attribute: false },
    sorting: { attribute: false },
    selected: { attribute: false },
    now: { attribute: false },
    label: { attribute: false },
    cursor: { state: true },
    top: { state: true },
  };
  static override styles = [base, gridStyle];
  declare columns: readonly Column[];
  declare rows: readonly GridRow[];
  declare sorting: Sorting | undefined;
  /** The uid of the row the inspector shows. */
  declare selected: string;
  declare now: number;
  declare label: string;
  /** The uid of the row under the cursor. */
  declare cursor: string;
  declare top: number;
  events: GridEvents | undefined;
  #index = 0;
  #height = 400;
  #widths: number[] = [];
  readonly #observer = new ResizeObserver(() => {
    this.#height = this.clientHeight;
    this.requestUpdate();
  });

  constructor() {
    super();
    this.columns = [];
    this.rows = [];
    this.selected = "";
    this.now = Date.now();
    this.label = "";
    this.cursor = "";
    this.top = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
  }

  /** The row under the cursor. */
  get current(): GridRow | undefined {
    return this.rows[this.#index];
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("selected") && this.selected !== "") this.cursor = this.selected;
    if (changed.has("rows") || changed.has("columns") || changed.has("selected")) {
      this.#widths = columnWidths(this.rows, this.columns);
      // The cursor stays on its object; when that has gone, on the place where it was.
      const at = this.rows.findIndex((row) => row.object.metadata.uid === this.cursor);
      this.#index = at >= 0 ? at : Math.max(0, Math.min(this.#index, this.rows.length - 1));
      this.cursor = this.rows[this.#index]?.object.metadata.uid ?? "";
    }
  }

  override render() {
    const first = Math.max(0, Math.floor(this.top / ROW) - SPARE);
    const last = Math.min(this.rows.length, Math.ceil((this.top + this.#height) / ROW) + SPARE);
    const drawn = this.rows.slice(first, last);
    const current = this.#index >= first && this.#index < last ? `row-${this.#index}` : nothing;
    return html`<div class="scroll" @scroll=${this.#scrolled}>
      <table
        role="grid"
        tabindex="0"
        aria-label=${this.label}
        aria-rowcount=${this.rows.length + 1}
        aria-activedescendant=${current}
        style=${`--row:${ROW}px`}
        @keydown=${this.#key}
        @click=${this.#click}
      >
        <colgroup>
          ${this.#widths.map((width) => html`<col style=${`width:calc(${width}ch + 20px)`} />`)}
          <col />
        </colgroup>
        <thead>
          <tr role="row" aria-rowindex="1">
            ${this.columns.map((column) => this.#head(column))}
            <td role="presentation"></td>
          </tr>
        </thead>
        <tbody>
          <tr role="presentation" style=${`height:${first * ROW}px`}></tr>
          ${drawn.map((row, i) => this.#row(row, first + i))}
          <tr role="presentation" style=${`height:${(this.rows.length - last) * ROW}px`}></tr>
        </tbody>
      </table>
    </div>`;
  }

  #head({ name, description }: Column) {
    const sorted = this.sorting?.by === name;
    const order = !sorted ? "none" : this.sorting?.descending ? "descending" : "ascending";
    return html`<th role="columnheader" scope="col" aria-sort=${order}>
      <button tabindex="-1" title=${description ?? name} data-sort=${name}>
        ${name}<span aria-hidden="true"
          >${sorted ? (this.sorting?.descending ? " ↓" : " ↑") : ""}</span
        >
      </button>
    </th>`;
  }

  #row(row: GridRow, index: number) {
    const { uid } = row.object.metadata;
    return html`<tr
      role="row"
      id=${`row-${index}`}
      data-index=${index}
      aria-rowindex=${index + 2}
      aria-selected=${uid === this.selected && uid !== ""}
      ?data-cursor=${index === this.#index}
    >
      ${this.columns.map(({ name }) => {
        const text = cellText(row, name, this.now);
        const state = name === "Status" ? row.state : undefined;
        const note = name === "Status" ? row.note : undefined;
        return html`<td role="gridcell" title=${note ?? text} data-state=${state ?? nothing}>
          ${text}
        </td>`;
      })}
      <td role="presentation"></td>
    </tr>`;
  }

  override focus(): void {
    // One that was opened a moment ago has no table yet.
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector("table")?.focus({ preventScroll: true }),
    );
  }

  #scrolled(event: globalThis.Event): void {
    this.top = (event.target as HTMLElement).scrollTop;
  }

  #click(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const by = target.closest<HTMLElement>("[data-sort]")?.dataset.sort;
    if (by !== undefined) {
      this.events?.sort(by);
      return;
    }
    const index = Number(target.closest<HTMLElement>("[data-index]")?.dataset.index ?? -1);
    const row = this.rows[index];
    if (!row) return;
    this.#move(index);
    this.events?.open(row);
  }

  #move(to: number): void {
    const index = Math.max(0, Math.min(to, this.rows.length - 1));
    this.#index = index;
    this.cursor = this.rows[index]?.object.metadata.uid ?? "";
    const scroll = this.renderRoot.querySelector<HTMLElement>(".scroll");
    if (!scroll) return;
    const above = index * ROW;
    // The head covers the first row's height.
    const room = scroll.clientHeight - ROW - 4;
    if (above < scroll.scrollTop) scroll.scrollTop = above;
    else if (above + ROW > scroll.scrollTop + room) scroll.scrollTop = above + ROW - room;
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#height / ROW) - 2);
    const target: Record<string, number> = {
      ArrowUp: this.#index - 1,
      k: this.#index - 1,
      ArrowDown: this.#index + 1,
      j: this.#index + 1,
      PageUp: this.#index - page,
      PageDown: this.#index + page,
      Home: 0,
      g: 0,
      End: this.rows.length - 1,
      G: this.rows.length - 1,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = target[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      this.#move(to);
    } else if (event.key === "Enter" && this.current) {
      event.preventDefault();
      event.stopPropagation();
      this.events?.open(this.current);
    }
  }
}

define("tn-grid", GridView);
