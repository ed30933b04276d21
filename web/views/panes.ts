import { html, LitElement } from "lit";
import type { App } from "../app.ts";
import { viewOf } from "../state/route.ts";
import { Watched } from "../state/watched.ts";

/** `view`: what the main pane shows then. */
const PANES: readonly { name: string; label: string; view?: string }[] = [
  { name: "term", label: "Terminal" },
  { name: "map", label: "Map", view: "map" },
  { name: "map", label: "Objects", view: "objects" },
  { name: "inspect", label: "Inspect" },
  { name: "events", label: "Events" },
];

export type PaneName = "term" | "map" | "inspect" | "events";

/** The bar with which a phone chooses its one pane. Drawn into the page: layout.css styles it. */
export class PanesView extends LitElement {
  static override properties = { pane: { state: true } };
  declare pane: string;
  readonly #app: App;
  readonly #route;
  #last = "";

  constructor(app: App) {
    super();
    this.#app = app;
    this.#route = new Watched(this, app.route);
    this.pane = "term";
    this.style.display = "contents";
  }

  protected override createRenderRoot() {
    return this;
  }

  override render() {
    const shown = viewOf(this.#route.state);
    return PANES.map(
      ({ name, label, view }) =>
        html`<button
          aria-pressed=${this.pane === name && (view === undefined || view === shown)}
          @click=${() => this.#choose(name, view)}
        >
          ${label}
        </button>`,
    );
  }

  /** Another view in the main pane brings that pane to the front. */
  protected override updated(): void {
    const shown = viewOf(this.#route.state);
    const first = this.#last === "";
    if (shown === this.#last) return;
    this.#last = shown;
    if (!first || location.hash !== "") this.show("map");
  }

  #choose(name: string, view: string | undefined): void {
    this.show(name);
    if (view !== undefined && viewOf(this.#route.state) !== view) {
      this.#app.route.dispatch({ path: [view], query: {} });
    }
  }

  show(pane: string): void {
    this.pane = pane;
    document.body.dataset.pane = pane;
    const work = document.querySelector<HTMLElement>(".work");
    if (work) work.dataset.pane = pane;
  }
}

customElements.define("tn-panes", PanesView);
