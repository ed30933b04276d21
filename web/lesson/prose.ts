/* What a lesson says, of marked's tree: as data, which a view draws as text. No markup comes of it. */
import type { Token, Tokens } from "marked";
import { decode, tableOf } from "../prose/prose.ts";
import { CHAPTER_NAMES } from "./chapters.ts";
import { inFolder } from "./front.ts";
import { acts, languageOf, parseInfo } from "./info.ts";
import { cut, type Inline, type Prose } from "./lesson.ts";

/** Reads tokens; `problem` is told what is not shown as it was meant. */
export class ProseReader {
  readonly images: string[] = [];
  readonly links: string[] = [];
  readonly #problem: (what: string) => void;

  constructor(problem: (what: string) => void) {
    this.#problem = problem;
  }

  /** `quiet`: blocks that would run may stand in it, and are shown only. */
  block(token: Token, quiet = false, inside = false): Prose[] {
    const t = token as Tokens.Generic & Token;
    const below = (tokens: readonly Token[] | undefined) =>
      (tokens ?? []).flatMap((one) => this.block(one, quiet, true));
    switch (t.type) {
      case "space":
      case "def":
      case "checkbox":
        return [];
      case "heading":
        return [
          { type: "heading", level: (t as Tokens.Heading).depth, text: this.inlines(t.tokens) },
        ];
      case "paragraph":
      case "text":
        return [{ type: "paragraph", text: this.inlines(t.tokens ?? [t]) }];
      case "list": {
        const { ordered, start, items } = t as Tokens.List;
        return [
          {
            type: "list",
            ordered,
            start: Number(start) || 1,
            items: items.map((item) => below(item.tokens)),
          },
        ];
      }
      case "blockquote":
        return [{ type: "quote", of: below(t.tokens) }];
      case "table":
        return [tableOf(t as Tokens.Table, (cell) => this.inlines(cell.tokens))];
      case "code":
        if (inside && !quiet) this.#nested(infoOf(t.raw));
        return [{ type: "code", text: (t as Tokens.Code).text }];
      case "hr":
        return [{ type: "rule" }];
      case "html":
        return this.#html(t.raw).map((text) => ({ type: "paragraph", text: [text] }));
      default:
        return [{ type: "paragraph", text: [t.raw] }];
    }
  }

  inlines(tokens: readonly Token[] | undefined): Inline[] {
    return (tokens ?? []).flatMap((token) => this.#inline(token as Tokens.Generic & Token));
  }

  #inline(token: Tokens.Generic): Inline[] {
    switch (token.type) {
      case "text":
        if (token.tokens) return this.inlines(token.tokens);
        return [decode((token as Tokens.Text).text).replaceAll("\n", " ")];
      case "escape":
        return [(token as Tokens.Escape).text];
      case "br":
        return [" "];
      case "checkbox":
        return [];
      case "codespan":
        return [{ type: "code", text: (token as Tokens.Codespan).text }];
      case "strong":
      case "em":
        return [{ type: token.type, of: this.inlines(token.tokens) }];
      case "link":
        return this.#link((token as Tokens.Link).href, this.inlines(token.tokens));
      case "image": {
        const { href, text } = token as Tokens.Image;
        if (!inFolder(href, PICTURES)) {
          this.#problem(`the image "${cut(href)}" is no picture of the lesson's folder`);
          return [text];
        }
        this.images.push(href);
        return [{ type: "image", path: href, text }];
      }
      case "html":
        return this.#html(token.raw);
      default:
        return token.tokens ? this.inlines(token.tokens) : [token.raw];
    }
  }

  #link(href: string, of: Inline[]): Inline[] {
    if (OUTWARD.test(href)) {
      this.links.push(href);
      return [{ type: "link", href, of }];
    }
    const [within, chapter] = INWARD.exec(href) ?? [];
    if (chapter !== undefined && !CHAPTER_NAMES.includes(chapter)) {
      this.#problem(`the guide has no chapter "${chapter}": it has ${CHAPTER_NAMES.join(", ")}`);
      return of;
    }
    if (within !== undefined) {
      this.links.push(href);
      return [{ type: "inside", to: href, of }];
    }
    this.#problem(
      `the link "${cut(href)}" is none of http://, https://, guide:CHAPTER and trace:last`,
    );
    return of;
  }

  /** Markup is shown as the text that it is; comments are not shown. */
  #html(raw: string): string[] {
    if (/^\s*<!--.*-->\s*$/s.test(raw)) return [];
    this.#problem(`HTML is not shown: "${cut(raw.trim())}"`);
    return [raw];
  }

  #nested(text: string): void {
    let language: string;
    let norun: boolean;
    try {
      const info = parseInfo(text);
      language = info.language;
      norun = info.given.has("norun");
    } catch {
      language = text.trim().split(/[ \t]/)[0] ?? "";
      norun = false;
    }
    if (acts(language) && languageOf(language) !== "yaml" && !norun) {
      this.#problem(
        `a block of ${language} stands in a list or a quote, where nothing runs: put it at the beginning of the line, or give it norun`,
      );
    }
  }
}

/** What stands behind a fence; "" for a block without one. */
export function infoOf(raw: string): string {
  return /^ {0,3}(?:`{3,}|~{3,})([^\n]*)/.exec(raw)?.[1] ?? "";
}

const PICTURES = [".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg"];
const OUTWARD = /^https?:\/\/[^\s]+$/;
const INWARD = /^(?:guide:([a-z-]{1,40})|trace:last)$/;
