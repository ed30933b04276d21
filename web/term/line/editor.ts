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
    this.#set({ text, cursor: text.length });
    this.#index = this.#history.length;
    this.#draft = "";
    this.#search = undefined;
  }

  /** Puts a completion in place of text[from:cursor]. */
  replaceWord(from: number, by: string): void {
    this.#set(edit.replace(this.#buffer, from, this.#buffer.cursor, by));
  }

  /** Takes one key; pastes must be cut into lines by `splitPaste` first. */
  press(key: Key): Effect | undefined {
    if (this.#search) {
      const done = this.#pressInSearch(key, this.#search);
      if (done) return undefined;
    }
    if (key.type !== "key") {
      this.#set(edit.insert(this.#buffer, key.text));
      return undefined;
    }
    return this.#command(key.name);
  }

  #command(name: KeyName): Effect | undefined {
    const b = this.#buffer;
    switch (name) {
      case "enter":
        return this.#enter();
      case "tab":
        if (this.#mode === "input") this.#set(edit.insert(b, "\t"));
        else return { type: "complete", buffer: b };
        return undefined;
      case "backspace":
        return this.#removeTo(edit.previousChar(b), false);
      case "delete":
        return this.#removeTo(edit.nextChar(b), false);
      case "eof":
        return b.text === "" ? { type: "eof" } : this.#removeTo(edit.nextChar(b), false);
      case "left":
        return this.#moveTo(edit.previousChar(b));
      case "right":
        return this.#moveTo(edit.nextChar(b));
      case "word-left":
        return this.#moveTo(edit.wordLeft(b));
      case "word-right":
        return this.#moveTo(edit.wordRight(b));
      case "home":
        return this.#moveTo(edit.lineStart(b));
      case "end":
        return this.#moveTo(edit.lineEnd(b));
      case "kill-end":
        return this.#removeTo(edit.lineEnd(b), true);
      case "kill-start":
        return this.#removeTo(edit.lineStart(b), true);
      case "kill-word":
        return this.#removeTo(edit.blankLeft(b), true);
      case "kill-word-right":
        return this.#removeTo(edit.wordRight(b), true);
      case "yank":
        this.#set(edit.insert(b, this.#killed));
        return undefined;
      case "transpose":
        this.#set(edit.transpose(b));
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
      case "interrupt": {
        const line = b.text;
        this.reset(this.#mode);
        return { type: "interrupt", line };
      }
      case "cancel":
      case "escape":
        return undefined;
    }
  }

  #enter(): Effect | undefined {
    const line = this.#buffer.text;
    if (this.#mode === "shell") {
      if (needsMore(line)) {
        // The new line goes to the end, wherever the cursor was: Enter never splits a word.
        this.#set({ text: `${line}\n`, cursor: line.length + 1 });
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
      this.#set(moved);
      return undefined;
    }
    if (this.#mode === "input") return { type: "bell" };
    const index = this.#index + by;
    if (index < 0 || index > this.#history.length) return { type: "bell" };
    if (this.#index === this.#history.length) this.#draft = this.#buffer.text;
    this.#index = index;
    const text = this.#history.at(index) ?? this.#draft;
    this.#set({ text, cursor: text.length });
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
    this.#set({ text: line, cursor: line.indexOf(needle) });
  }

  #moveTo(cursor: number): undefined {
    this.#set({ ...this.#buffer, cursor });
  }

  #removeTo(to: number, kill: boolean): undefined {
    const { cursor, text } = this.#buffer;
    const [from, end] = to < cursor ? [to, cursor] : [cursor, to];
    if (kill && end > from) this.#killed = text.slice(from, end);
    this.#set(edit.remove(this.#buffer, from, end));
  }

  #set(buffer: Buffer): void {
    this.#buffer = buffer;
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
