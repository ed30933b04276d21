import { define } from "../../ui/define.ts";
import { css, html, LitElement, svg } from "lit";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { readyAfter } from "../../boot/boot.ts";
import type { Settings } from "../../page/settings.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";

const NEXT: Record<Settings["theme"], Settings["theme"]> = {
  auto: "light",
  light: "dark",
  dark: "auto",
};

const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);
/** The keys of the palette. A terminal keeps Ctrl-K for itself, and F6 leads out of it. */
const PALETTE_KEYS = MAC ? "⌘K" : "Ctrl K";
const FROM_TERMINAL = MAC ? "⌘K" : "F6, Ctrl K";

/** What it stands over. */
export interface ToolsNeeds {
  session: Pick<Session, "cluster">;
  page: Pick<Page, "settings" | "inTerminal" | "palette" | "route" | "steps">;
}

/** The right end of the header: its children, how the start went, and the theme. */
export class ToolsView extends LitElement {
  static override styles = [
    base,
    css`
      div {
        display: flex;
        align-items: center;
        gap: 8px;
      }
      .theme {
        display: flex;
        align-items: center;
        gap: 6px;
        height: 28px;
      }
      /* As wide as the longer one: nothing beside it moves with the focus. */
      .keys {
        display: inline-block;
        min-width: 10ch;
        text-align: right;
      }
      .touch {
        display: none;
      }
      @media (max-width: 799px) {
        .theme span,
        .ready,
        .share,
        .guide,
        .keys {
          display: none;
        }
        .touch {
          display: inline;
        }
      }
    `,
  ];
  readonly #on: ToolsNeeds;
  readonly #boot;
  readonly #settings;
  readonly #inTerminal;

  constructor(on: ToolsNeeds) {
    super();
    this.#on = on;
    this.#boot = new Watched(this, on.session.cluster.boot);
    this.#settings = new Watched(this, on.page.settings);
    this.#inTerminal = new Watched(this, on.page.inTerminal);
  }

  override render() {
    const { theme, guideOpen } = this.#settings.state;
    const after = readyAfter(this.#boot.state);
    const keys = this.#inTerminal.state ? FROM_TERMINAL : PALETTE_KEYS;
    const again = `Theme: ${theme}. Switch to ${NEXT[theme]}`;
    return html`<div>
      <slot></slot>
      <button
        class="quiet guide"
        aria-pressed=${guideOpen}
        title="What happens when, chapter by chapter, beside the cluster"
        @click=${() => this.#on.page.settings.dispatch({ guideOpen: !guideOpen })}
      >
        Guide
      </button>
      ${
        after === undefined
          ? ""
          : html`<button
              class="quiet mono ready"
              title="Show the steps of the start"
              @click=${this.#showBoot}
            >
              ready in ${(after / 1000).toFixed(1)} s
            </button>`
      }
      <button
        class="quiet share"
        title="A link to what is in this cluster"
        @click=${() => this.#on.page.route.dispatch({ path: ["share"], query: {} })}
      >
        Share
      </button>
      <button
        class="quiet mono"
        aria-label="${keys}, Go to: go to a view, a kind or an object"
        title="Go to a view, a kind or an object (${keys.replace(",", " leaves the terminal, then")})"
        @click=${() => this.#on.page.palette.emit("")}
      >
        <span class="keys">${keys}</span><span class="touch">Go to</span>
      </button>
      <button class="quiet theme" aria-label=${again} title=${again} @click=${this.#nextTheme}>
        ${svg`<svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" />
          <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor" />
        </svg>`}
        <span>${theme}</span>
      </button>
    </div>`;
  }

  #nextTheme(): void {
    this.#on.page.settings.dispatch({ theme: NEXT[this.#settings.state.theme] });
  }

  #showBoot(): void {
    this.#on.page.steps.emit();
  }
}

define("tn-tools", ToolsView);
