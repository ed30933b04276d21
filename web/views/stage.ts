import { html, LitElement } from "lit";
import type { App } from "../app.ts";
import { link, viewOf } from "../state/route.ts";
import { Watched } from "../state/watched.ts";

/** One view of the main pane. Its element is made when it is first shown, and kept. */
export interface StagePage {
  /** Its name in the address: "#/editor". */
  name: string;
  label: string;
  open(): HTMLElement | Promise<HTMLElement>;
}

/**
 * The main pane: a row of tabs and the view the address names. Drawn into the page, because
 * layout.css styles it; views have their own shadow roots.
 */
export class StageView extends LitElement {
  static override properties = { problem: { state: true } };
  declare problem: string;
  readonly #app: App;
  readonly #pages: readonly StagePage[];
  readonly #route;
  readonly #opened = new Map<string, HTMLElement>();
  readonly #body = document.createElement("div");

  constructor(app: App, pages: readonly StagePage[]) {
    super();
    this.#app = app;
    this.#pages = pages;
    this.problem = "";
    this.#route = new Watched(this, app.route);
    new Watched(this, app.settings);
    this.#body.className = "stage-body";
    this.className = "stage";
  }

  protected override createRenderRoot() {
    return this;
  }

  override render() {
    const current = this.#page();
    return html`<nav class="stage-tabs" aria-label="Views">
        ${this.#pages.map(
          ({ name, label }) =>
            html`<a href=${link(name)} aria-current=${name === current.name ? "page" : "false"}
              >${label}</a
            >`,
        )}
        <span class="gap"></span>
        <button
          class="quiet"
          aria-pressed=${this.#app.settings.state.wide}
          title="Give this pane the terminal's place"
          @click=${() => this.#app.settings.dispatch({ wide: !this.#app.settings.state.wide })}
        >
          ${this.#app.settings.state.wide ? "Show the terminal" : "Full height"}
        </button>
      </nav>
      ${this.problem ? html`<p class="stage-problem" role="alert">${this.problem}</p>` : ""}
      ${this.#body}`;
  }

  protected override updated(): void {
    void this.#show(this.#page());
  }

  #page(): StagePage {
    const name = viewOf(this.#route.state);
    const page = this.#pages.find((p) => p.name === name) ?? this.#pages[0];
    if (!page) throw new Error("the stage has no pages");
    return page;
  }

  async #show(page: StagePage): Promise<void> {
    let element = this.#opened.get(page.name);
    if (!element) {
      const opening = page.open();
      try {
        element = opening instanceof HTMLElement ? opening : await opening;
      } catch (error) {
        this.problem = `${page.label} could not be loaded: ${String(error)}. Check the connection, then reload the page.`;
        return;
      }
      // Another may have been opened, or the same one twice, while this one was on its way.
      element = this.#opened.get(page.name) ?? element;
      this.#opened.set(page.name, element);
      if (this.#page() !== page) return;
    }
    if (this.problem) this.problem = "";
    for (const other of this.#opened.values()) other.hidden = other !== element;
    if (element.parentElement !== this.#body) this.#body.append(element);
  }
}

customElements.define("tn-stage", StageView);
