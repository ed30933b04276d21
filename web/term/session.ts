import type { Call } from "../rpc/client.ts";
import { CallError } from "../rpc/client.ts";
import type { Completion, ExecParams } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";
import { listWords, offer } from "./line/complete.ts";
import type { Mark, Ran } from "./ran.ts";
import { LineEditor, splitPaste, type Effect } from "./line/editor.ts";
import type { History } from "./line/history.ts";
import { parseKeys, type Key } from "./line/keys.ts";
import { draw, leave, NOTHING_DRAWN, type Drawn } from "./line/render.ts";
import { width } from "./line/width.ts";

/** The terminal's screen, as much of xterm.js as the session uses. */
export interface Screen {
  readonly cols: number;
  readonly rows: number;
  /** Those columns of it that are in sight at once: what is typed stays within them. */
  readonly inSight: number;
  /** The row `up` above the cursor, once everything written before has been drawn. */
  mark(up: number): Promise<Mark>;
  /** The column the cursor is in, once everything written before has been drawn. */
  column(): Promise<number>;
  /** Resolves when the data has been drawn; waiting for it holds a fast writer back. */
  write(data: string | Uint8Array): Promise<void>;
  /** Clears everything above the line with the cursor. */
  clear(): void;
  /** Raw: line ends come from the program; else a bare newline also returns the carriage. */
  setRaw(on: boolean): void;
  /** Undoes what a program has left on: another screen, the mouse, another character set. */
  restore(): void;
}

/** What runs command lines. */
export interface Shell {
  /** By which the cluster knows it. */
  readonly name: string;
  /** Settles when lines can be run. */
  readonly ready: Promise<void>;
  exec(
    params: Omit<ExecParams, "session" | "line" | "args"> & { line: string },
    on: {
      data(chunk: Uint8Array): Promise<void>;
      raw(on: boolean): void;
      stdin(): void;
      edit: EditFile;
    },
  ): Call<{ code: number }>;
  complete(line: string, cursor: number): Promise<Completion>;
  /** Ends the shell with all that runs in it. */
  close(): void;
}

/** Lets a person edit a file's text; resolves with the new text, or undefined to leave it. */
export type EditFile = (name: string, text: string) => Promise<string | undefined>;

const encoder = new TextEncoder();
/** Milliseconds a command runs before what is typed meanwhile is shown among its output. */
const ECHO_AFTER = 400;
/** How often a command may leave Ctrl-C unheard. */
const PATIENT = 2;
/** The exit code of what SIGINT ended. */
const INTERRUPTED = 130;
/** Milliseconds that a prompt waits for a hint. */
const HINT_WITHIN = 1500;
const DIM = "\x1b[90m";
const RED = "\x1b[31m";
const PLAIN = "\x1b[0m";

/**
 * One terminal: a prompt, a command, a prompt. What is typed while a command runs is echoed and
 * kept, and goes to whoever asks first, the command or the next prompt.
 */
export class Session implements Disposable {
  readonly #screen: Screen;
  readonly #shell: Shell;
  readonly #editor: LineEditor;
  #drawn: Drawn = NOTHING_DRAWN;
  /** Keys not taken yet. */
  #ahead: Key[] = [];
  #state: "prompt" | "running" | "input" | "raw" = "prompt";
  #call: Call<{ code: number }> | undefined;
  #interrupts = 0;
  #listing = false;
  /** The shell was left: `exit`, or Ctrl-D at an empty prompt. */
  onExit: (() => void) | undefined;
  /** A line begins to run, and once more when it has ended. */
  onRan: ((ran: Ran) => void) | undefined;
  /**
   * What is printed, dim, below what a line has printed; nothing for "". Its last line is a command,
   * which is never folded; all of it is one line where there is room.
   */
  hint: ((ran: Ran) => Promise<string>) | undefined;
  #ran = 0;
  /** Whoever is told how the next line ends. */
  #asked: { ended(code: number): void; failed(error: unknown): void } | undefined;
  /** Opens the page's editor for `vi`, `nano` and `kubectl edit`. */
  edit: EditFile = () => Promise.resolve(undefined);

  constructor(screen: Screen, shell: Shell, history: History) {
    this.#screen = screen;
    this.#shell = shell;
    this.#editor = new LineEditor(history);
  }

  /** Prints `greeting` and the first prompt. */
  start(greeting: string): void {
    void this.#screen.write(greeting);
    this.#redraw();
  }

  /** True while a command runs or waits to run. */
  get busy(): boolean {
    return this.#state !== "prompt";
  }

  /** What the terminal reports as typed or pasted. */
  input(data: string): void {
    if (this.#state === "raw") {
      this.#call?.send(encoder.encode(data));
      return;
    }
    const keys = parseKeys(data);
    for (const key of keys) {
      const manifest = this.#atEmptyPrompt() ? asApply(key) : undefined;
      if (manifest) this.#ahead.push({ type: "text", text: manifest });
      else this.#ahead.push(...splitPaste(key));
      this.#drain();
    }
  }

  /** Nothing is typed, and nothing runs that could ask for it. */
  #atEmptyPrompt(): boolean {
    return this.#atPrompt() && this.#ahead.length === 0 && this.#editor.buffer.text === "";
  }

  /** Types a line and runs it; it replaces what is being typed at the prompt. */
  run(line: string): void {
    if (this.#state === "prompt") this.#editor.reset("shell");
    this.#ahead.push({ type: "text", text: line }, { type: "key", name: "enter" });
    this.#drain();
  }

  /**
   * Types lines, runs them as one, and resolves with the exit code when the next prompt is there; what they
   * print stands on the screen. Rejects while something else runs, and where the lines are no whole command.
   * `signal` ends them.
   */
  async execute(lines: string, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    if (this.busy)
      throw new Error(
        "Something runs in the terminal. End it there first, with Ctrl-C if need be.",
      );
    const code = new Promise<number>((ended, failed) => (this.#asked = { ended, failed }));
    this.run(lines);
    if (this.#asked) {
      this.#asked = undefined;
      this.#editor.reset("shell");
      this.#redraw();
      throw new Error("The terminal waits for more: these lines are no whole command.");
    }
    const end = () => {
      this.#interrupts = PATIENT;
      this.#interrupt();
    };
    signal.addEventListener("abort", end, { once: true });
    try {
      return await code;
    } finally {
      signal.removeEventListener("abort", end);
      signal.throwIfAborted();
    }
  }

  /** Puts text at the prompt without running it. */
  type(text: string): void {
    this.#ahead.push({ type: "text", text });
    this.#drain();
  }

  resized(): void {
    this.#call?.resize(this.#screen.cols, this.#screen.rows);
  }

  dispose(): void {
    this.#call?.cancel();
    this.#shell.close();
  }

  #drain(): void {
    while (this.#ahead.length > 0) {
      if (this.#state === "prompt" || this.#state === "input") {
        const key = this.#ahead.shift();
        const echoed = this.#echoed > 0;
        if (echoed) this.#echoed--;
        if (key) this.#press(key, echoed);
        continue;
      }
      this.#typedWhileRunning();
      return;
    }
  }

  /** `echoed`: what was typed ahead and is on the screen already. */
  #press(key: Key, echoed: boolean): void {
    const effect = this.#editor.press(key);
    if (effect?.type !== "complete") this.#listing = false;
    if (effect?.type === "submit" || effect?.type === "interrupt") {
      this.#finishLine(effect, echoed && this.#state === "input");
      return;
    }
    if (effect) this.#apply(effect);
    // Everything that is typed ahead at once is drawn at once.
    if (this.#ahead.length === 0) this.#redraw();
  }

  #apply(effect: Exclude<Effect, { type: "submit" | "interrupt" }>): void {
    switch (effect.type) {
      case "eof":
        if (this.#state === "prompt") this.onExit?.();
        if (this.#state !== "input") return;
        this.#call?.end();
        this.#leaveLine();
        this.#state = "running";
        return;
      case "clear":
        this.#screen.clear();
        return;
      case "bell":
        void this.#screen.write("\x07");
        return;
      case "complete":
        void this.#complete(effect.buffer.text, effect.buffer.cursor);
        return;
    }
  }

  #finishLine(effect: Extract<Effect, { type: "submit" | "interrupt" }>, isDrawn: boolean): void {
    const shown = effect.line;
    // The editor is empty by now: draw the line as it was, with the cursor at its end.
    if (!isDrawn) this.#draw(shown);
    if (effect.type === "interrupt") {
      void this.#screen.write("^C");
      this.#leaveLine();
      if (this.#state === "input") {
        this.#state = "running";
        this.#call?.signal("INT");
      } else this.#redraw();
      return;
    }
    // Where the line begins is known while the cursor is at its end.
    const mark = this.#state === "prompt" && this.#screen.mark(this.#drawn.cursorRow);
    if (!isDrawn) this.#leaveLine();
    if (this.#state === "input") {
      this.#call?.send(encoder.encode(`${shown}\n`));
      this.#state = "running";
    } else if (shown.trim() === "") {
      this.#redraw();
    } else {
      this.#state = "running";
      void this.#run(shown, mark);
    }
  }

  async #run(line: string, mark: false | Promise<Mark>): Promise<void> {
    const ran: Ran | false = mark && {
      id: ++this.#ran,
      line,
      session: this.#shell.name,
      began: Date.now(),
      mark,
    };
    const asked = this.#asked;
    this.#asked = undefined;
    let end = () => asked?.ended(INTERRUPTED);
    if (ran) this.onRan?.(ran);
    this.#interrupts = 0;
    this.#echoes = false;
    const patience = setTimeout(() => {
      this.#echoes = true;
      this.#echo();
    }, ECHO_AFTER);
    try {
      await this.#untilReady();
      if (this.#interrupts > 0) return;
      this.#call = this.#shell.exec(
        { line, tty: true, cols: this.#screen.cols, rows: this.#screen.rows },
        {
          data: (chunk) => {
            this.#echoIsLast = false;
            return this.#screen.write(chunk);
          },
          raw: (on) => this.#setRaw(on),
          stdin: () => void this.#askInput(),
          edit: (name, text) => this.edit(name, text),
        },
      );
      const { code } = await this.#call.result;
      end = () => asked?.ended(code);
    } catch (error) {
      end = () => asked?.failed(error);
      const hint = error instanceof CallError && error.hint ? ` ${error.hint}` : "";
      const message = error instanceof Error ? error.message : String(error);
      await this.#screen.write(`${RED}${message}${PLAIN}${hint}\r\n`);
    } finally {
      clearTimeout(patience);
      this.#call = undefined;
      if (ran) {
        ran.ended = Date.now();
        this.onRan?.(ran);
        if (this.#interrupts === 0) await this.#hint(ran);
      }
      await this.#prompt();
      end();
      if (/^\s*exit(\s+\d+)?\s*$/.test(line)) this.onExit?.();
    }
  }

  /** The prompt waits for a hint, but not for long, and a hint that fails is none. */
  async #hint(ran: Ran): Promise<void> {
    if (!this.hint) return;
    // What the line has printed is on the screen, which is what a hint is about.
    const column = await this.#screen.column();
    const asked = this.hint(ran).catch(() => "");
    const hint = await Promise.race([asked, after(HINT_WITHIN).then(() => "")]);
    if (hint === "" || this.#interrupts > 0) return;
    const shown = rowsOf(hint, this.#screen.inSight).join("\r\n");
    await this.#screen.write(`${column > 0 ? "\r\n" : ""}${DIM}${shown}${PLAIN}\r\n`);
  }

  async #untilReady(): Promise<void> {
    const { ready } = this.#shell;
    // A cluster that is ready long since must not be announced as awaited.
    const already = await Promise.race([ready.then(() => true), after(0).then(() => false)]);
    if (already) return;
    // A line of its own: what is typed ahead is echoed below it.
    await this.#screen.write(`${DIM}(runs as soon as the cluster is ready)${PLAIN}\r\n`);
    await Promise.race([ready, this.#interrupted()]);
  }

  #onInterrupt: (() => void) | undefined;

  #interrupted(): Promise<void> {
    return new Promise((resolve) => (this.#onInterrupt = resolve));
  }

  async #prompt(): Promise<void> {
    if (this.#state === "raw") this.#setRaw(false);
    this.#screen.restore();
    // Output that does not end its line must not be mistaken for a part of the prompt.
    if ((await this.#screen.column()) > 0) await this.#screen.write("\r\n");
    this.#state = "prompt";
    // The prompt shows once more what was typed ahead for it.
    this.#echoed = 0;
    this.#editor.reset("shell");
    this.#drawn = NOTHING_DRAWN;
    if (this.#ahead.length > 0) this.#drain();
    if (this.#atPrompt()) this.#redraw();
  }

  #atPrompt(): boolean {
    return this.#state === "prompt";
  }

  #isRunning(): boolean {
    return this.#state === "running";
  }

  /** The column in which the line that a command asks for begins: behind its own question. */
  #lead = 0;
  #asking = false;

  async #askInput(): Promise<void> {
    if (!this.#isRunning() || this.#asking) return;
    const call = this.#call;
    this.#asking = true;
    const column = await this.#screen.column();
    this.#asking = false;
    if (!this.#isRunning() || this.#call !== call) return;
    this.#lead = Math.max(0, column - this.#echoedWidth());
    this.#state = "input";
    this.#editor.reset("input");
    this.#drawn = NOTHING_DRAWN;
    this.#drain();
  }

  #setRaw(on: boolean): void {
    this.#state = on ? "raw" : "running";
    this.#screen.setRaw(on);
    // What was typed ahead was cut into keys; a raw program gets only what is typed from now on.
    if (on) this.#ahead = [];
  }

  /** Keys while a command runs: Ctrl-C counts at once, everything else waits, echoed. */
  #typedWhileRunning(): void {
    const kept: Key[] = [];
    for (const key of this.#ahead) {
      if (key.type === "key" && key.name === "interrupt") {
        kept.length = 0;
        this.#interrupt();
      } else kept.push(key);
    }
    this.#ahead = kept;
    this.#echo();
  }

  /** Shows what is typed ahead, unless the command is so young that a prompt may follow at once. */
  #echo(): void {
    if (this.#state !== "running" || !this.#echoes) return;
    for (const key of this.#ahead.slice(this.#echoed)) {
      if (key.type !== "key") void this.#screen.write(key.text);
      else if (key.name === "enter") void this.#screen.write("\r\n");
    }
    if (this.#echoed < this.#ahead.length) this.#echoIsLast = true;
    this.#echoed = this.#ahead.length;
  }

  /** Nothing has been written behind the echo of what was typed ahead. */
  #echoIsLast = false;

  /** Columns before the cursor that are that echo. */
  #echoedWidth(): number {
    if (!this.#echoIsLast) return 0;
    const echoed = this.#ahead.slice(0, this.#echoed);
    const line = echoed.slice(echoed.findLastIndex(({ type }) => type === "key") + 1);
    return line.reduce((sum, key) => sum + (key.type === "text" ? width(key.text) : 0), 0);
  }

  /** How many of the keys typed ahead have been echoed. */
  #echoed = 0;
  #echoes = false;

  #interrupt(): void {
    this.#interrupts++;
    this.#echoed = 0;
    void this.#screen.write("^C\r\n");
    this.#onInterrupt?.();
    // A command that does not listen is ended at the third time.
    if (this.#interrupts > PATIENT) this.#call?.cancel();
    else this.#call?.signal("INT");
  }

  async #complete(text: string, cursor: number): Promise<void> {
    const again = this.#listing;
    let completion: Completion;
    try {
      completion = await this.#shell.complete(text, cursor);
    } catch {
      // No completion is no reason to disturb what is being typed.
      return;
    }
    const now = this.#editor.buffer;
    if (this.#state !== "prompt" || now.text !== text || now.cursor !== cursor) return;
    const result = offer(completion, text.slice(completion.from, cursor));
    switch (result.type) {
      case "nothing":
        void this.#screen.write("\x07");
        return;
      case "replace":
        this.#editor.replaceWord(result.from, result.text);
        this.#redraw();
        return;
      case "list":
        if (!again) {
          this.#listing = true;
          void this.#screen.write("\x07");
          return;
        }
        this.#leaveLine();
        for (const line of listWords(result.words, this.#screen.inSight)) {
          void this.#screen.write(`${line}\r\n`);
        }
        this.#redraw();
    }
  }

  #draw(text?: string): void {
    const view = this.#editor.view;
    const shown = text === undefined ? view : { ...view, buffer: { text, cursor: text.length } };
    const { output, drawn } = draw(
      this.#drawn,
      shown,
      this.#screen.inSight,
      this.#state === "input" ? this.#lead : 0,
    );
    this.#drawn = drawn;
    void this.#screen.write(output);
  }

  #redraw(): void {
    this.#draw();
  }

  #leaveLine(): void {
    void this.#screen.write(leave(this.#drawn));
    this.#drawn = NOTHING_DRAWN;
  }
}

/**
 * The command that a pasted manifest is meant for. It is put at the prompt and not run: whoever has
 * pasted it sees what Enter will do.
 */
function asApply(key: Key): string | undefined {
  if (key.type !== "paste") return undefined;
  const text = key.text.trim();
  if (!/^(?:(?:#.*|---.*|\s*)\n)*apiVersion:/.test(text)) return undefined;
  const lines = text.split("\n");
  let end = "EOF";
  while (lines.includes(end)) end += "F";
  // The text is a heredoc's, which expands nothing, and its end is not in it.
  // eslint-disable-next-line no-restricted-syntax
  return `kubectl apply -f - <<'${end}'\n${text}\n${end}`;
}

/** A hint as one row, or, in a narrow place, its words folded, and its command by itself. */
function rowsOf(hint: string, columns: number): string[] {
  const [words = "", ...command] = hint.split("\n");
  const whole = [words, ...command].join(" ");
  if (width(whole) <= columns) return [whole];
  const rows = [""];
  for (const word of words.split(" ")) {
    const last = rows.at(-1) ?? "";
    if (last !== "" && width(`${last} ${word}`) > columns) rows.push(word);
    else rows[rows.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return [...rows, ...command];
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
