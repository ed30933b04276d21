import type { Call } from "../rpc/client.ts";
import { CallError } from "../rpc/client.ts";
import type { Completion } from "../rpc/protocol.ts";
import { messageOf } from "../rpc/reason.ts";
import type { Disposable } from "../state/disposable.ts";
import { Ahead } from "./ahead.ts";
import { Fold } from "./fold.ts";
import { after, hinted, rowsOf, type Hint } from "./hint.ts";
import { listWords, offer } from "./line/complete.ts";
import { LineEditor, splitPaste, type Effect } from "./line/editor.ts";
import type { History } from "./line/history.ts";
import { parseKeys, type Key } from "./line/keys.ts";
import { draw, leave, NOTHING_DRAWN, type Drawn } from "./line/render.ts";
import { asApply } from "./pasted.ts";
import type { Mark, Ran } from "./ran.ts";
import type { Screen } from "./screen.ts";
import type { EditFile, Shell } from "./shell.ts";

const encoder = new TextEncoder();
/** Milliseconds a command runs before what is typed meanwhile is shown among its output. */
const ECHO_AFTER = 400;
/** How often a command may leave Ctrl-C unheard. */
const PATIENT = 2;
/** The exit code of what SIGINT ended. */
const INTERRUPTED = 130;
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
  readonly #ahead = new Ahead();
  #state: "prompt" | "running" | "input" | "raw" = "prompt";
  #call: Call<{ code: number }> | undefined;
  #interrupts = 0;
  #listing = false;
  /** The shell was left: `exit`, or Ctrl-D at an empty prompt. */
  onExit: (() => void) | undefined;
  /** A line begins to run, and once more when it has ended. */
  onRan: ((ran: Ran) => void) | undefined;
  /** What is printed, dim, below what a line has printed. */
  hint: Hint | undefined;
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
    return this.#atPrompt() && this.#ahead.isEmpty && this.#editor.buffer.text === "";
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
    while (!this.#ahead.isEmpty) {
      if (this.#state !== "prompt" && this.#state !== "input") {
        this.#typedWhileRunning();
        return;
      }
      const next = this.#ahead.take();
      if (next) this.#press(next.key, next.echoed);
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
    if (this.#ahead.isEmpty) this.#redraw();
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
        this.#drawn = NOTHING_DRAWN;
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
    const said = new Fold();
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
          data: (chunk, stream) => {
            this.#ahead.writtenOver();
            // A program that draws the screen itself says all of it where it wants it.
            const folds = stream === "stderr" && this.#state !== "raw";
            return this.#screen.write(folds ? said.write(chunk, this.#screen.inSight) : chunk);
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
      const message = messageOf(error);
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

  async #hint(ran: Ran): Promise<void> {
    if (!this.hint) return;
    // What the line has printed is on the screen, which is what a hint is about.
    const column = await this.#screen.column();
    const hint = await hinted(this.hint, ran);
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
    this.#ahead.notEchoed();
    this.#editor.reset("shell");
    this.#drawn = NOTHING_DRAWN;
    if (!this.#ahead.isEmpty) this.#drain();
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
    this.#lead = Math.max(0, column - this.#ahead.width);
    this.#state = "input";
    this.#editor.reset("input");
    this.#drawn = NOTHING_DRAWN;
    this.#drain();
  }

  #setRaw(on: boolean): void {
    this.#state = on ? "raw" : "running";
    this.#screen.setRaw(on);
    // What was typed ahead was cut into keys; a raw program gets only what is typed from now on.
    if (on) this.#ahead.forget();
  }

  /** Keys while a command runs: Ctrl-C counts at once, everything else waits, echoed. */
  #typedWhileRunning(): void {
    for (let left = this.#ahead.takeInterrupts(); left > 0; left--) this.#interrupt();
    this.#echo();
  }

  /** Shows what is typed ahead, unless the command is so young that a prompt may follow at once. */
  #echo(): void {
    if (!this.#isRunning() || !this.#echoes) return;
    for (const text of this.#ahead.echo()) void this.#screen.write(text);
  }

  #echoes = false;

  #interrupt(): void {
    this.#interrupts++;
    this.#ahead.notEchoed();
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
    this.#screen.typed(view.buffer.text, view.buffer.cursor);
  }

  #redraw(): void {
    this.#draw();
  }

  #leaveLine(): void {
    void this.#screen.write(leave(this.#drawn));
    this.#drawn = NOTHING_DRAWN;
  }
}
