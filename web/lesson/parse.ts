/*
 * Reads lesson.md, whose form docs/lessons.md has. A lesson is served as it is, by any host, so the page
 * parses it; nodehost/lesson reads the same for whoever tests it, and testdata/cases.yaml holds both to
 * the same result. All of it is a stranger's: it becomes data, never markup, and is bounded.
 */
import { Lexer, type Token, type Tokens } from "marked";
import { messageOf } from "../rpc/reason.ts";
import { readFront } from "./front.ts";
import { acts, parseInfo, partOf } from "./info.ts";
import { plain } from "../prose/prose.ts";
import { bytes, cut, MOST, type Block, type Lesson, type Part, type Problem } from "./lesson.ts";
import { infoOf, ProseReader } from "./prose.ts";

/** What is wrong is in `problems`; the lesson has what could be read. */
export function parseLesson(raw: string): { lesson: Lesson; problems: Problem[] } {
  const reader = new Reader();
  const text = raw.replace(/\r\n?/g, "\n");
  if (bytes(text) > MOST.file) {
    reader.problem(`a lesson has at most ${MOST.file} bytes`, 0);
    return reader.end();
  }
  const [whole = "", front] = /^---\n(.*?)\n---(?:\n|$)/s.exec(text) ?? [];
  if (front === undefined) {
    const form = 'it does not begin with its title: three lines, "---", "title: …", "---"';
    reader.problem(form, 1);
  } else reader.front(front);
  const body = text.slice(whole.length);
  reader.line = 1 + newlines(whole);
  const links = body.split("](").length - 1;
  if (links > MOST.links) {
    reader.problem(`it has ${links} links and images; a lesson has at most ${MOST.links}`, 0);
    return reader.end();
  }
  const deep = tooDeep(body);
  if (deep > 0) {
    reader.problem(
      `more than ${MOST.nesting} lists and quotes stand within one another`,
      reader.line + deep - 1,
    );
    return reader.end();
  }
  try {
    for (const token of reader.lex(body)) {
      reader.top(token);
      reader.line += newlines(token.raw);
    }
  } catch (error) {
    // The parser's own bound, the stack, is one as well.
    if (!(error instanceof RangeError)) throw error;
    const why = error instanceof Marks ? error.message : "too much stands within one another";
    reader.problem(`it cannot be read: ${why}`, 0);
  }
  return reader.end();
}

/** A lesson has more marks than are read. */
class Marks extends RangeError {}

/** What may begin or end something within a line. */
const MARKS = /[!&*<>@[\\\]^_`~]/g;

/** A parser whose work on lines is bounded: for each mark in a paragraph it looks at all of that. */
class Bounded extends Lexer {
  readonly #work: { left: number };

  constructor(work: { left: number }) {
    super();
    this.#work = work;
  }

  override inlineTokens(src: string, tokens?: Token[]): Token[] {
    this.#work.left -= src.length * (1 + (src.match(MARKS)?.length ?? 0));
    if (this.#work.left < 0)
      throw new Marks(`a paragraph has too many marks such as * and _: "${cut(src)}"`);
    return super.inlineTokens(src, tokens);
  }
}

// A parser's work grows with the square of how deep things lie in one another.
const CONTAINERS = new RegExp(
  `^(?:[ \\t]*(?:>|[-+*][ \\t]|\\d{1,9}[.)][ \\t])){${MOST.nesting + 1}}`,
);

function tooDeep(body: string): number {
  const brackets = "[".repeat(200);
  const at = body
    .split("\n")
    .findIndex(
      (line) => CONTAINERS.test(line) || line.replace(/^[ \t>]+/, "").startsWith(brackets),
    );
  return at + 1;
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}

class Reader {
  line = 1;
  readonly #problems: Problem[] = [];
  readonly #prose = new ProseReader((what) => this.problem(what));
  #front: ReturnType<typeof readFront> = { title: "" };
  readonly #intro: Block[] = [];
  readonly #steps: { title: string; blocks: Block[] }[] = [];
  #last: Part | undefined;
  #parts = 0;

  readonly #work = { left: MOST.work };

  /** Reads Markdown, of a part of the lesson as well. */
  lex(text: string): Token[] {
    return new Bounded(this.#work).lex(text);
  }

  problem(what: string, line = this.line): void {
    this.#problems.push({ line, what });
  }

  front(text: string): void {
    try {
      this.#front = readFront(text);
    } catch (error) {
      this.problem(messageOf(error), 1);
    }
  }

  top(token: Token): void {
    if (token.type === "space") return;
    const last = this.#last;
    this.#last = undefined;
    const hint = token.type === "blockquote" && /^\[!TIP\][ \t]*(?:\n|$)/.test(textOf(token));
    if (token.type === "heading" && (token as Tokens.Heading).depth <= 2) this.#heading(token);
    else if (hint) this.#hint(token as Tokens.Blockquote);
    else if (token.type === "code") this.#code(token as Tokens.Code, last);
    else this.#blocks.push(...this.#prose.block(token));
  }

  end(): { lesson: Lesson; problems: Problem[] } {
    if (this.#steps.length === 0 && this.#problems.length === 0)
      this.problem('it has no step: a heading "## …"', 0);
    const { images, links } = this.#prose;
    return {
      lesson: { ...this.#front, intro: this.#intro, steps: this.#steps, images, links },
      problems: this.#problems.sort((a, b) => a.line - b.line),
    };
  }

  get #blocks(): Block[] {
    return this.#steps.at(-1)?.blocks ?? this.#intro;
  }

  #heading(token: Token): void {
    const { depth, tokens } = token as Tokens.Heading;
    const title = plain(this.#prose.inlines(tokens)).trim();
    if (depth === 1) {
      this.problem("a lesson's title stands between the lines of ---; a step begins with ##");
      return;
    }
    if (title === "" || bytes(title) > MOST.title)
      this.problem(`a step's title has from 1 to ${MOST.title} bytes`);
    if (this.#steps.length === MOST.steps) {
      this.problem(`a lesson has at most ${MOST.steps} steps`);
      return;
    }
    this.#steps.push({ title, blocks: [] });
  }

  #hint(quote: Tokens.Blockquote): void {
    // Its first line only says what it is.
    const [first, ...more] = this.lex(quote.text.replace(/^\[!TIP\][ \t]*\n?/, ""));
    const of = [...(first ? [first] : []), ...more].flatMap((token) =>
      this.#prose.block(token, true, true),
    );
    this.#part({ type: "part", kind: "hint", text: "", of });
  }

  #code(token: Tokens.Code, last: Part | undefined): void {
    const text = token.text;
    const shown = () => this.#blocks.push({ type: "code", text });
    if (token.codeBlockStyle === "indented") return void shown();
    const said = infoOf(token.raw);
    try {
      const part = partOf(parseInfo(said), text);
      if (part === undefined) return void shown();
      if (part !== "output") return this.#part(part);
      if (last?.kind !== "run" || last.output !== undefined)
        throw new Error("a block of output follows the block of shell that prints it");
      last.output = text.replace(/\n+$/, "");
    } catch (error) {
      shown();
      const language = said.trim().split(/[ \t]/)[0] ?? "";
      // A language of somebody's has attributes of its own.
      if (acts(language)) this.problem(messageOf(error));
    }
  }

  #part(part: Part): void {
    if (++this.#parts > MOST.parts) {
      if (this.#parts === MOST.parts + 1) this.problem(`a lesson has at most ${MOST.parts} blocks`);
      return;
    }
    if (this.#steps.length === 0 && !part.prepare) {
      this.problem("before the first step, ##, only blocks with prepare can stand");
      return;
    }
    this.#last = part;
    this.#blocks.push(part);
  }
}

function textOf(token: Token): string {
  return "text" in token && typeof token.text === "string" ? token.text : "";
}
