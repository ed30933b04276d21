import { css, html, LitElement } from "lit";
import type { Page, Pane } from "../../page/page.ts";
import { viewOf } from "../../page/route.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";

/** `view`: what the main pane shows then. */
const PANES: readonly { name: Pane; label: string; view?: string }[] = [
  { name: "term", label: "Terminal" },
  { name: "map", label: "Map", view: "map" },
  { name: "map", label: "Objects", view: "objects" },
  { name: "inspect", label: "Inspect" },
  { name: "events", label: "Events" },
  { name: "guide", label: "Guide" },
];

/** What it stands over. */
export interface PanesNeeds {
  page: Pick<Page, "route" | "pane">;
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

  constructor(on: PanesNeeds) {
    super();
    this.#on = on;
    this.#route = new Watched(this, on.page.route);
    this.#pane = new Watched(this, on.page.pane);
  }

  override render() {
    const shown = viewOf(this.#route.state);
    return PANES.map(
      ({ name, label, view }) =>
        html`<button
          aria-pressed=${this.#pane.state === name && (view === undefined || view === shown)}
          @click=${() => this.#choose(name, view)}
        >
          ${label}
        </button>`,
    );
  }

  #choose(name: Pane, view: string | undefined): void {
    const { route, pane } = this.#on.page;
    pane.dispatch(name);
    if (view !== undefined && viewOf(route.state) !== view) {
      route.dispatch({ path: [view], query: {} });
    }
  }
}

define("tn-panes", PanesView);
