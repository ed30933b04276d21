import { css, html, LitElement } from "lit";
import type { Page, Pane } from "../../page/page.ts";
import { viewOf } from "../../page/route.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";

/** What it stands over. */
export interface PanesNeeds {
  page: Pick<Page, "route" | "pane" | "views">;
}

/** The bar with which a phone chooses its one pane. */
export class PanesView extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-auto-flow: column;
        grid-auto-columns: 1fr;
      }
      button {
        min-height: 48px;
        border: 0;
        border-top: 2px solid transparent;
        background: none;
        color: var(--text-2);
      }
      button[aria-pressed="true"] {
        color: var(--text);
        border-top-color: var(--accent);
      }
    `,
  ];
  readonly #on: PanesNeeds;
  readonly #route;
  readonly #pane;
  readonly #views;

  constructor(on: PanesNeeds) {
    super();
    this.#on = on;
    this.#route = new Watched(this, on.page.route);
    this.#pane = new Watched(this, on.page.pane);
    this.#views = new Watched(this, on.page.views.list);
  }

  override render() {
    const shown = viewOf(this.#route.state);
    const pane = this.#pane.state;
    return html`${this.#button("Terminal", pane === "term", () => this.#show("term"))}
    ${this.#views.state
      .filter(({ bar }) => bar)
      .map(({ name, label }) =>
        this.#button(label, pane === "map" && name === shown, () => this.#show("map", name)),
      )}
    ${this.#button("Inspect", pane === "inspect", () => this.#show("inspect"))}
    ${this.#button("Guide", pane === "guide", () => this.#show("guide"))}`;
  }

  #button(label: string, pressed: boolean, choose: () => void) {
    return html`<button aria-pressed=${pressed} @click=${choose}>${label}</button>`;
  }

  #show(name: Pane, view?: string): void {
    const { route, pane } = this.#on.page;
    pane.dispatch(name);
    if (view !== undefined && viewOf(route.state) !== view) {
      route.dispatch({ path: [view], query: {} });
    }
  }
}

define("tn-panes", PanesView);
