import { define } from "../../ui/define.ts";
import { html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import type { ShellTab, TerminalControl } from "../../page/controls.ts";
import { pageStorage } from "../../page/settings.ts";
import type { ApiPlace } from "../../kube/apipath.ts";
import type { Inside } from "../../browser/inside.ts";
import { findNamed } from "../../kube/named.ts";
import { browserRoute } from "../../page/browser-route.ts";
import { formatRoute } from "../../page/route.ts";
import { objectRoute, selectionOf } from "../../page/address.ts";
import type { Named } from "../../term/names.ts";
import { History } from "../../term/line/history.ts";
import { TerminalTab } from "../../term/tab.ts";
import { tell } from "../../ui/ask.ts";
import { base } from "../../ui/base.ts";
import { Disposables } from "../../state/disposable.ts";
import { greeting } from "./greeting.ts";
import { KeyRowView } from "./keyrow.ts";
import { terminalStyle } from "./style.ts";

/** What it stands over. */
export interface TerminalNeeds {
  session: Pick<
    Session,
    "catalog" | "cluster" | "events" | "fetch" | "nodes" | "pods" | "shellName" | "touch"
  >;
  page: Pick<
    Page,
    | "beside"
    | "pointed"
    | "selection"
    | "settings"
    | "editFile"
    | "inTerminal"
    | "pane"
    | "shells"
    | "terminal"
  >;
}

/** The terminal's pane: tabs, each with a shell of its own. */
export class TerminalView extends LitElement implements TerminalControl {
  static override properties = {
    finding: { state: true },
    found: { state: true },
    current: { state: true },
  };
  static override styles = [base, ...terminalStyle];
  declare finding: boolean;
  declare found: boolean;
  /** Number of the tab that is shown. */
  declare current: number;
  readonly #on: TerminalNeeds;
  readonly #history = new History(pageStorage());
  readonly #keys = new KeyRowView((data) => this.#typeKey(data));
  readonly #held = new Disposables();
  readonly #shells = new Map<TerminalTab, ShellTab>();
  #addresses: Inside | undefined;
  #tabs: TerminalTab[] = [];
  #opened = 0;

  constructor(on: TerminalNeeds) {
    super();
    this.#on = on;
    this.finding = false;
    this.found = true;
    this.current = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { page } = this.#on;
    // The first terminal of a page is the one that its other views type into.
    page.terminal ??= this;
    const root = this.renderRoot;
    const inside = () => page.inTerminal.dispatch(root.querySelector(".xterm :focus") !== null);
    this.#held.listen(root, "focusin", inside);
    this.#held.listen(root, "focusout", () => page.inTerminal.dispatch(false));
    if (this.hasUpdated) void this.updateComplete.then(() => this.#begin());
  }

  override render() {
    return html`<div class="tools">
        <h2 class="sr">Terminal</h2>
        <div class="tabs" role="tablist" aria-label="Terminals" @keydown=${this.#tabKey}>
          ${repeat(
            this.#tabs,
            (tab) => tab.number,
            (tab) => this.#tabButton(tab),
          )}
        </div>
        <button
          class="quiet"
          aria-label="New terminal"
          title="New terminal"
          @click=${() => this.open()}
        >
          +
        </button>
        <span class="gap"></span>
        ${this.finding ? this.#findBox() : nothing}
        <button class="quiet paste" title="Paste from the clipboard" @click=${() => this.#paste()}>
          Paste
        </button>
        <button class="quiet" title="Find (Ctrl+Shift+F)" @click=${() => this.#toggleFind()}>
          Find
        </button>
        <button
          class="quiet"
          aria-label="A−: Smaller type"
          title="Smaller type"
          @click=${(event: MouseEvent) => this.#zoom(-1, event)}
        >
          A−
        </button>
        <button
          class="quiet"
          aria-label="A+: Larger type"
          title="Larger type"
          @click=${(event: MouseEvent) => this.#zoom(1, event)}
        >
          A+
        </button>
      </div>
      ${repeat(
        this.#tabs,
        (tab) => tab.number,
        (tab) => tab.element,
      )}
      ${this.#keys}`;
  }

  #tabButton({ number }: TerminalTab) {
    const shown = number === this.current;
    const only = this.#tabs.length === 1;
    return html`<span class="tab" role="presentation" ?data-current=${shown}>
      <button
        class="quiet"
        role="tab"
        id=${`terminal-tab-${number}`}
        aria-selected=${shown}
        aria-controls=${`terminal-${number}`}
        tabindex=${shown ? 0 : -1}
        @click=${() => this.#select(number)}
      >
        ${number === this.#tabs[0]?.number ? `Terminal ${number}` : number}</button
      >${
        only
          ? nothing
          : html`<button
              class="quiet close"
              tabindex="-1"
              aria-hidden="true"
              title="Close (Delete)"
              @click=${() => this.close(number)}
            >
              ×
            </button>`
      }</span
    >`;
  }

  #findBox() {
    return html`<input
      type="search"
      aria-label="Find in the terminal"
      placeholder="Find"
      aria-invalid=${!this.found}
      @input=${this.#search}
      @keydown=${this.#findKey}
    />`;
  }

  protected override firstUpdated(): void {
    this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#held.dispose();
    const { page } = this.#on;
    if (page.terminal === this) page.terminal = undefined;
    for (const tab of this.#tabs.splice(0)) tab.dispose();
    this.#shells.clear();
    this.#on.page.shells.dispatch([]);
    this.current = 0;
  }

  /** The first terminal; a new one when this comes back into a page. */
  #begin(): void {
    if (this.#tabs.length > 0 || !this.isConnected) return;
    this.open();
  }

  /** Opens one more terminal and shows it. */
  open(): void {
    const tab = this.#newTab();
    this.#select(tab.number);
  }

  /** Ends a terminal; the last one is replaced by a new one. */
  close(number: number): void {
    const at = this.#tabs.findIndex((tab) => tab.number === number);
    if (at < 0 || this.#tabs.length === 1) return;
    const [gone] = this.#tabs.splice(at, 1);
    gone?.dispose();
    if (gone) this.#shells.delete(gone);
    const next = this.#tabs[Math.min(at, this.#tabs.length - 1)];
    if (this.current === number && next) this.#select(next.number);
    else this.requestUpdate();
    this.#list();
  }

  #list(): void {
    const shown = this.#tab && this.#shells.get(this.#tab);
    const others = [...this.#shells.values()].filter((shell) => shell !== shown);
    this.#on.page.shells.dispatch(shown ? [...others, shown] : others);
  }

  /** True while a command runs in any of them. */
  get busy(): boolean {
    return this.#tabs.some((tab) => tab.busy);
  }

  run(line: string): void {
    this.#show();
    this.#tab?.session?.run(line);
    this.focus();
  }

  /** Runs a line in a terminal of its own. */
  runInNewTab(line: string): void {
    this.open();
    void this.updateComplete.then(() => this.run(line));
  }

  type(line: string): void {
    this.#show();
    this.#tab?.session?.type(line);
    this.focus();
  }

  override focus(): void {
    this.#tab?.screen?.focus();
  }

  refreshTheme(): void {
    for (const tab of this.#tabs) tab.screen?.refreshTheme();
  }

  /** Everything the shown terminal shows. */
  text(): string {
    return this.#tab?.screen?.text() ?? "";
  }

  get #tab(): TerminalTab | undefined {
    return this.#tabs.find((tab) => tab.number === this.current);
  }

  #newTab(): TerminalTab {
    const number = ++this.#opened;
    const { session, page } = this.#on;
    const shell = session.shellName("terminal");
    const tab = new TerminalTab(number, {
      cluster: session.cluster,
      shell,
      settings: page.settings,
      history: this.#history,
      greeting: number === 1 ? greeting : () => "",
      typed: (data) => this.#keys.apply(data),
      onKey: (event) => this.#keepFromTerminal(event),
      onExit: () => this.close(number),
      edit: (name, text) => page.editFile(name, text),
      onRun: () => session.touch(),
      beside: page.beside,
      names: {
        find: (named) => this.#find(named),
        open: (place) => page.selection.dispatch(selectionOf(objectRoute(place), undefined)),
        point: (place) => page.pointed.dispatch(place ? [place] : []),
      },
      inside: (url) => this.#inside(url),
      hint: (line, output) => this.#hint(line, output),
    });
    tab.element.id = `terminal-${number}`;
    tab.element.setAttribute("role", "tabpanel");
    tab.element.setAttribute("aria-labelledby", `terminal-tab-${number}`);
    this.#tabs = [...this.#tabs, tab];
    this.#shells.set(tab, shellOf(tab, shell));
    return tab;
  }

  #select(number: number): void {
    this.current = number;
    this.#list();
    // The tab may be new: it can be drawn only once its element is in the page.
    this.requestUpdate();
    void this.updateComplete.then(() => {
      this.#layOut();
      this.#tab?.open();
      this.#tab?.screen?.fit();
      this.focus();
    });
  }

  #layOut(): void {
    for (const tab of this.#tabs) tab.element.hidden = tab.number !== this.current;
  }

  #tabKey(event: KeyboardEvent): void {
    const at = this.#tabs.findIndex((tab) => tab.number === this.current);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Delete") this.close(this.current);
    else if (by !== undefined) {
      const next = this.#tabs[(at + by + this.#tabs.length) % this.#tabs.length];
      if (next) this.#select(next.number);
    } else return;
    event.preventDefault();
  }

  #show(): void {
    this.#on.page.pane.dispatch("term");
  }

  #typeKey(data: string): void {
    if (data !== "") this.#tab?.session?.input(data);
    this.focus();
  }

  /** Only what a terminal never gets anyway: find, the way out, and the browser's own copy. */
  #keepFromTerminal(event: KeyboardEvent): boolean {
    if (event.type !== "keydown") return true;
    // F6 goes to the next pane, see web/ui/focus.ts: without it Tab could not leave.
    if (event.key === "F6") return false;
    if (event.ctrlKey && event.shiftKey && event.key === "ArrowUp") {
      event.preventDefault();
      this.#tab?.beside?.focus();
      return false;
    }
    if (event.ctrlKey && event.shiftKey && event.code === "KeyF") {
      event.preventDefault();
      this.#toggleFind();
      return false;
    }
    return true;
  }

  #toggleFind(): void {
    this.finding = !this.finding;
    this.found = true;
    if (!this.finding) {
      this.focus();
      return;
    }
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>("input")?.focus(),
    );
  }

  async #find(named: Named): Promise<ApiPlace | undefined> {
    const { session } = this.#on;
    const resources = await session.catalog.use();
    return findNamed(named, {
      resources,
      pods: session.pods.state.rows.values(),
      nodes: session.nodes.state.rows.values(),
      fetch: session.fetch,
    });
  }

  async #inside(url: URL): Promise<string | undefined> {
    const { session } = this.#on;
    const { Inside } = await import("../../browser/inside.ts");
    this.#addresses ??= new Inside(session);
    const place = await this.#addresses.find(url);
    return place && formatRoute(browserRoute(place));
  }

  /** Why something in a table of `kubectl get` fails, if it does. */
  async #hint(line: string, output: readonly string[]): Promise<string> {
    if (!this.#on.page.settings.state.hints || !/^\s*k(?:ubectl)?\s+get\s/.test(line)) return "";
    const { hintFor } = await import("../../explain/hint.ts");
    return hintFor(line, output, this.#on.session);
  }

  #search(event: InputEvent): void {
    const { value } = event.target as HTMLInputElement;
    void this.#look(value, false);
  }

  async #look(text: string, backwards: boolean): Promise<void> {
    const { screen } = this.#tab ?? {};
    try {
      this.found = text === "" || ((await screen?.find(text, backwards)) ?? false);
    } catch (error) {
      tell(
        `The terminal's search could not be loaded: ${String(error)}. Check the connection, then reload the page.`,
        true,
      );
    }
  }

  #findKey(event: KeyboardEvent): void {
    if (event.key === "Escape") this.#toggleFind();
    if (event.key === "Enter") {
      const { value } = event.target as HTMLInputElement;
      void this.#look(value, !event.shiftKey);
    }
  }

  /** A phone's keyboard has no key for it. The text goes marked, as any other paste. */
  async #paste(): Promise<void> {
    try {
      this.#tab?.screen?.paste(await navigator.clipboard.readText());
    } catch {
      tell(
        "The browser did not let the page read the clipboard. Allow it, then paste again.",
        true,
      );
    }
    this.focus();
  }

  #zoom(by: number, { detail }: MouseEvent): void {
    const { settings } = this.#on.page;
    settings.dispatch({ fontSize: settings.state.fontSize + by });
    // A pointer goes on to the text; a key (it clicks no times) stays, to press once more.
    if (detail > 0) this.focus();
  }
}

function shellOf(tab: TerminalTab, shell: string): ShellTab {
  return {
    shell,
    get busy() {
      return tab.busy;
    },
    execute: async (lines, signal) => {
      if (!tab.session) throw new Error("The terminal is not open yet.");
      return tab.session.execute(lines, signal);
    },
    run: (line) => tab.session?.run(line),
    type: (line) => tab.session?.type(line),
    focus: () => tab.screen?.focus(),
  };
}

define("tn-terminal", TerminalView);
