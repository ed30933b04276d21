import { css, html, LitElement, nothing } from "lit";
import { define } from "../ui/define.ts";
import { sharedOf } from "./cluster-element.ts";
import { askEdit } from "./edit.ts";
import { reason } from "./reason.ts";
import type { OpenScreen } from "./terminal-screen.ts";

/** How far a terminal is, as its event "tabernetes-state" tells. */
export type TerminalState = "waiting" | "starting" | "ready" | "failed";

/** What it shows. */
type Stage =
  | { is: "waiting"; bytes?: number }
  | { is: "starting"; far: string }
  | { is: "failed"; why: string }
  | { is: "open" };

const DARK = "(prefers-color-scheme: dark)";

/**
 * `<tabernetes-terminal for="id-of-a-cluster">`: kubectl and a shell. It fills its box, and begins with
 * a button: nothing is downloaded and no focus is taken before. `theme` is "light", "dark" or as the
 * page is; `font-size` in pixels; `run` has lines that are shown before, and run once it is open. Colours: --tabernetes-panel, -text, -accent, -line, -mono.
 */
export class TerminalElement extends LitElement {
  static override properties = { stage: { state: true } };
  static override styles = css`
    :host {
      display: flex;
      flex-direction: column;
      box-sizing: border-box;
      position: relative;
      height: 320px;
      min-width: 0;
      overflow: hidden;
      border: 1px solid var(--tabernetes-line, rgb(128 128 128 / 50%));
      background: var(--panel);
      color: var(--text);
      --panel: var(--tabernetes-panel, #fdfdfc);
      --text: var(--tabernetes-text, #1c1f23);
      --accent: var(--tabernetes-accent, #1d5bbf);
      --on-accent: #ffffff;
      --mono: var(--tabernetes-mono, ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace);
      font:
        14px/1.4 system-ui,
        sans-serif;
    }
    :host([data-dark]) {
      --panel: var(--tabernetes-panel, #1a1d20);
      --text: var(--tabernetes-text, #e3e5e8);
      --accent: var(--tabernetes-accent, #8ab4f8);
      --on-accent: #10151c;
    }
    :host([hidden]) {
      display: none;
    }
    .poster {
      margin: auto;
      padding: 16px;
      text-align: center;
      overflow-wrap: anywhere;
    }
    .poster p {
      margin: 8px 0 0;
    }
    .poster pre {
      max-height: 40vh;
      margin: 8px 0;
      overflow: auto;
      padding: 6px 10px;
      border: 1px solid var(--tabernetes-line, rgb(128 128 128 / 50%));
      font: 13px/1.4 var(--mono);
      text-align: left;
      white-space: pre-wrap;
    }
    button {
      min-height: 40px;
      padding: 4px 20px;
      border: 1px solid var(--accent);
      border-radius: 4px;
      background: var(--accent);
      color: var(--on-accent);
      font: inherit;
      cursor: pointer;
    }
    :focus-visible {
      outline: 2px solid var(--accent);
      outline-offset: 2px;
    }
    .place {
      display: flex;
      flex: 1;
      flex-direction: column;
      min-height: 0;
      padding-top: 6px;
    }
    .after {
      position: absolute;
      right: 4px;
      bottom: 4px;
    }
    .after:not(:focus) {
      clip-path: inset(50%);
    }
    dialog {
      display: grid;
      gap: 8px;
      box-sizing: border-box;
      width: min(720px, 94vw);
      border: 1px solid var(--accent);
      background: var(--panel);
      color: var(--text);
    }
    dialog textarea {
      box-sizing: border-box;
      width: 100%;
      height: 50vh;
      background: inherit;
      color: inherit;
      font: 13px/1.4 var(--mono);
    }
  `;
  declare stage: Stage;
  #screen: OpenScreen | undefined;
  #told: TerminalState | undefined;
  #near: IntersectionObserver | undefined;
  #abort = new AbortController();
  readonly #dark = matchMedia(DARK);

  constructor() {
    super();
    this.stage = { is: "waiting" };
  }

  /** Tells whoever listens how far it is; nothing of what it shows. */
  override updated(): void {
    const detail = this.stage.is === "open" ? "ready" : this.stage.is;
    if (detail === this.#told) return;
    this.#told = detail;
    this.dispatchEvent(new CustomEvent("tabernetes-state", { detail }));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#abort = new AbortController();
    this.#dark.addEventListener("change", this.#paint);
    this.#paint();
    // What it would download is asked for once somebody may read it.
    this.#near = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#near?.disconnect();
      void this.#weigh();
    });
    this.#near.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#near?.disconnect();
    this.#abort.abort();
    this.#dark.removeEventListener("change", this.#paint);
    this.#close();
  }

  override render() {
    const { stage } = this;
    if (stage.is === "open") {
      return html`<div class="place"></div>
        <button class="after">After the terminal</button>`;
    }
    const starts = stage.is === "starting";
    const run = this.#lines().join("\n");
    const start = run ? "Start Kubernetes here and run this" : "Start Kubernetes here";
    return html`<div class="poster">
      ${run ? html`<pre tabindex="0" aria-label="What is run">${run}</pre>` : nothing}
      ${
        starts
          ? nothing
          : html`<button @click=${() => void this.start()}>
              ${stage.is === "failed" ? "Try again" : start}
            </button>`
      }
      <p role="status">${words(stage)}</p>
    </div>`;
  }

  /** Starts the cluster, if need be, and opens the terminal. */
  async start(): Promise<void> {
    if (this.stage.is === "starting" || this.stage.is === "open") return;
    const { signal } = this.#abort;
    this.stage = { is: "starting", far: "" };
    try {
      const shared = sharedOf(this);
      const [cluster, { openScreen }] = await Promise.all([
        shared.started((far) => {
          if (this.stage.is === "starting") this.stage = { is: "starting", far };
        }, signal),
        import("./terminal-screen.ts"),
      ]);
      if (signal.aborted) return;
      this.stage = { is: "open" };
      await this.updateComplete;
      const { shadowRoot: root } = this;
      const place = root?.querySelector<HTMLElement>(".place");
      if (!root || !place || !this.isConnected) return;
      this.#screen = openScreen({
        cluster,
        root,
        place,
        fontSize: Math.min(28, Math.max(9, Number(this.getAttribute("font-size")) || 13)),
        edit: (name, text) => askEdit(root, name, text),
        onLeave: () => root.querySelector<HTMLElement>(".after")?.focus(),
        onExit: () => this.#close(),
      });
      for (const line of this.#lines()) this.#screen.run(line);
      // Who pressed the button wants to type; nobody else's focus is taken.
      if (document.activeElement === this || document.activeElement === document.body) this.focus();
      const fails = (why: string) => {
        this.#close();
        this.stage = { is: "failed", why };
      };
      cluster.on("fault", ({ message, hint }) => fails(`${message} ${hint}`));
      shared.ended.addEventListener("abort", () => fails("The page has ended this cluster."), {
        signal,
      });
    } catch (error) {
      if (!signal.aborted) this.stage = { is: "failed", why: reason(error) };
    }
  }

  override focus(): void {
    this.#screen?.focus();
  }

  /** Everything that the terminal shows. */
  text(): string {
    return this.#screen?.text() ?? "";
  }

  #lines(): string[] {
    return (this.getAttribute("run") ?? "").split("\n").filter((line) => line.trim() !== "");
  }

  async #weigh(): Promise<void> {
    try {
      const bytes = await sharedOf(this).size();
      if (bytes !== undefined && this.stage.is === "waiting") this.stage = { is: "waiting", bytes };
    } catch {
      // It names a cluster that is not there: who presses the button is told.
    }
  }

  #close(): void {
    this.#screen?.dispose();
    this.#screen = undefined;
    this.stage = { is: "waiting" };
  }

  readonly #paint = () => {
    const theme = this.getAttribute("theme");
    const page = getComputedStyle(document.documentElement).colorScheme;
    // A page that says nothing of schemes is light.
    const dark =
      theme === "dark" || (theme !== "light" && page.includes("dark") && this.#wants(page));
    this.toggleAttribute("data-dark", dark);
    this.style.colorScheme = dark ? "dark" : "light";
    this.#screen?.refreshTheme();
  };

  #wants(page: string): boolean {
    return this.#dark.matches || !page.includes("light");
  }
}

function words(stage: Stage): string {
  switch (stage.is) {
    case "waiting":
      return stage.bytes === undefined
        ? "It runs in this tab; it is downloaded once."
        : `It runs in this tab. ${(stage.bytes / 1e6).toFixed(0)} MB are downloaded, once.`;
    case "starting":
      return stage.far || "Starting Kubernetes in this tab …";
    case "failed":
      return stage.why;
    case "open":
      return "";
  }
}

define("tabernetes-terminal", TerminalElement);
