import { css, html, LitElement, nothing } from "lit";
import { placePath, type ApiPlace } from "../kube/apipath.ts";
import { fieldSelector } from "../kube/fields.ts";
import { follow, type Followed } from "../kube/follow.ts";
import { kubectlArgument } from "../kube/kubectl.ts";
import { selectedPlace, type Selection } from "../kube/selection.ts";
import type { KubeObject, Row } from "../kube/types.ts";
import type { Session } from "../session/session.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { Watched } from "../ui/watched.ts";
import { openTab } from "../views/inspector/open.ts";
import type { ObjectTab } from "../views/inspector/tab.ts";
import type { ObjectsView } from "../views/objects/objects.ts";
import type { Place } from "./place.ts";

/** What of an object is shown, and the keys' words for it (web/views/objects/keys.ts). */
const TABS = [
  { name: "describe", label: "Describe" },
  { name: "yaml", label: "YAML" },
  { name: "logs", label: "Logs" },
] as const;

interface Needs {
  session: Session;
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
  readonly #selection;
  readonly #route;
  readonly #tabs = new Map<string, ObjectTab>();
  #followed: Followed<KubeObject> | undefined;
  #path = "";
  /** The last that was known of the object, which outlives it. */
  #row: Row<KubeObject> | undefined;
  #problem = "";

  constructor(on: Needs, list: ObjectsView) {
    super();
    this.#on = on;
    this.#list = list;
    this.#selection = new Watched(this, on.page.selection);
    this.#route = new Watched(this, on.page.route);
    this.addEventListener("keydown", (event) => {
      const inside = event.composedPath().includes(this.#list);
      if (event.key !== "Escape" || inside || event.defaultPrevented) return;
      event.preventDefault();
      this.#close();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#followed?.dispose();
  }

  override render() {
    const selected = this.#selection.state;
    this.#follow(selected);
    const place = selected && selectedPlace(selected);
    return html`<div class="list" ?data-behind=${place}>${this.#list}</div>
      ${place ? this.#object(place) : nothing}`;
  }

  protected override updated(): void {
    // Who opened it with a key stays in the table, unless that has given its place to the object.
    const behind = this.renderRoot.querySelector(".list[data-behind]");
    const close = this.renderRoot.querySelector<HTMLElement>(".close");
    if (behind && !behind.checkVisibility() && this.#opening) close?.focus();
    this.#opening = false;
  }
  #opening = false;

  #object(place: ApiPlace) {
    const name = kubectlArgument(place, this.#on.session.catalog.served.state.resources);
    const synced = this.#followed?.rows.state.synced ?? false;
    const deleted = synced && this.#followed?.rows.state.rows.size === 0;
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
          shown && this.#row
            ? this.#tab(shown.name, { place, row: this.#row, deleted }, previous ? show : "")
            : nothing
        }
      </div>
    </section>`;
  }

  #note(deleted: boolean, synced: boolean) {
    const problem = this.#problem || (this.#followed?.problem ?? "");
    const gone = this.#row ? "It has been deleted." : "There is no such object, or no longer.";
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
    const path = this.#path;
    openTab(name, this.#on)
      .then(
        (opened) => path === this.#path && !tabs.has(name) && tabs.set(name, opened),
        (error: unknown) => {
          this.#problem = `This part could not be loaded: ${String(error)}. Check the connection, then reload the page.`;
        },
      )
      .finally(() => this.requestUpdate());
    return nothing;
  }

  #follow(selected: Selection | undefined): void {
    const place = selected && selectedPlace(selected);
    const path = place ? placePath(place) : "";
    if (path === this.#path) return;
    this.#opening = this.#path === "";
    this.#followed?.dispose();
    this.#followed = undefined;
    this.#path = path;
    this.#row = undefined;
    this.#problem = "";
    this.#tabs.clear();
    if (!place?.name) return;
    const { name, ...collection } = place;
    const followed = follow<KubeObject>({
      fetch: this.#on.session.fetch,
      path: placePath(collection),
      query: { fieldSelector: fieldSelector({ "metadata.name": name }) },
      changed: () => this.#changed(followed),
    });
    this.#followed = followed;
  }

  #changed(followed: Followed<KubeObject>): void {
    if (followed !== this.#followed) return;
    const [row] = followed.rows.state.rows.values();
    const selected = this.#on.page.selection.state;
    if (row) {
      this.#row = row;
      // Which row of the table it is.
      const { uid } = row.object.metadata;
      if (selected && selected.uid !== uid) this.#on.page.selection.dispatch({ ...selected, uid });
    }
    this.requestUpdate();
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
