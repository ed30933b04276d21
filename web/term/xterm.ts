import { FitAddon } from "@xterm/addon-fit";
import type { SearchAddon } from "@xterm/addon-search";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import { Disposables, type Disposable } from "../state/disposable.ts";
import type { Screen } from "./session.ts";
import { terminalTheme } from "./theme.ts";

/**
 * The main screen; a soft reset (DECSTR: cursor, margins, colours, character sets, application keys);
 * the numeric keypad; no reports of mouse and focus; lines that wrap, pastes that are marked, no link
 * and no batch of output left open.
 */
const MODES_OFF =
  "\x1b[?1047l\x1b[!p\x1b>\x0f\x1b(B\x1b[?1l\x1b[4l" +
  "\x1b[?9;1000;1002;1003;1004;1005;1006;1015;1016l\x1b[?7;25;2004h\x1b[?2026l\x1b]8;;\x1b\\\x1b[0m";

/** xterm.js as the session's screen, fitted to the element it is opened in. */
export class XtermScreen implements Screen, Disposable {
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  #search: Promise<SearchAddon> | undefined;
  readonly #held = new Disposables();
  readonly #element: HTMLElement;
  onResize: (() => void) | undefined;

  constructor(element: HTMLElement, fontSize: number) {
    this.#element = element;
    this.#terminal = new Terminal({
      fontFamily: getComputedStyle(element).getPropertyValue("--mono"),
      fontSize,
      lineHeight: 1.25,
      theme: terminalTheme(element),
      cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      scrollback: 10_000,
      convertEol: true,
      // Colours that programs choose must stay readable on both grounds.
      minimumContrastRatio: 4.5,
    });
    this.#held.add(this.#terminal);
    this.#terminal.loadAddon(this.#fit);
    this.#terminal.loadAddon(
      new WebLinksAddon((_event, uri) => window.open(uri, "_blank", "noopener,noreferrer")),
    );
  }

  /** Draws into the element and reports what is typed. */
  open(onData: (data: string) => void): void {
    this.#terminal.open(this.#element);
    // Pastes arrive in one piece, marked, instead of as keystrokes.
    this.#terminal.write("\x1b[?2004h");
    this.#terminal.onData(onData);
    this.#terminal.onResize(() => this.onResize?.());
    const observer = new ResizeObserver(() => this.fit());
    observer.observe(this.#element);
    this.#held.add({ dispose: () => observer.disconnect() });
    this.fit();
  }

  get cols(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  /** Everything on the screen and above it, for tests and for copying. */
  text(): string {
    const buffer = this.#terminal.buffer.active;
    const lines = Array.from(
      { length: buffer.length },
      (_, y) => buffer.getLine(y)?.translateToString(true) ?? "",
    );
    return lines.join("\n").trimEnd();
  }

  async column(): Promise<number> {
    await this.write("");
    return this.#terminal.buffer.active.cursorX;
  }

  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(data, resolve));
  }

  clear(): void {
    this.#terminal.clear();
  }

  setRaw(on: boolean): void {
    this.#terminal.options.convertEol = !on;
    // The program decides for itself whether it wants pastes marked.
    this.#terminal.write(on ? "\x1b[?2004l" : "\x1b[?2004h\x1b[?25h\x1b[0m");
  }

  restore(): void {
    this.#terminal.write(MODES_OFF);
  }

  setFontSize(pixels: number): void {
    this.#terminal.options.fontSize = pixels;
    this.fit();
  }

  /** Takes the theme's colours again after they have changed. */
  refreshTheme(): void {
    this.#terminal.options.theme = terminalTheme(this.#element);
  }

  /** Whether the text is there; it is selected and brought into sight. */
  async find(text: string, backwards: boolean): Promise<boolean> {
    const search = await (this.#search ??= this.#loadSearch());
    return backwards ? search.findPrevious(text) : search.findNext(text, { incremental: true });
  }

  /** A tenth of xterm.js' size, for what few look for. */
  async #loadSearch(): Promise<SearchAddon> {
    const { SearchAddon } = await import("@xterm/addon-search");
    const search = new SearchAddon();
    this.#terminal.loadAddon(search);
    return search;
  }

  /** Names the terminal for those who do not see it. */
  label(name: string): void {
    this.#terminal.textarea?.setAttribute("aria-label", `${name}. F6 leaves it.`);
  }

  focus(): void {
    this.#terminal.focus();
  }

  /** As if it had been pasted by the browser: in one piece, marked where the program wants that. */
  paste(text: string): void {
    this.#terminal.paste(text);
  }

  /** Keys that xterm must leave to the page; returning false keeps them from the terminal. */
  onKey(handler: (event: KeyboardEvent) => boolean): void {
    this.#terminal.attachCustomKeyEventHandler(handler);
  }

  fit(): void {
    // A hidden pane has no size; fitting to it would make a terminal of two columns.
    if (this.#element.clientWidth > 0 && this.#element.clientHeight > 0) this.#fit.fit();
  }

  dispose(): void {
    this.#held.dispose();
  }
}
