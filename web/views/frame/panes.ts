import { css, html, LitElement } from "lit";
import type { Page, Pane } from "../../page/page.ts";
import { inBar } from "../../page/views.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";

/** What it stands over. */
export interface PanesNeeds {
  page: Pick<Page, "home" | "route" | "pane" | "shown" | "terminal" | "views">;
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
        min-width: 0;
        min-height: 48px;
        padding: 0 1px;
        font-size: 13px;
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
  readonly #home;
  readonly #shown;
  readonly #pane;
  readonly #views;

  constructor(on: PanesNeeds) {
    super();
    this.#on = on;
    this.#home = new Watched(this, on.page.home);
    this.#shown = new Watched(this, on.page.shown);
    this.#pane = new Watched(this, on.page.pane);
    this.#views = new Watched(this, on.page.views.list);
  }

  override render() {
    const shown = this.#shown.state;
    const pane = this.#pane.state;
    return html`${this.#button("Terminal", pane === "term", () => {
      this.#show("term");
      // Whoever goes there wants to type.
      this.#on.page.terminal?.focus();
    })}
    ${this.#views.state
      .filter((view) => inBar(view, this.#home.state, shown))
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
    const { route, pane, shown } = this.#on.page;
    pane.dispatch(name);
    if (view !== undefined && shown.state !== view) {
      route.dispatch({ path: [view], query: {} });
    }
  }
}

define("tn-panes", PanesView);
