import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import type { EmbeddedCluster } from "../sdk/create.ts";
import type { Disposable } from "../state/disposable.ts";
import { define } from "../ui/define.ts";
import { sharedOf } from "./cluster-element.ts";
import { askEdit } from "./edit.ts";
import { reason } from "../rpc/reason.ts";
import {
  boxStyle,
  drawStage,
  stageStyle,
  stateOf,
  type ElementState,
  type Stage,
} from "./stage.ts";
import type { SharedCluster } from "./shared.ts";
import type { OpenScreen } from "./terminal-screen.ts";
import { Theme } from "./theme.ts";

/**
 * `<tabernetes-terminal for="id-of-a-cluster">`: kubectl and a shell. It fills its box, and begins with
 * a button: nothing is downloaded and no focus is taken before. `theme` is "light", "dark" or as the
 * page is; `font-size` in pixels; `run` has lines that are shown before, and run once it is open. With
 * `join` it opens by itself where another element has started the cluster; so it does over one that its page
 * names, by the property `cluster`. Colours: --tabernetes-panel, -text, -accent, -line, -mono.
 */
export class TerminalElement extends LitElement {
  static override properties = { stage: { state: true }, cluster: { attribute: false } };
  static override styles = [
    stageStyle,
    boxStyle,
    css`
      :host {
        --panel: var(--tabernetes-panel, #fdfdfc);
        --text: var(--tabernetes-text, #1c1f23);
        --accent: var(--tabernetes-accent, #1d5bbf);
        --on-accent: #ffffff;
        --mono: var(
          --tabernetes-mono,
          ui-monospace,
          Menlo,
          Consolas,
          "DejaVu Sans Mono",
          monospace
        );
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
    `,
  ];
  declare stage: Stage;
  declare cluster: EmbeddedCluster | undefined;
  #screen: OpenScreen | undefined;
  #told: ElementState | undefined;
  #listed: Disposable | undefined;
  #shown: Disposable | undefined;
  #near: IntersectionObserver | undefined;
  #follows: Disposable | undefined;
  #abort = new AbortController();

  constructor() {
    super();
    new Theme(this, () => this.#screen?.refreshTheme());
    this.stage = { is: "waiting" };
  }

  /** Tells whoever listens how far it is; nothing of what it shows. */
  override updated(): void {
    const detail = stateOf(this.stage);
    if (detail === this.#told) return;
    this.#told = detail;
    this.dispatchEvent(new CustomEvent("tabernetes-state", { detail }));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("cluster") && this.isConnected) this.#over();
  }

  /** Another cluster is named: what is open is of the one before. */
  #over(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#close();
    this.#joins();
  }

  /** Lines to run wait for the button below them. */
  #joins(): void {
    this.#follows?.dispose();
    const joins = this.hasAttribute("join") || this.cluster !== undefined;
    if (joins && this.#lines().length === 0) queueMicrotask(() => this.#join()); // what is around it may come later
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#abort = new AbortController();
    // What it would download is asked for once somebody may read it.
    this.#near = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#near?.disconnect();
      void this.#weigh();
    });
    this.#near.observe(this);
    this.#joins();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#near?.disconnect();
    this.#follows?.dispose();
    this.#abort.abort();
    this.#close();
  }

  override render() {
    const { stage } = this;
    if (stage.is === "open") {
      return html`<div class="place"></div>
        <button class="after">After the terminal</button>`;
    }
    const run = this.#lines().join("\n");
    return drawStage(
      stage,
      run ? "Start Kubernetes here and run this" : "Start Kubernetes here",
      () => void this.start(),
      run ? html`<pre tabindex="0" aria-label="What is run">${run}</pre>` : nothing,
    );
  }

  /** Starts the cluster, if need be, and opens the terminal. */
  start(): Promise<void> {
    return this.#start(true);
  }

  /** Opens along with the cluster, once, and leaves the focus where it is. */
  #join(): void {
    if (!this.isConnected) return;
    let shared: SharedCluster;
    try {
      shared = sharedOf(this);
    } catch {
      return; // who presses the button is told
    }
    this.#follows?.dispose();
    let joined = false;
    const follow = () => {
      if (joined || !shared.begun || this.stage.is !== "waiting") return;
      joined = true;
      shared.opens(this.#start(false));
    };
    this.#follows = shared.onChange(follow);
    follow();
  }

  async #start(pressed: boolean): Promise<void> {
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
        shell: shared.claim(),
        root,
        place,
        fontSize: Math.min(28, Math.max(9, Number(this.getAttribute("font-size")) || 13)),
        edit: (name, text) => askEdit(root, name, text),
        onLeave: () => root.querySelector<HTMLElement>(".after")?.focus(),
        onExit: () => this.#close(),
      });
      this.#listed = shared.opened(this.#screen);
      this.#shown = shared.shows(this);
      for (const line of this.#lines()) this.#screen.run(line);
      // Who pressed the button wants to type; nobody else's focus is taken.
      const { activeElement } = document;
      if (pressed && (activeElement === this || activeElement === document.body)) this.focus();
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
    this.#listed?.dispose();
    this.#shown?.dispose();
    this.#screen?.dispose();
    this.#screen = undefined;
    this.stage = { is: "waiting" };
  }
}

define("tabernetes-terminal", TerminalElement);
