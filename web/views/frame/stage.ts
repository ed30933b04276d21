import { css, html, LitElement, nothing } from "lit";
import type { Page } from "../../page/page.ts";
import { link } from "../../page/route.ts";
import { inBar, type PageView } from "../../page/views.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";

/** Characters of an unknown name that are shown. */
const LONGEST = 80;

/** Those that stand elsewhere, too, and bring their heading with them. */
const HEADED = new Set(["map", "journey", "trace"]);

/** What it stands over. */
export interface StageNeeds {
  page: Pick<Page, "entered" | "home" | "settings" | "shown" | "views">;
}

/**
 * The main pane: a row of tabs and the view that the address names. A view's element is its child,
 * made when it is first shown, and kept.
 */
export class StageView extends LitElement {
  static override properties = { problem: { state: true }, said: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
      }
      nav {
        display: flex;
        flex: none;
        align-items: stretch;
        height: 33px;
        padding: 0 8px 0 4px;
        border-bottom: 1px solid var(--line);
        font-size: var(--size-s);
      }
      /* Views that come beside the others scroll; the button stays. */
      .tabs {
        display: flex;
        flex: 1;
        min-width: 0;
        overflow-x: auto;
        scrollbar-width: none;
      }
      a {
        display: flex;
        align-items: center;
        padding: 2px 10px 0;
        border-bottom: 2px solid transparent;
        color: var(--text-2);
        text-decoration: none;
        white-space: nowrap;
      }
      a:hover {
        color: var(--text);
      }
      a[aria-current="page"] {
        color: var(--text);
        border-bottom-color: var(--accent);
      }
      a:focus-visible {
        outline-offset: -3px;
      }
      button {
        align-self: center;
        white-space: nowrap;
      }
      .body {
        position: relative;
        flex: 1;
        min-height: 0;
      }
      .body[hidden] {
        display: none;
      }
      ::slotted(*) {
        height: 100%;
      }
      ::slotted([hidden]) {
        display: none;
      }
      .problem,
      .unknown {
        margin: 0;
        padding: 16px;
        overflow-wrap: anywhere;
      }
      .problem {
        color: var(--failing);
      }
      .unknown a {
        display: inline;
        padding: 0;
        border: 0;
        color: var(--accent);
        text-decoration: underline;
      }
      /* What a phone's bar has is not offered here as well. */
      @media (max-width: 799px) {
        button,
        a[data-bar] {
          display: none;
        }
      }
    `,
  ];
  declare problem: string;
  /** What a screen reader says when another view takes the place of the one before. */
  declare said: string;
  readonly #on: StageNeeds;
  readonly #home;
  readonly #shown;
  readonly #views;
  readonly #settings;
  readonly #opened = new Map<PageView, HTMLElement>();
  #entered = false;

  constructor(on: StageNeeds) {
    super();
    this.#on = on;
    this.problem = "";
    this.said = "";
    this.#home = new Watched(this, on.page.home);
    this.#shown = new Watched(this, on.page.shown);
    this.#views = new Watched(this, on.page.views.list);
    this.#settings = new Watched(this, on.page.settings);
    on.page.entered.subscribe(() => {
      this.#entered = true;
      this.requestUpdate();
    });
  }

  override render() {
    const current = this.#current();
    const { wide } = this.#settings.state;
    return html`<nav aria-label="Views">
        <div class="tabs">
          ${this.#tabs().map(
            (view) =>
              html`<a
                href=${link(view.name)}
                ?data-bar=${inBar(view, this.#home.state, this.#shown.state)}
                aria-current=${view === current ? "page" : "false"}
                >${view.label}</a
              >`,
          )}
        </div>
        <button
          class="quiet"
          aria-pressed=${wide}
          title="Give this pane the terminal's place"
          @click=${() => this.#on.page.settings.dispatch({ wide: !wide })}
        >
          ${wide ? "Show the terminal" : "Full height"}
        </button>
      </nav>
      <p class="sr" role="status">${this.said}</p>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      ${current ? nothing : this.#unknown()}
      ${current && !HEADED.has(current.name) ? html`<h2 class="sr">${current.label}</h2>` : nothing}
      <div class="body" ?hidden=${!current}><slot></slot></div>`;
  }

  protected override updated(): void {
    for (const [view, element] of this.#opened) {
      if (this.#views.state.includes(view)) continue;
      element.remove();
      this.#opened.delete(view);
    }
    const current = this.#current();
    if (current) void this.#show(current);
  }

  /** What stands aside has a tab as long as it is shown. */
  #tabs(): readonly PageView[] {
    const current = this.#current();
    return this.#views.state.filter((view) => !view.aside || view === current);
  }

  #current(): PageView | undefined {
    const name = this.#shown.state;
    return this.#views.state.find((view) => view.name === name);
  }

  /** An address may be old, mistyped or made up. */
  #unknown() {
    const [first] = this.#views.state;
    return html`<p class="unknown" role="alert">
      This page has no view called
      <code class="mono">${this.#shown.state.slice(0, LONGEST)}</code>, which its address asks for.
      Choose one
      above${first ? html`, or see the <a href=${link(first.name)}>${first.label}</a>` : nothing}.
    </p>`;
  }

  async #show(view: PageView): Promise<void> {
    let element = this.#opened.get(view);
    if (!element) {
      const opening = view.open();
      try {
        element = opening instanceof HTMLElement ? opening : await opening;
      } catch (error) {
        this.problem = `${view.label} could not be loaded: ${String(error)}. Check the connection, then reload the page.`;
        return;
      }
      // Another may have been opened, or the same one twice, while this one was on its way.
      element = this.#opened.get(view) ?? element;
      this.#opened.set(view, element);
      if (this.#current() !== view) return;
    }
    if (this.problem) this.problem = "";
    const instead = [...this.#opened.values()].some((other) => other !== element && !other.hidden);
    for (const other of this.#opened.values()) other.hidden = other !== element;
    // Where the focus goes there is said what is there.
    if (instead) this.said = this.#entered ? "" : `${view.label} is shown`;
    if (element.parentElement !== this) this.append(element);
    if (this.#entered) element.focus();
    this.#entered = false;
  }
}

define("tn-stage", StageView);
