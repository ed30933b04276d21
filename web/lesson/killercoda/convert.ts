/*
 * A scenario in Killercoda's form as the text of a lesson, as nodehost/lesson/killercoda makes it: what it
 * executes runs, what verifies it is a check. What it wants that is not here is refused, by file, line and
 * word: a lesson that does half of what it says teaches nothing. testdata/scenarios.yaml holds both to the same.
 */
import { isPlain } from "../front.ts";
import { bytes, MOST } from "../lesson.ts";
import { lineOf, NAME, type Index, type Page } from "./index.ts";
import { quoted, RefusedError, type Refusal } from "./problems.ts";
import type { Finding } from "./programs.ts";

/** Where a line of a lesson comes from. Lines that were made for it come from index.json, line 0. */
interface Origin {
  readonly file: string;
  readonly line: number;
}

/** A scenario as a lesson. */
export interface Converted {
  /** Its lesson.md. */
  readonly text: string;
  /** Of each line of it. */
  readonly lines: readonly Origin[];
}

/** What stands in a file of the scenario, or why it cannot be read. */
export type Files = ReadonlyMap<string, string | Error>;

/** The files that a scenario names, each once. */
export function namesOf({ intro, steps, finish }: Index): string[] {
  const all = [intro, ...steps, finish].flatMap(({ text, foreground, background, verify }) => [
    text,
    foreground,
    background,
    verify,
  ]);
  return [...new Set(all)].filter((name) => isPlain(name));
}

/** Throws RefusedError with all that is refused. `look` finds what cannot run in what will run. */
export function convert(
  index: Index,
  raw: string,
  files: Files,
  look: (text: string) => readonly Finding[],
): Converted {
  const converter = new Converter(raw, files, look);
  converter.all(index);
  if (converter.refusals.length > 0) throw new RefusedError(converter.refusals);
  return { text: converter.text, lines: converter.lines };
}

/** Longer than any fence that a file of a scenario may have. */
const FENCE = "~".repeat(16);

const HEADING = /^(#{1,6})([\t\n\f\r ].*)?$/;
const ACTION = /\{\{([^{}]*)\}\}/g;
const INLINE = /`([^`\n]+)`\{\{[\t\n\f\r ]*(exec|copy)[\t\n\f\r ]*\}\}/g;
const BLANKS = " \t\f";

class Converter {
  readonly refusals: Refusal[] = [];
  readonly lines: Origin[] = [];
  readonly #put: string[] = [];
  readonly #raw: string;
  readonly #files: Files;
  readonly #look: (text: string) => readonly Finding[];
  #bytes = 0;
  #full = false;

  constructor(raw: string, files: Files, look: (text: string) => readonly Finding[]) {
    this.#raw = raw;
    this.#files = files;
    this.#look = look;
  }

  get text(): string {
    return this.#put.map((line) => `${line}\n`).join("");
  }

  all({ title, description, nodes, intro, steps, finish }: Index): void {
    // A string of JSON is one of YAML.
    const front = [
      `title: ${JSON.stringify(title)}`,
      `description: ${JSON.stringify(description)}`,
    ];
    this.#made("---", ...front, `nodes: ${nodes}`, "---", "");
    // What it executes needs a step, which what stands before the first is not.
    this.#step(intro, intro.title || "Introduction");
    for (const [n, step] of steps.entries()) this.#step(step, step.title || `Step ${n + 1}`);
    this.#step(finish, finish.title || "The end");
  }

  #refuse(file: string, line: number, what: string): void {
    this.refusals.push({ file, line, what });
  }

  #line(text: string, file: string, line: number): void {
    this.#put.push(text);
    this.lines.push({ file, line });
    this.#bytes += bytes(text) + 1;
  }

  #made(...lines: string[]): void {
    for (const line of lines) this.#line(line, NAME, 0);
  }

  #step(page: Page, title: string): void {
    if (Object.values(page).every((field) => field === "")) return;
    this.#made(
      `## ${title
        .split(/[\r\n]+/)
        .filter(Boolean)
        .join(" ")}`,
      "",
    );
    this.#script(page.background, "shell prepare hidden");
    this.#script(page.foreground, "shell prepare hidden");
    this.#markdown(page.text);
    this.#script(page.verify, 'check title="The step is done" timeout=30');
  }

  #script(name: string, info: string): void {
    const text = this.#read(name);
    if (text === undefined) return;
    this.#block(name, 1, info, text.split("\n"), true);
    this.#made("");
  }

  /** The text of a file; undefined where none is named, or it is refused. */
  #read(name: string): string | undefined {
    if (name === "") return undefined;
    const line = lineOf(this.#raw, name);
    if (!isPlain(name)) {
      this.#refuse(NAME, line, `${quoted(name)} is no file of the scenario's folder`);
      return undefined;
    }
    const file = this.#files.get(name) ?? new Error("it is not there");
    if (file instanceof Error) {
      this.#refuse(NAME, line, `${quoted(name)} cannot be read: ${file.message}`);
      return undefined;
    }
    const text = withoutEnd(file.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n"), "\n");
    if (this.#bytes + bytes(text) > MOST.file) {
      if (!this.#full) this.#refuse(name, 0, `a scenario has at most ${MOST.file} bytes`);
      this.#full = true;
      return undefined;
    }
    const at = text.indexOf(FENCE);
    if (at >= 0) {
      const ends = text.slice(0, at).split("\n").length;
      this.#refuse(name, ends, `a line of ${FENCE} ends a block here`);
      return undefined;
    }
    return text;
  }

  /** Blocks followed by {{exec}} run, and lines with code followed by it do below their paragraph. */
  #markdown(name: string): void {
    const text = this.#read(name);
    if (text === undefined) return;
    const lines = text.split("\n");
    let below: string[] = []; // commands of the paragraph
    let belowAt = 0;
    const flush = () => {
      if (below.length > 0) {
        this.#made("");
        this.#block(name, belowAt, "shell", below, true);
      }
      below = [];
    };
    for (let n = 0; n < lines.length; n++) {
      let line = lines[n] ?? "";
      const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0] ?? "";
      const said = line.slice(mark.length);
      if (mark !== "" && !said.includes("`")) {
        flush();
        n = this.#fenced(name, lines, n, mark, trimmed(said).split(/[ \t\f]/, 1)[0] ?? "");
        continue;
      }
      if (trimmed(line) === "") flush();
      for (const [, code = "", action] of line.matchAll(INLINE)) {
        if (action === "exec") {
          below.push(code);
          belowAt = n + 1;
        }
      }
      line = line.replace(INLINE, "`$1`");
      for (const [action] of line.matchAll(ACTION))
        this.#refuse(name, n + 1, `${action} is not here`);
      const heading = HEADING.exec(line);
      // ## begins a step.
      if (heading?.[1] && heading[1].length < 3) line = `###${heading[2] ?? ""}`;
      this.#line(line, name, n + 1);
    }
    flush();
    this.#made("");
  }

  /** Puts a block that begins at line n (from 0), and gives its last line. */
  #fenced(
    name: string,
    lines: readonly string[],
    n: number,
    mark: string,
    language: string,
  ): number {
    let end = n + 1;
    let wanted = "";
    for (; end < lines.length; end++) {
      const line = trimmed(lines[end] ?? "");
      const rest = line.replace(mark.startsWith("~") ? /^~+/ : /^`+/, "");
      if (line.startsWith(mark) && (rest === "" || rest.startsWith("{{"))) {
        wanted = rest;
        break;
      }
    }
    const action = [...wanted.matchAll(ACTION)].map(([, words = ""]) => trimmed(words))[0];
    let info = "text";
    if (action === "exec") info = "shell";
    else if (wanted === "" || action === "copy") {
      if (language === "yaml" || language === "json") info = language;
    } else this.#refuse(name, end + 1, `${wanted} is not here`);
    this.#block(name, n + 2, info, lines.slice(n + 1, end), info === "shell");
    return end;
  }

  /** Puts lines, the first of which is line `first` of the file. */
  #block(name: string, first: number, info: string, lines: readonly string[], runs: boolean): void {
    if (runs) {
      for (const { line, what } of this.#look(lines.join("\n")))
        this.#refuse(name, first + line - 1, what);
    }
    this.#line(FENCE + info, name, first);
    for (const [n, line] of lines.entries()) this.#line(line, name, first + n);
    this.#line(FENCE, name, first);
  }
}

/*
 * Not by expressions with a star at the end: those take the square of what a stranger writes.
 */
function trimmed(line: string): string {
  let from = 0;
  while (from < line.length && BLANKS.includes(line.charAt(from))) from++;
  return withoutEnd(line.slice(from), BLANKS);
}

function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
