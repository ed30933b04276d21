import { css, html, LitElement } from "lit";
import { loadEditions, type Edition } from "../../editions/editions.ts";
import { drawLine } from "../../prose/draw.ts";
import { plain } from "../../prose/prose.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";

/** What it stands over. */
export interface EditionsNeeds {
  /** Shows what a line names: "guide/cri" or a view. */
  go(here: string): void;
}

/** What the guide's editions say that is not so any more, and what holds today. */
export class EditionsView extends LitElement {
  static override properties = { lines: { state: true }, wanted: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        height: 100%;
        overflow: auto;
        font-size: var(--size-s);
      }
      .page {
        padding: 12px 16px 24px;
      }
      h2 {
        margin: 0 0 4px;
        font-size: var(--size-m);
        font-weight: 600;
      }
      p {
        max-width: 80ch;
        margin: 0 0 8px;
        color: var(--text-2);
      }
      input {
        width: min(100%, 320px);
        height: 28px;
        padding: 2px 6px;
        border: 1px solid var(--line-strong);
        border-radius: 4px;
        background: var(--raised);
        color: var(--text);
        font: var(--size-s) var(--mono);
      }
      table {
        width: 100%;
        margin-top: 12px;
        border-collapse: collapse;
      }
      th,
      td {
        padding: 6px 12px 6px 0;
        border-top: 1px solid var(--line);
        text-align: left;
        vertical-align: top;
        overflow-wrap: anywhere;
      }
      th {
        color: var(--text-2);
        font-weight: 400;
      }
      td:first-child,
      td:nth-child(3) {
        width: 32%;
      }
      td:nth-child(2) {
        white-space: nowrap;
      }
      code {
        font-family: var(--mono);
      }
      a {
        color: var(--accent);
      }
      @media (max-width: 799px) {
        thead {
          position: absolute;
          clip-path: inset(50%);
        }
        tr,
        td:nth-child(-n + 3) {
          display: block;
          width: auto;
        }
        td {
          border: 0;
          padding: 2px 0;
        }
        td:nth-child(n + 4) {
          display: inline-block;
          padding-right: 24px;
        }
        tr {
          padding: 8px 0;
          border-top: 1px solid var(--line);
        }
        td:first-child {
          color: var(--text-2);
        }
        td a {
          display: inline-block;
          padding: 4px 0;
        }
      }
    `,
  ];
  declare lines: readonly Edition[];
  declare wanted: string;
  readonly #on: EditionsNeeds;

  constructor(on: EditionsNeeds) {
    super();
    this.#on = on;
    this.lines = [];
    this.wanted = "";
    void loadEditions().then((lines) => (this.lines = lines));
  }

  override render() {
    const wanted = this.wanted.trim().toLowerCase();
    const shown = this.lines.filter((line) => textOf(line).includes(wanted));
    return html`<div class="page">
      <h2>Then and now</h2>
      <p>
        What the editions of “What happens when … Kubernetes edition” say that is not so any more: a
        the earliest, b since 2021, c a short retelling, d of November 2018. Beside it what holds in
        ${this.lines[0]?.source.version ?? "Kubernetes"}, the line of source that decides it, and
        where it is seen here.
      </p>
      <input
        type="search"
        aria-label="Filter the lines"
        placeholder="Filter"
        .value=${this.wanted}
        @input=${(event: InputEvent) => (this.wanted = (event.target as HTMLInputElement).value)}
      />
      <table aria-label="Then and now">
        <thead>
          <tr>
            <th>The editions say</th>
            <th><abbr title="Edition">Ed.</abbr></th>
            <th>Today</th>
            <th>Source</th>
            <th>Here</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map((line) => this.#row(line))}
        </tbody>
      </table>
      <p role="status">
        ${this.lines.length > 0 && shown.length === 0 ? "No line says that." : ""}
      </p>
    </div>`;
  }

  #row({ says, editions, today, source, here }: Edition) {
    return html`<tr>
      <td>${drawLine(says, String)}</td>
      <td>${editions.join(" ")}</td>
      <td>${drawLine(today, String)}</td>
      <td>
        <a
          href="https://github.com/kubernetes/kubernetes/blob/${source.version}/${source.path}#L${source.line}"
          target="_blank"
          rel="noreferrer"
          title="${source.path}, line ${source.line}"
          ><code>${source.name}</code></a
        >
      </td>
      <td>
        <a
          href="#/${here}"
          @click=${(event: Event) => {
            event.preventDefault();
            this.#on.go(here);
          }}
          >${here.replace("guide/", "guide: ")}</a
        >
      </td>
    </tr>`;
  }
}

function textOf({ says, today, source }: Edition): string {
  return [plain(says), plain(today), source.name, source.path].join("\n").toLowerCase();
}

define("tn-editions", EditionsView);
