import { html, LitElement, nothing } from "lit";
import {
  emptyLog,
  passes,
  take,
  type AuditEvent,
  type AuditFilter,
  type AuditLog,
} from "../../configuration/audit.ts";
import type { AuditLine } from "../../rpc/protocol.ts";
import type { Session } from "../../session/session.ts";
import type { Disposable } from "../../state/disposable.ts";
import { Store } from "../../state/store.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";
import { partStyle } from "./style.ts";

/** What it stands over. */
export interface AuditNeeds {
  session: Pick<Session, "controlPlane">;
  choose(part: string): void;
}

/** How many lines are drawn. */
const LINES = 200;

const STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

/** Milliseconds between two drawings: a busy cluster writes hundreds of events a second. */
const EVERY = 500;

/** What the audit policy records, the latest first. */
export class AuditView extends LitElement {
  static override properties = { filter: { state: true }, open: { state: true } };
  static override styles = [base, partStyle];
  declare filter: AuditFilter;
  /** The number of the event that is shown whole. */
  declare open: number | undefined;
  readonly #on: AuditNeeds;
  readonly #store = new Store<AuditLog, readonly AuditLine[] | "again">(
    (old, lines) => (lines === "again" ? emptyLog : take(old, lines)),
    emptyLog,
  );
  readonly #log: Watched<AuditLog>;
  #follows: Disposable | undefined;

  constructor(on: AuditNeeds) {
    super();
    this.#on = on;
    this.filter = { words: "", stage: "", refused: false };
    this.open = undefined;
    this.#log = new Watched(this, this.#store, EVERY);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#store.dispatch("again");
    this.open = undefined;
    this.#follows = this.#on.session.controlPlane.audit((lines) => this.#store.dispatch(lines));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#follows?.dispose();
  }

  override render() {
    const { events, missed } = this.#log.state;
    const found = events.filter((event) => passes(event, this.filter));
    const shown = found.slice(-LINES).reverse();
    return html`<h2>Audit</h2>
      ${
        events.length === 0
          ? html`<p>
              Nothing is recorded. An
              <button class="link" @click=${() => this.#on.choose("files/audit.yaml")}>
                audit policy
              </button>
              says what is; Begin has two.
            </p>`
          : nothing
      }
      <div class="bar">
        <label
          >Words
          <input
            .value=${this.filter.words}
            maxlength="200"
            placeholder="create jane 403"
            @input=${(event: Event) => this.#narrow({ words: (event.target as HTMLInputElement).value })}
        /></label>
        <label
          >Stage
          <select
            @change=${(event: Event) => this.#narrow({ stage: (event.target as HTMLSelectElement).value })}
          >
            <option value="">any</option>
            ${STAGES.map((stage) => html`<option>${stage}</option>`)}
          </select></label
        >
        <label
          ><input
            type="checkbox"
            .checked=${this.filter.refused}
            @change=${(event: Event) => this.#narrow({ refused: (event.target as HTMLInputElement).checked })}
          />
          only what was refused</label
        >
        <span class="quiet-text" role="status"
          >${found.length} of ${events.length}${missed > 0 ? `, ${missed} missed` : ""}</span
        >
      </div>
      <table class="cards">
        <thead>
          <tr>
            <th>Time</th>
            <th>Stage</th>
            <th>User</th>
            <th>Request</th>
            <th>Status</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map((event) => this.#event(event))}
        </tbody>
      </table>
      ${found.length > shown.length ? html`<p>and ${found.length - shown.length} before these</p>` : nothing}`;
  }

  #event(event: AuditEvent) {
    const open = this.open === event.number;
    return html`<tr>
        <td>
          <button
            class="link"
            aria-expanded=${open}
            @click=${() => (this.open = open ? undefined : event.number)}
          >
            ${event.at.slice(11, 23) || "?"}
          </button>
        </td>
        <td>${event.stage}</td>
        <td class="mono">${event.user}</td>
        <td class="wide mono">${event.verb} ${event.uri.slice(0, 300)}</td>
        <td>${event.code || ""}</td>
        <td class="wide">${event.reason}</td>
      </tr>
      ${
        open
          ? html`<tr>
              <td colspan="6">
                <pre tabindex="0">${JSON.stringify(event.whole, undefined, 2)}</pre>
              </td>
            </tr>`
          : nothing
      }`;
  }

  #narrow(some: Partial<AuditFilter>): void {
    this.filter = { ...this.filter, ...some };
  }
}

define("tn-audit", AuditView);
