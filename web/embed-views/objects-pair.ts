import { css, html, LitElement, nothing } from "lit";
import type { ApiPlace } from "../kube/apipath.ts";
import { kubectlArgument } from "../kube/kubectl.ts";
import { SelectedObject } from "../kube/selected-object.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { Watched } from "../ui/watched.ts";
import { openTab } from "../views/inspector/open.ts";
import type { ObjectTab, TabNeeds } from "../views/inspector/tab.ts";
import type { ObjectsView } from "../views/objects/objects.ts";
import type { Place } from "./place.ts";

/** What of an object is shown, and the keys' words for it (web/views/objects/keys.ts). */
const TABS = [
  { name: "describe", label: "Describe" },
  { name: "yaml", label: "YAML" },
  { name: "logs", label: "Logs" },
] as const;

interface Needs {
  session: TabNeeds["session"];
  page: Place;
}

/** A table of objects and, beside it, or in its place where that is narrow, the one that is open. */
export class ObjectsPair extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        height: 100%;
        min-height: 0;
        font-size: var(--size-s);
      }
      .list,
      .object {
        flex: 1 1 0;
        min-width: 0;
        height: 100%;
      }
      .list > * {
        height: 100%;
      }
      .object {
        display: flex;
        flex-direction: column;
        border-left: 1px solid var(--line);
      }
      header {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px;
        padding: 6px 8px;
      }
      header .name {
        flex: 1 1 12ch;
        margin: 0;
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }
      .quiet[aria-pressed="true"] {
        background: var(--accent-soft);
        color: var(--text);
      }
      .tab {
        flex: 1;
        min-height: 0;
      }
      .note {
        margin: 0;
        padding: 0 8px 8px;
        color: var(--text-2);
        overflow-wrap: anywhere;
      }
      @container tabernetes (max-width: 719px) {
        .list[data-behind] {
          display: none;
        }
        .object {
          border-left: 0;
        }
      }
    `,
  ];
  readonly #on: Needs;
  readonly #list: ObjectsView;
  readonly #object: SelectedObject;
  readonly #route;
  readonly #tabs = new Map<string, ObjectTab>();
  #problem = "";

  constructor(on: Needs, list: ObjectsView) {
    super();
    this.#on = on;
    this.#list = list;
    new Watched(this, on.page.selection);
    this.#object = new SelectedObject({
      fetch: on.session.fetch,
      selection: on.page.selection,
      changed: () => this.requestUpdate(),
    });
    this.#route = new Watched(this, on.page.route);
    this.addEventListener("keydown", (event) => {
      const inside = event.composedPath().includes(this.#list);
      if (event.key !== "Escape" || inside || event.defaultPrevented) return;
      event.preventDefault();
      this.#close();
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate(); // it may have been elsewhere before
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#object.dispose();
  }

  protected override willUpdate(): void {
    const before = this.#object.place;
    if (!this.#object.select()) return;
    this.#opening = !before;
    this.#problem = "";
    this.#tabs.clear();
  }

  override render() {
    const { place } = this.#object;
    return html`<div class="list" ?data-behind=${place}>${this.#list}</div>
      ${place ? this.#shown(place) : nothing}`;
  }

  protected override updated(): void {
    // Who opened it with a key stays in the table, unless that has given its place to the object.
    const behind = this.renderRoot.querySelector(".list[data-behind]");
    const close = this.renderRoot.querySelector<HTMLElement>(".close");
    if (behind && !behind.checkVisibility() && this.#opening) close?.focus();
    this.#opening = false;
  }
  #opening = false;

  #shown(place: ApiPlace) {
    const name = kubectlArgument(place, this.#on.session.catalog.served.state.resources);
    const { row, synced, deleted } = this.#object;
    const isPod = place.resource === "pods" && place.group === "";
    const tabs = TABS.filter((tab) => tab.name !== "logs" || isPod);
    const show = this.#route.state.query.show ?? "";
    const previous = show === "previous";
    const shown = tabs.find((tab) => tab.name === (previous ? "logs" : show)) ?? tabs[0];
    return html`<section class="object" aria-label=${name}>
      <header>
        <h2 class="name mono">${name}</h2>
        ${tabs.map(
          (tab) =>
            html`<button
              class="quiet"
              aria-pressed=${tab === shown}
              @click=${() => this.#show(tab.name)}
            >
              ${tab.label}
            </button>`,
        )}
        <button class="quiet close" title="Close (Esc)" @click=${() => this.#close()}>Close</button>
      </header>
      ${this.#note(deleted, synced)}
      <div class="tab">
        ${
          shown && row
            ? this.#tab(shown.name, { place, row, deleted }, previous ? show : "")
            : nothing
        }
      </div>
    </section>`;
  }

  #note(deleted: boolean, synced: boolean) {
    const problem = this.#problem || this.#object.problem;
    const gone = this.#object.row
      ? "It has been deleted."
      : "There is no such object, or no longer.";
    const text = problem || (deleted ? gone : synced ? "" : "Asking the apiserver for it.");
    return text ? html`<p class="note" role="status">${text}</p>` : nothing;
  }

  /** The page's own tab; it is loaded when it is first shown. */
  #tab(name: string, subject: ObjectTab["subject"], option: string) {
    const tab = this.#tabs.get(name);
    if (tab) {
      tab.subject = subject;
      tab.option = option;
      return tab;
    }
    if (this.#problem) return nothing;
    const tabs = this.#tabs;
    const { place } = this.#object;
    openTab(name, this.#on)
      .then(
        (opened) => place === this.#object.place && !tabs.has(name) && tabs.set(name, opened),
        (error: unknown) => {
          this.#problem = `This part could not be loaded: ${String(error)}. Check the connection, then reload the page.`;
        },
      )
      .finally(() => this.requestUpdate());
    return nothing;
  }

  #show(show: string): void {
    const { path, query } = this.#route.state;
    this.#on.page.route.dispatch({ path, query: { ...query, show } });
  }

  #close(): void {
    this.#on.page.selection.dispatch(undefined);
    void this.updateComplete.then(() => this.#list.focus());
  }
}

define("tn-objects-pair", ObjectsPair);
