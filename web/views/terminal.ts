import "@xterm/xterm/css/xterm.css";
import "./terminal.css";
import { html, LitElement, nothing } from "lit";
import type { App, TerminalControl } from "../app.ts";
import type { Disposable } from "../state/disposable.ts";
import { pageStorage } from "../state/settings.ts";
import { History } from "../term/line/history.ts";
import { Session, type Shell } from "../term/session.ts";
import { XtermScreen } from "../term/xterm.ts";
import { KeyRowView } from "./keyrow.ts";

/** What to type first; the command stands on a line of its own where it would break otherwise. */
function greeting(cols: number): string {
  const command = "kubectl create deployment nginx --image=nginx --replicas=3";
  const gap = cols < 88 ? "\r\n" : " ";
  return (
    `Kubernetes in this tab. Try:${gap}\x1b[1m${command}\x1b[0m\r\n` +
    `\x1b[90mk is kubectl, Tab completes, Ctrl-R searches.\x1b[0m\r\n\r\n`
  );
}

/** The terminal's pane. It draws into the page itself: xterm.js needs its style sheet there. */
export class TerminalView extends LitElement implements TerminalControl {
  static override properties = { finding: { state: true } };
  declare finding: boolean;
  readonly #app: App;
  readonly #screenElement = document.createElement("div");
  readonly #keys = new KeyRowView((data) => this.#typeKey(data));
  #screen: XtermScreen | undefined;
  #session: Session | undefined;
  #subscription: Disposable | undefined;

  constructor(app: App) {
    super();
    this.#app = app;
    this.finding = false;
    this.className = "terminal";
    this.#screenElement.className = "screen";
    app.terminal = this;
  }

  protected override createRenderRoot() {
    return this;
  }

  override render() {
    return html`<div class="tools">
        <h2>Terminal</h2>
        ${
          this.finding
            ? html`<input
                type="search"
                aria-label="Find in the terminal"
                placeholder="Find"
                @input=${this.#find}
                @keydown=${this.#findKey}
              />`
            : nothing
        }
        <button class="quiet" title="Find (Ctrl+Shift+F)" @click=${() => this.#toggleFind()}>
          Find
        </button>
        <button
          class="quiet"
          aria-label="Smaller type"
          title="Smaller type"
          @click=${() => this.#zoom(-1)}
        >
          A−
        </button>
        <button
          class="quiet"
          aria-label="Larger type"
          title="Larger type"
          @click=${() => this.#zoom(1)}
        >
          A+
        </button>
      </div>
      ${this.#screenElement} ${this.#keys}`;
  }

  protected override firstUpdated(): void {
    const { settings } = this.#app;
    const screen = new XtermScreen(this.#screenElement, settings.state.fontSize);
    this.#screen = screen;
    this.#session = new Session(screen, shellOf(this.#app), new History(pageStorage()));
    const session = this.#session;
    screen.onResize = () => session.resized();
    screen.onKey((event) => this.#keepFromTerminal(event));
    screen.open((data) => session.input(this.#keys.apply(data)));
    session.start(greeting(screen.cols));
    this.#subscription = settings.subscribe(({ fontSize }) => screen.setFontSize(fontSize));
    this.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#subscription?.dispose();
    this.#session?.dispose();
    this.#screen?.dispose();
  }

  run(line: string): void {
    this.#show();
    this.#session?.run(line);
    this.focus();
  }

  type(line: string): void {
    this.#show();
    this.#session?.type(line);
    this.focus();
  }

  override focus(): void {
    this.#screen?.focus();
  }

  refreshTheme(): void {
    this.#screen?.refreshTheme();
  }

  /** Everything the terminal shows. */
  text(): string {
    return this.#screen?.text() ?? "";
  }

  #show(): void {
    this.dispatchEvent(new CustomEvent("tn-show-terminal", { bubbles: true, composed: true }));
  }

  #typeKey(data: string): void {
    if (data !== "") this.#session?.input(data);
    this.focus();
  }

  /** Only what a terminal never gets anyway: find, and the browser's own copy. */
  #keepFromTerminal(event: KeyboardEvent): boolean {
    if (event.type !== "keydown" || !event.ctrlKey || !event.shiftKey) return true;
    if (event.code === "KeyF") {
      event.preventDefault();
      this.#toggleFind();
      return false;
    }
    return true;
  }

  #toggleFind(): void {
    this.finding = !this.finding;
    if (!this.finding) {
      this.focus();
      return;
    }
    void this.updateComplete.then(() => this.querySelector<HTMLElement>("input")?.focus());
  }

  #find(event: InputEvent): void {
    this.#screen?.find((event.target as HTMLInputElement).value, false);
  }

  #findKey(event: KeyboardEvent): void {
    if (event.key === "Escape") this.#toggleFind();
    if (event.key === "Enter") {
      this.#screen?.find((event.target as HTMLInputElement).value, !event.shiftKey);
    }
  }

  #zoom(by: number): void {
    const { settings } = this.#app;
    settings.dispatch({ fontSize: settings.state.fontSize + by });
    this.focus();
  }
}

function shellOf({ cluster }: App): Shell {
  const session = "terminal-1";
  return {
    ready: cluster.ready,
    exec: (params, on) => cluster.client.call("exec", { ...params, session }, on),
    complete: (line, cursor) => cluster.client.call("complete", { line, cursor, session }).result,
  };
}

customElements.define("tn-terminal", TerminalView);
