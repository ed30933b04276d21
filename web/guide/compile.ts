/*
 * Makes a chapter of a Markdown file, when the page is built: what reaches the page is data, which
 * views draw as text, and no parser. What a chapter may hold is little, and all else is refused here.
 */
import { Lexer, type Token, type Tokens } from "marked";
import { parse } from "yaml";
import { decode, plain, tableOf } from "../prose/prose.ts";
import {
  ANY,
  OLDER,
  type Block,
  type Compiled,
  type Fold,
  type Inline,
  type Proof,
} from "./chapter.ts";

/**
 * `file` is the file's name: "02-authentication.md". An error names it, and what it does not know. `glossary` has the
 * words that it may link; without it, any.
 */
export function compileChapter(
  file: string,
  text: string,
  glossary?: ReadonlySet<string>,
): Compiled {
  const name = /^\d\d-([a-z-]+)\.md$/.exec(file)?.[1];
  if (name === undefined) throw new Error(`${file}: a chapter's file is named NN-name.md`);
  const [, front, body] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  if (front === undefined || body === undefined) {
    throw new Error(`${file}: it does not begin with its title between two lines of ---`);
  }
  const known = new Set(["title", "component", "mark", "why"]);
  const matter = parse(front) as Partial<Record<"title" | "component" | "mark" | "why", string>>;
  const stray = Object.keys(matter).find((key) => !known.has(key));
  if (stray !== undefined) throw new Error(`${file}: ${stray} is nothing that a chapter has`);
  const { title, component, mark, why } = matter;
  if (title === undefined || component === undefined) {
    throw new Error(`${file}: title and component are missing`);
  }
  if ((mark === undefined) !== (why === undefined)) {
    throw new Error(`${file}: mark and why go together: a word, and what it means`);
  }
  const compiler = new Compiler(file, glossary);
  const blocks = new Lexer().lex(body).flatMap((token) => compiler.block(token));
  return {
    name,
    title,
    component,
    ...(mark === undefined || why === undefined ? {} : { mark, why }),
    blocks,
    kinds: [...compiler.kinds],
    links: [...compiler.links],
    words: blocks.reduce((sum, block) => sum + wordsOf(block), 0),
  };
}

/** Views that a chapter may lead to, by their names in the address (web/page/views.ts). */
const VIEWS: ReadonlySet<string> = new Set([
  "start",
  "network",
  "etcd",
  "nodes",
  "break",
  "editions",
  "configuration",
]);

class Compiler {
  readonly kinds = new Set<string>();
  /** The words that were linked. */
  readonly links = new Set<string>();
  readonly #file: string;
  readonly #glossary: ReadonlySet<string> | undefined;

  constructor(file: string, glossary: ReadonlySet<string> | undefined) {
    this.#file = file;
    this.#glossary = glossary;
  }

  block(token: Token): Block[] {
    const t = token as Tokens.Generic & Token;
    switch (t.type) {
      case "space":
        return [];
      case "heading": {
        if ((t as Tokens.Heading).depth !== 2) throw this.#unknown("a heading that is not ##");
        const text = this.#line(t);
        const said = plain(text);
        const fold = foldOf(said);
        return [{ type: "heading", id: slug(said), text, ...(fold && { fold }) }];
      }
      case "paragraph":
        return [this.#computed(t) ?? { type: "paragraph", text: this.#line(t) }];
      case "list": {
        const { ordered, items } = t as Tokens.List;
        return [{ type: "list", ordered, items: items.map((item) => this.#item(item)) }];
      }
      case "table":
        return [tableOf(t as Tokens.Table, (cell) => this.#inlines(cell.tokens))];
      case "code": {
        const { lang, text } = t as Tokens.Code;
        if (lang === "next") return [{ type: "next", line: text }];
        return lang === "shell" ? [{ type: "run", line: text }] : [{ type: "code", text }];
      }
      default:
        throw this.#unknown(t.type);
    }
  }

  /** A block that the page makes of steps, in the place of a paragraph. */
  #computed({ tokens = [] }: Tokens.Generic): Block | undefined {
    const [only, ...more] = tokens as (Tokens.Generic & Token)[];
    if (only?.type !== "link" || more.length > 0) return undefined;
    const { href } = only as Tokens.Link;
    const [, what] = /^about:(.*)$/.exec(href) ?? [];
    if (what !== undefined) return { type: "about", ...this.#proof(what), of: this.#line(only) };
    const [, name] = /^block:(.*)$/.exec(href) ?? [];
    if (name === undefined) return undefined;
    if (name !== "critical-path") throw this.#unknown(`the block "${name}"`);
    return { type: name, of: this.#line(only) };
  }

  #item(item: Tokens.ListItem): Inline[] {
    const [only, ...more] = item.tokens;
    if (!only || more.length > 0) throw this.#unknown("a list's item with more than one paragraph");
    return this.#line(only);
  }

  #line(token: Tokens.Generic): Inline[] {
    return this.#inlines(token.tokens ?? []);
  }

  #inlines(tokens: readonly Token[]): Inline[] {
    return tokens.map((token) => this.#inline(token as Tokens.Generic & Token));
  }

  #inline(token: Tokens.Generic): Inline {
    switch (token.type) {
      case "text":
      case "escape":
        // A newline within a paragraph is a space.
        return decode((token as Tokens.Text).text).replaceAll("\n", " ");
      case "codespan":
        return { type: "code", text: decode((token as Tokens.Codespan).text) };
      case "strong":
      case "em":
        return { type: token.type, of: this.#line(token) };
      case "link":
        return this.#link(token as Tokens.Link, this.#line(token));
      default:
        throw this.#unknown(token.type);
    }
  }

  #link({ href, title }: Tokens.Link, of: Inline[]): Inline {
    const [, scheme, rest = ""] = /^([a-z]+):(.*)$/.exec(href) ?? [];
    if (title && (title !== ANY || scheme !== "step")) throw this.#unknown(`the title "${title}"`);
    switch (scheme) {
      case "step":
        return { type: "step", ...this.#proof(rest), ...(title ? { any: true } : {}), of };
      case "source": {
        const [, path, line] = /^([\w./-]+)#L(\d+)$/.exec(rest) ?? [];
        if (path === undefined) throw this.#unknown(`the source "${rest}"`);
        return { type: "source", path, line: Number(line), of };
      }
      case "chapter":
        return { type: "chapter", name: rest, of };
      case "view":
        if (!VIEWS.has(rest)) throw this.#unknown(`the view "${rest}"`);
        return { type: "view", name: rest, of };
      case "word":
        return this.#word(rest, of);
      case "block":
      case "about":
        throw this.#unknown(`the block "${rest}" within a line: it is a paragraph of its own`);
      default:
        throw this.#unknown(`the link "${href}"`);
    }
  }

  /** A word of the glossary, once in a chapter: where it comes first. */
  #word(name: string, of: Inline[]): Inline {
    if (this.#glossary?.has(name) === false) throw this.#unknown(`the word "${name}"`);
    if (this.links.has(name)) throw this.#unknown(`the word "${name}" twice`);
    this.links.add(name);
    return { type: "word", name, of };
  }

  /** "kind", or "kind@like". */
  #proof(of: string): Proof {
    const [, kind, like] = /^([a-z]+\.\w+)(?:@([\w-]+))?$/i.exec(of) ?? [];
    if (kind === undefined) throw this.#unknown(`the step "${of}"`);
    this.kinds.add(kind);
    return { kind, ...(like === undefined ? {} : { like }) };
  }

  #unknown(what: string): Error {
    return new Error(`${this.#file}: a chapter has no place for ${what} (web/guide/compile.ts)`);
  }
}

function foldOf(heading: string): Fold | undefined {
  if (heading === OLDER) return "older";
  return heading.startsWith("Aside:") ? "aside" : undefined;
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

function wordsOf(block: Block): number {
  const count = (of: readonly Inline[]) => plain(of).split(/\s+/).filter(Boolean).length;
  switch (block.type) {
    case "heading":
    case "paragraph":
      return count(block.text);
    case "list":
      return block.items.reduce((sum, item) => sum + count(item), 0);
    case "table":
      return [block.head, ...block.rows].flat().reduce((sum, cell) => sum + count(cell), 0);
    case "critical-path":
    case "about":
      return count(block.of);
    case "run":
    case "next":
    case "code":
      return 0;
  }
}
