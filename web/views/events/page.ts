import { define } from "../../ui/define.ts";
import { css, html, LitElement } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { withObject } from "../../page/address.ts";
import { placeOf } from "../../kube/apipath.ts";
import { byKind } from "../../kube/discovery.ts";
import { eventTime, latestEvents } from "../../kube/events.ts";
import type { Event as KubeEvent, Row } from "../../kube/types.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { tableStyle } from "../../ui/table-style.ts";

/** How many are drawn; older ones are a matter for `kubectl events`. */
const SHOWN = 400;

/** What it stands over. */
export interface EventsPageNeeds {
  session: Pick<Session, "catalog" | "events">;
  page: Pick<Page, "route" | "showEvent" | "terminal">;
}

/** Every event, the newest first, filtered by kind and by words. */
export class EventsPage extends LitElement {
  static override properties = { words: { state: true }, only: { state: true } };
  static override styles = [
    base,
    tableStyle,
    css`
      [data-warning] .type {
        color: var(--failing);
      }
      /* What an event says is what one looks for: names give way to it. */
      .about {
        min-width: 144px;
        white-space: normal;
        overflow-wrap: anywhere;
      }
      td.wide {
        min-width: 176px;
      }
      @media (max-width: 799px) {
        thead {
          display: none;
        }
        tr {
          display: flex;
          flex-wrap: wrap;
          gap: 2px 12px;
          padding: 6px 0;
          border-bottom: 1px solid var(--line);
        }
        td {
          padding: 0;
          border: 0;
        }
        td.about,
        td.wide {
          flex: 1 0 100%;
          order: 1;
          min-width: 0;
        }
        .link {
          min-height: 24px;
        }
        .times::before {
          content: "×";
        }
      }
    `,
  ];
  declare words: string;
  declare only: "" | "Warning" | "Normal";
  readonly #on: EventsPageNeeds;
  readonly #events;

  constructor(on: EventsPageNeeds) {
    super();
    this.#on = on;
    this.words = "";
    this.only = "";
    this.#events = new Watched(this, on.session.events, 150);
  }

  override render() {
    const { rows } = this.#events.state;
    const matching = [...rows.values()].filter((row) => this.#matches(row));
    const shown = latestEvents(matching, SHOWN);
    return html`<div class="page">
      <div class="bar">
        <input
          type="search"
          placeholder="Filter by words"
          aria-label="Filter events by words"
          @input=${(event: Event) => (this.words = (event.target as HTMLInputElement).value)}
        />
        <label
          >Type
          <select
            @change=${(event: Event) => (this.only = (event.target as HTMLSelectElement).value as "")}
          >
            <option value="">all</option>
            <option>Warning</option>
            <option>Normal</option>
          </select></label
        >
        <span class="quiet-text" role="status"
          >${shown.length} of ${rows.size}
          events${matching.length > SHOWN ? ", the newest" : ""}</span
        >
        <button
          class="quiet mono"
          title="Run it in the terminal"
          @click=${() => this.#on.page.terminal?.run("kubectl events -A --watch")}
        >
          kubectl events -A --watch
        </button>
      </div>
      ${
        shown.length === 0
          ? html`<p class="quiet-text">
              ${rows.size === 0 ? "No events yet: they come with the first pod." : "None of them matches."}
            </p>`
          : this.#table(shown)
      }
    </div>`;
  }

  #table(shown: Row<KubeEvent>[]) {
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Events">
      <table>
        <thead>
          <tr>
            <th>Last seen</th>
            <th>Type</th>
            <th>Reason</th>
            <th>Object</th>
            <th>Count</th>
            <th>Message</th>
          </tr>
        </thead>
        <tbody>
          ${repeat(
            shown,
            (row) => row.object.metadata.uid,
            (row) => this.#row(row),
          )}
        </tbody>
      </table>
    </div>`;
  }

  #row(row: Row<KubeEvent>) {
    const { type, reason, message, count, involvedObject: about } = row.object;
    const at = eventTime(row);
    const name = `${about.kind?.toLowerCase() ?? ""}/${about.name ?? ""}`;
    const known = about.kind !== undefined && about.name !== undefined;
    return html`<tr ?data-warning=${type === "Warning"}>
      <td class="mono">${at ? new Date(at).toLocaleTimeString("en-GB") : "–"}</td>
      <td class="type">${type}</td>
      <td>
        <button
          class="link"
          title="The step that it tells of"
          @click=${() => this.#on.page.showEvent?.(row.object)}
        >
          ${reason}
        </button>
      </td>
      <td class="mono about">
        ${
          known
            ? html`<button class="link" @click=${() => this.#select(row.object)}>${name}</button>`
            : name
        }
      </td>
      <td class="mono times">${count ?? 1}</td>
      <td class="wide">${message}</td>
    </tr>`;
  }

  #select({ involvedObject: { apiVersion, kind = "", name, namespace } }: KubeEvent): void {
    void this.#on.session.catalog.use().then((resources) => {
      const resource = byKind(resources, apiVersion ?? "v1", kind);
      if (!resource) return;
      const place = placeOf(resource, namespace, name);
      this.#on.page.route.dispatch(withObject(this.#on.page.route.state, place));
    });
  }

  #matches({ object }: Row<KubeEvent>): boolean {
    if (this.only && object.type !== this.only) return false;
    if (this.words.trim() === "") return true;
    const { kind = "", name = "", namespace = "" } = object.involvedObject;
    const text =
      `${object.reason ?? ""} ${object.message ?? ""} ${kind}/${name} ${namespace}`.toLowerCase();
    return this.words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
  }
}

define("tn-events-page", EventsPage);
