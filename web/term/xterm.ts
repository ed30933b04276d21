import { FitAddon } from "@xterm/addon-fit";
import type { SearchAddon } from "@xterm/addon-search";
import { Terminal, type ILinkProvider, type ITerminalAddon } from "@xterm/xterm";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { FADE, watchEdge } from "./edge.ts";
import { followFinger } from "./finger.ts";
import { Heard } from "./heard.ts";
import type { Mark, Row } from "./ran.ts";
import type { Screen } from "./screen.ts";
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
  readonly #around: HTMLElement;
  #heard: Heard | undefined;
  onResize: (() => void) | undefined;

  /** `around` is as wide as what is in sight of `element`, which may be wider. */
  constructor(element: HTMLElement, fontSize: number, around = element) {
    this.#element = element;
    this.#around = around;
    element.style.fontSize = `${fontSize}px`;
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
      // What is printed is said, and its rows can be read.
      screenReaderMode: true,
      // Decorations, by which links are drawn, count among these.
      allowProposedApi: true,
    });
    this.#held.add(this.#terminal);
    this.#terminal.loadAddon(this.#fit);
  }

  /** Draws into the element and reports what is typed. */
  open(onData: (data: string) => void): void {
    this.#terminal.open(this.#element);
    // Pastes arrive in one piece, marked, instead of as keystrokes.
    this.#terminal.write("\x1b[?2004h");
    this.#terminal.onData((data) => {
      this.#showCursor();
      onData(data);
    });
    const { textarea } = this.#terminal;
    if (textarea) {
      this.#heard = this.#held.add(new Heard(this.#element, this.#terminal, textarea));
    }
    this.#terminal.onResize(() => this.onResize?.());
    const observer = new ResizeObserver(() => this.fit());
    observer.observe(this.#element);
    this.#held.add({ dispose: () => observer.disconnect() });
    // The cursor blinks; style.ts says how.
    const { classList } = this.#element;
    const timer = setInterval(() => classList.toggle("unlit"), 500);
    this.#held.add({ dispose: () => clearInterval(timer) });
    this.#held.add(this.#terminal.onCursorMove(() => classList.remove("unlit")));
    this.#held.add(followFinger(this.#element, this.#terminal, () => this.#grid().height));
    this.#held.add(watchEdge(this.#terminal, this.#around, () => this.#grid().width));
    this.fit();
  }

  /** Whoever types sees where, however far to the side they have looked. */
  #showCursor(): void {
    const { width } = this.#grid();
    const around = this.#around;
    const x = this.#terminal.buffer.active.cursorX * width;
    if (x < around.clientWidth - width) around.scrollLeft = 0;
    else if (x < around.scrollLeft || x + width > around.scrollLeft + around.clientWidth) {
      around.scrollLeft = x - around.clientWidth / 2;
    }
  }

  get cols(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  get inSight(): number {
    // Behind another pane nothing is drawn yet: a cell is about six tenths as wide as high.
    const { clientWidth } = this.#around;
    const cell = this.#grid().width || (this.#terminal.options.fontSize ?? 13) * 0.6;
    const room = clientWidth || window.innerWidth - 32;
    // What fades at the edge is not in sight.
    const cols =
      Math.floor(room / cell) >= this.cols ? this.cols : Math.floor((room - FADE) / cell);
    return Math.max(2, cols);
  }

  mark(up: number): Promise<Mark> {
    // In the callback, and no later: what is written behind it is drawn at once.
    return new Promise((resolve) =>
      this.#terminal.write("", () => {
        const marker = this.#terminal.registerMarker(-up);
        resolve({
          get line() {
            return marker.isDisposed ? -1 : marker.line;
          },
        });
      }),
    );
  }

  /** Calls back whenever a row may stand elsewhere, or says something else. */
  onMoved(listener: () => void): void {
    this.#held.add(this.#terminal.onRender(listener));
    this.#held.add(this.#terminal.onScroll(listener));
  }

  /** Where a row of the buffer is drawn within `place`; undefined if it is out of sight. */
  rowAt(line: number, place: HTMLElement): Row | undefined {
    const at = line - this.#terminal.buffer.active.viewportY;
    const screen = this.#element.querySelector(".xterm-screen");
    // Another screen (vi in a container) has other rows.
    if (!screen || at < 0 || at >= this.rows || this.#terminal.buffer.active.type !== "normal") {
      return undefined;
    }
    const { height } = this.#grid();
    const top = screen.getBoundingClientRect().top - place.getBoundingClientRect().top;
    return { top: top + at * height, height };
  }

  /** Pixels of a cell; 0 before it is drawn. */
  #grid(): { width: number; height: number } {
    const { clientWidth = 0, clientHeight = 0 } =
      this.#element.querySelector(".xterm-screen") ?? {};
    return { width: clientWidth / this.cols, height: clientHeight / this.rows };
  }

  /** At most so many lines of the buffer, between two rows; those that were folded are one. */
  lines(from: number, to?: number, most = Infinity): string[] {
    const buffer = this.#terminal.buffer.normal;
    const found: string[] = [];
    for (let y = from; y < (to ?? buffer.length); y++) {
      const line = buffer.getLine(y);
      if (!line || (found.length === most && !line.isWrapped)) break;
      const next = buffer.getLine(y + 1);
      const text = line.translateToString(!next?.isWrapped);
      if (line.isWrapped && found.length > 0) found.push((found.pop() ?? "") + text);
      else found.push(text);
    }
    return found;
  }

  /** The whole line that a row of the buffer is a part of, and the row in which it begins. */
  lineAt(y: number): { begin: number; text: string; cols: number } {
    const buffer = this.#terminal.buffer.active;
    let begin = y;
    while (begin > 0 && buffer.getLine(begin)?.isWrapped) begin--;
    return { begin, text: this.lines(begin, undefined, 1)[0] ?? "", cols: this.cols };
  }

  /** Brings a row into sight, with one above it. */
  scrollTo(line: number): void {
    const { viewportY } = this.#terminal.buffer.active;
    if (line <= viewportY || line >= viewportY + this.rows - 1) {
      this.#terminal.scrollToLine(Math.max(0, line - 1));
    }
  }

  /** Has texts on the screen lead somewhere. */
  linkTo(provider: ILinkProvider): void {
    this.#held.add(this.#terminal.registerLinkProvider(provider));
  }

  /** Calls back when the first text is drawn that may be an address. */
  onAddress(listener: () => void): void {
    const { active } = this.#terminal.buffer;
    const drawn = this.#terminal.onRender(({ start, end }) => {
      const from = active.viewportY;
      if (!this.lines(from + start, from + end + 1).some((text) => text.includes("://"))) return;
      drawn.dispose();
      listener();
    });
    this.#held.add(drawn);
  }

  load(addon: ITerminalAddon): void {
    this.#terminal.loadAddon(addon);
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

  typed(text: string, cursor: number): void {
    this.#heard?.line(text, cursor);
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
    // The style sheet counts its width in characters.
    this.#element.style.fontSize = `${pixels}px`;
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
