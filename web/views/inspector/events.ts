import { define } from "../../ui/define.ts";
import { html, nothing } from "lit";
import { fieldSelector } from "../../kube/fields.ts";
import { follow, type Followed } from "../../kube/follow.ts";
import { latestEvents } from "../../kube/events.ts";
import { age } from "../../kube/age.ts";
import type { Event } from "../../kube/types.ts";
import { base } from "../../ui/base.ts";
import { ObjectTab } from "./tab.ts";
import { tabStyle } from "./tab-style.ts";
import { eventsTabStyle } from "./events-style.ts";

/** The events about the object, which the API picks by their involvedObject. */
export class EventsTab extends ObjectTab {
  static override styles = [base, tabStyle, eventsTabStyle];
  #followed: Followed<Event> | undefined;
  #about = "";

  override render() {
    this.#follow();
    const state = this.#followed?.rows.state;
    if (!state?.synced) return nothing;
    const events = latestEvents(state.rows.values(), 200);
    if (events.length === 0) {
      return html`<p class="note">
        No events about it. They are kept for an hour (--event-ttl of the apiserver).
      </p>`;
    }
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Events">
      <ol>
        ${events.map(
          ({ object, cells }) =>
            html`<li ?data-warning=${object.type === "Warning"}>
              <b>${object.type === "Warning" ? "Warning " : ""}${object.reason}</b>
              <span class="mono"
                >${(object.count ?? 1) > 1 ? `× ${object.count ?? 1}, ` : ""}${age(
                  object.lastTimestamp ?? object.eventTime,
                  Date.now(),
                )}</span
              >
              <button
                class="quiet"
                aria-label=${`The step that ${object.reason ?? "it"} tells of`}
                @click=${() => this.on.page.showEvent?.(object)}
              >
                Step
              </button>
              <p>${object.message}</p>
              <p class="from mono">${cells.Source ?? ""}</p>
            </li>`,
        )}
      </ol>
    </div>`;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#followed?.dispose();
    this.#followed = undefined;
    this.#about = "";
  }

  #follow(): void {
    const { kind = "", metadata } = this.subject.row.object;
    const about = `${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
    if (about === this.#about) return;
    this.#about = about;
    this.#followed?.dispose();
    const { namespace, name } = metadata;
    this.#followed = follow<Event>({
      fetch: this.on.session.fetch,
      // Events about what is in no namespace are in "default".
      path: `/api/v1/namespaces/${namespace ?? "default"}/events`,
      query: {
        fieldSelector: fieldSelector({ "involvedObject.kind": kind, "involvedObject.name": name }),
      },
      changed: () => this.requestUpdate(),
    });
  }
}

define("tn-object-events", EventsTab);
