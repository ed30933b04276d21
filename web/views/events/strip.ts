import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing } from "lit";
import type { Session } from "../../session/session.ts";
import { eventTime, latestEvents } from "../../kube/events.ts";
import type { Event, Row } from "../../kube/types.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";

/** What it stands over. */
export interface EventStripNeeds {
  session: Pick<Session, "events">;
}

/** The newest event on one line; opened, a table of the last two hundred. */
export class EventsView extends LitElement {
  static override properties = { open: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        border-top: 1px solid var(--line);
        background: var(--panel);
        font-size: var(--size-s);
      }
      .line {
        display: flex;
        align-items: center;
        gap: 12px;
        height: 32px;
        padding: 0 8px 0 16px;
      }
      .latest {
        display: flex;
        flex: 1;
        gap: 12px;
        min-width: 0;
        color: var(--text-2);
      }
      .latest b {
        max-width: 24ch;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        font-weight: 600;
        color: var(--text);
      }
      .list {
        max-height: 232px;
        overflow: auto;
        border-top: 1px solid var(--line);
        padding: 0 16px 8px;
      }
      table {
        width: 100%;
        border-collapse: collapse;
      }
      th {
        position: sticky;
        top: 0;
        background: var(--panel);
        text-align: left;
        font-weight: 400;
        color: var(--text-2);
      }
      th,
      td {
        padding: 3px 16px 3px 0;
        vertical-align: top;
        border-bottom: 1px solid var(--line);
      }
      td:not(:last-child) {
        white-space: nowrap;
      }
      [data-warning] .type {
        color: var(--failing);
      }
      p {
        margin: 0;
        padding: 8px 0;
        color: var(--text-2);
      }
    `,
  ];
  declare open: boolean;
  readonly #events;

  constructor(on: EventStripNeeds) {
    super();
    this.open = false;
    this.#events = new Watched(this, on.session.events, 150);
  }

  override render() {
    const { open } = this;
    const latest = latestEvents(this.#events.state.rows.values(), open ? 200 : 1);
    const [newest] = latest;
    return html`<div class="line">
        <span class="latest">${newest ? line(newest) : "No events yet."}</span>
        <button class="quiet toggle" aria-expanded=${open} @click=${() => (this.open = !this.open)}>
          Events <span aria-hidden="true">${open ? "▾" : "▴"}</span>
        </button>
      </div>
      ${open ? html`<div class="list" tabindex="0" aria-label="Events">${table(latest)}</div>` : nothing}`;
  }
}

function line(row: Row<Event>) {
  const { type, reason, message } = row.object;
  return html`<span class="mono">${time(row)}</span>
    <span ?data-warning=${type === "Warning"}><span class="type">${type}</span></span>
    <b>${reason}</b>
    <span class="mono ellipsis">${about(row)}</span>
    <span class="ellipsis">${message}</span>`;
}

function table(rows: Row<Event>[]) {
  if (rows.length === 0) return html`<p>No events yet: they come with the first pod.</p>`;
  return html`<table>
    <thead>
      <tr>
        <th>Last seen</th>
        <th>Type</th>
        <th>Reason</th>
        <th>Object</th>
        <th>Message</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr ?data-warning=${row.object.type === "Warning"}>
            <td class="mono">${time(row)}</td>
            <td class="type">${row.object.type}</td>
            <td>${row.object.reason}</td>
            <td class="mono">${about(row)}</td>
            <td>${row.object.message}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function about({ object: { involvedObject: o } }: Row<Event>): string {
  return `${o.kind?.toLowerCase() ?? ""}/${o.name ?? ""}`;
}

function time(row: Row<Event>): string {
  const at = eventTime(row);
  return at ? new Date(at).toLocaleTimeString("en-GB") : "–";
}

define("tn-events", EventsView);
