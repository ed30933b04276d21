/*
 * Makes the guide's glossary of Markdown, when the page is built, as compile.ts makes chapters. What is wrong with it
 * ends the build: a word that nobody links, one that is explained twice, or too long.
 */
import { Lexer, type Token, type Tokens } from "marked";
import { decode, plain, type Code } from "../prose/prose.ts";
import type { Compiled } from "./chapter.ts";
import type { Word } from "./glossary.ts";

const FILE = "glossary.md";

/** A note beside a sentence is read in passing. */
const MOST_WORDS = 50;
const MOST_SENTENCES = 3;

/** What of a chapter the glossary has to know. */
type Links = Pick<Compiled, "name" | "links">;

/** Reads the words and what they mean; `chapters`, in their order, must link each of them. */
export function compileGlossary(text: string, chapters: readonly Links[]): Word[] {
  const words = read(text);
  return words
    .map((word) => {
      const of = chapters.filter(({ links }) => links.includes(word.name)).map(({ name }) => name);
      if (of.length === 0) throw wrong(word.term, "no chapter links it");
      return { ...word, chapters: of };
    })
    .sort((a, b) => a.term.localeCompare(b.term, "en"));
}

/** The names that a chapter may link. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(read(text).map(({ name }) => name));
}

/** A name in links: "field manager" is "field-manager". */
export function nameOf(term: string): string {
  return term.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

function read(text: string): Omit<Word, "chapters">[] {
  const [, body] = /^---\n.*?\n---\n(.*)$/s.exec(text) ?? [];
  if (body === undefined) {
    throw new Error(`${FILE}: it does not begin with what it is between two lines of ---`);
  }
  const found = new Map<string, Omit<Word, "chapters">>();
  const tokens = new Lexer().lex(body).filter(({ type }) => type !== "space");
  for (let at = 0; at < tokens.length; at += 2) {
    const [heading, meaning] = tokens.slice(at, at + 2);
    if (heading?.type !== "heading" || (heading as Tokens.Heading).depth !== 2) {
      throw new Error(`${FILE}: a word is a heading with ##, and what it means one paragraph`);
    }
    const term = plain(line(heading, ""));
    if (meaning?.type !== "paragraph") throw wrong(term, "what it means is one paragraph");
    const name = nameOf(term);
    if (found.has(name)) throw wrong(term, "it is explained twice");
    const of = line(meaning, term);
    bounded(term, plain(of));
    found.set(name, { name, term, of });
  }
  return [...found.values()];
}

function bounded(term: string, meaning: string): void {
  const words = meaning.split(/\s+/).filter(Boolean).length;
  if (words > MOST_WORDS) throw wrong(term, `it has ${words} words, ${MOST_WORDS} are the most`);
  const sentences = meaning.split(/[.?!](?:\s|$)/).filter(Boolean).length;
  if (sentences > MOST_SENTENCES) {
    throw wrong(term, `it has ${sentences} sentences, ${MOST_SENTENCES} are the most`);
  }
}

function line(token: Token, term: string): (string | Code)[] {
  return ((token as Tokens.Generic).tokens ?? []).map((piece) => {
    switch (piece.type) {
      case "text":
      case "escape":
        // A newline within a paragraph is a space.
        return decode((piece as Tokens.Text).text).replaceAll("\n", " ");
      case "codespan":
        return { type: "code", text: decode((piece as Tokens.Codespan).text) };
      default:
        throw wrong(term, `it has no place for ${piece.type}`);
    }
  });
}

function wrong(term: string, what: string): Error {
  return new Error(`${FILE}: "${term}": ${what} (web/guide/compile-glossary.ts)`);
}
