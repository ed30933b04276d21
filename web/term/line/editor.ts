import * as edit from "./buffer.ts";
import type { Buffer } from "./buffer.ts";
import type { History } from "./history.ts";
import type { Key, KeyName } from "./keys.ts";
import { needsMore } from "./syntax.ts";

/** What the editor asks of whoever feeds it keys. */
export type Effect =
  /** The line is complete. The editor is empty again. */
  | { type: "submit"; line: string }
  | { type: "interrupt"; line: string }
  | { type: "eof" }
  | { type: "complete"; buffer: Buffer }
  | { type: "clear" }
  | { type: "bell" };

/** How the editor reads: a shell's line, or one line of input for a running command. */
export type Mode = "shell" | "input";

type Target = (buffer: Buffer) => number;

/** Keys that move the cursor, remove up to a place, or remove and keep it for Ctrl-Y. */
const MOVES: Partial<Record<KeyName, Target>> = {
  left: edit.previousChar,
  right: edit.nextChar,
  "word-left": edit.wordLeft,
  "word-right": edit.wordRight,
  home: edit.lineStart,
  end: edit.lineEnd,
};
const ERASES: Partial<Record<KeyName, Target>> = {
  backspace: edit.previousChar,
  delete: edit.nextChar,
};
const KILLS: Partial<Record<KeyName, Target>> = {
  "kill-end": edit.lineEnd,
  "kill-start": edit.lineStart,
  "kill-word": edit.blankLeft,
  "kill-word-right": edit.wordRight,
};

/**
 * The state of the line being edited. It knows no screen: feed it a key, then draw `view`.
 * Keys are GNU readline's defaults.
 */
export class LineEditor {
  readonly #history: History;
  #mode: Mode = "shell";
  #buffer: Buffer = edit.EMPTY;
  #killed = "";
  /** Position in the history; its length when the line is a new one. */
  #index: number;
  /** The new line, while an old one is shown. */
  #draft = "";
  #search: { needle: string; index: number } | undefined;

  constructor(history: History) {
    this.#history = history;
    this.#index = history.length;
  }

  get buffer(): Buffer {
    return this.#buffer;
  }

  /** What stands before the text, and the text itself. */
  get view(): { prompt: string; buffer: Buffer } {
    if (this.#search) {
      return { prompt: `(reverse-i-search)\`${this.#search.needle}': `, buffer: this.#buffer };
    }
    return { prompt: this.#mode === "shell" ? "$ " : "", buffer: this.#buffer };
  }

  reset(mode: Mode, text = ""): void {
    this.#mode = mode;
    this.#buffer = { text, cursor: text.length };
    this.#index = this.#history.length;
    this.#draft = "";
    this.#search = undefined;
  }

  /** Puts a completion in place of text[from:cursor]. */
  replaceWord(from: number, by: string): void {
    this.#buffer = edit.replace(this.#buffer, from, this.#buffer.cursor, by);
  }

  /** Takes one key; pastes must be cut into lines by `splitPaste` first. */
  press(key: Key): Effect | undefined {
    if (this.#search) {
      const done = this.#pressInSearch(key, this.#search);
      if (done) return undefined;
    }
    if (key.type !== "key") {
      this.#buffer = edit.insert(this.#buffer, key.text);
      return undefined;
    }
    return this.#command(key.name);
  }

  #command(name: KeyName): Effect | undefined {
    const b = this.#buffer;
    const move = MOVES[name];
    const erase = ERASES[name];
    const kill = KILLS[name];
    if (move) this.#buffer = { ...b, cursor: move(b) };
    else if (erase) this.#removeTo(erase(b));
    else if (kill) {
      const killed = this.#removeTo(kill(b));
      if (killed !== "") this.#killed = killed;
    } else return this.#other(name);
    return undefined;
  }

  #other(name: KeyName): Effect | undefined {
    const b = this.#buffer;
    switch (name) {
      case "enter":
        return this.#enter();
      case "tab":
        if (this.#mode === "shell") return { type: "complete", buffer: b };
        this.#buffer = edit.insert(b, "\t");
        return undefined;
      case "eof":
        if (b.text === "") return { type: "eof" };
        this.#removeTo(edit.nextChar(b));
        return undefined;
      case "yank":
        this.#buffer = edit.insert(b, this.#killed);
        return undefined;
      case "transpose":
        this.#buffer = edit.transpose(b);
        return undefined;
      case "up":
        return this.#vertical(-1);
      case "down":
        return this.#vertical(1);
      case "search":
        if (this.#mode === "shell") this.#search = { needle: "", index: this.#history.length };
        return undefined;
      case "clear":
        return { type: "clear" };
      case "interrupt":
        this.reset(this.#mode);
        return { type: "interrupt", line: b.text };
      default:
        return undefined;
    }
  }

  #enter(): Effect | undefined {
    const line = this.#buffer.text;
    if (this.#mode === "shell") {
      if (needsMore(line)) {
        // The new line goes to the end, wherever the cursor was: Enter never splits a word.
        this.#buffer = { text: `${line}\n`, cursor: line.length + 1 };
        return undefined;
      }
      this.#history.add(line);
    }
    this.reset(this.#mode);
    return { type: "submit", line };
  }

  #vertical(by: -1 | 1): Effect | undefined {
    const moved = edit.vertical(this.#buffer, by);
    if (moved) {
      this.#buffer = moved;
      return undefined;
    }
    if (this.#mode === "input") return { type: "bell" };
    const index = this.#index + by;
    if (index < 0 || index > this.#history.length) return { type: "bell" };
    if (this.#index === this.#history.length) this.#draft = this.#buffer.text;
    this.#index = index;
    const text = this.#history.at(index) ?? this.#draft;
    this.#buffer = { text, cursor: text.length };
    return undefined;
  }

  /** Returns true when the key was the search's own. */
  #pressInSearch(key: Key, search: { needle: string; index: number }): boolean {
    if (key.type !== "key") {
      this.#find(search.needle + key.text, this.#history.length);
      return true;
    }
    switch (key.name) {
      case "search":
        this.#find(search.needle, search.index);
        return true;
      case "backspace":
        this.#find(search.needle.slice(0, -1), this.#history.length);
        return true;
      case "cancel":
        this.reset(this.#mode);
        return true;
      case "escape":
        this.#search = undefined;
        return true;
      default:
        // Every other key accepts what was found and then does its own work.
        this.#search = undefined;
        return false;
    }
  }

  #find(needle: string, before: number): void {
    const index = needle === "" ? -1 : this.#history.findBackwards(needle, before);
    const line = this.#history.at(index);
    if (line === undefined) {
      this.#search = { needle, index: before };
      return;
    }
    this.#search = { needle, index };
    this.#index = index;
    this.#buffer = { text: line, cursor: line.indexOf(needle) };
  }

  /** Removes what is between the cursor and `to`, and returns it. */
  #removeTo(to: number): string {
    const { cursor, text } = this.#buffer;
    const [from, end] = to < cursor ? [to, cursor] : [cursor, to];
    this.#buffer = edit.remove(this.#buffer, from, end);
    return text.slice(from, end);
  }
}

/** A paste as it would be typed: its lines, with Enter after each but the last. */
export function splitPaste(key: Key): Key[] {
  if (key.type !== "paste") return [key];
  return key.text.split("\n").flatMap((text, i): Key[] => {
    const line: Key[] = text === "" ? [] : [{ type: "text", text }];
    return i === 0 ? line : [{ type: "key", name: "enter" }, ...line];
  });
}
