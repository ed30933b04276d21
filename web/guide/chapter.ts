import type { Code, Stressed, Table } from "../prose/prose.ts";

/** A piece of a line. Text is a string; what is more has a shape of its own. */
export type Inline = string | Code | Stressed<Inline> | Own;

/**
 * What a step has to be to prove something: of that kind, and like `like` if there is one (`firstLike` in
 * web/trace/proof.ts).
 */
export interface Proof {
  readonly kind: string;
  readonly like?: string;
}

/** What a sentence claims, and whether it is true of any command that has such a step (`ANY`). */
export interface Claim extends Proof {
  readonly any?: true;
}

/**
 * The title of a claim's link that is true of any command, whichever one the text tells of: that a request is
 * authenticated, and not that it is a POST.
 */
export const ANY = "of any command";

/** What only a chapter's lines have. */
export type Own =
  /** A claim that a step proves: it lights up when such a step is in the trace. */
  | ({ type: "step"; of: readonly Inline[] } & Claim)
  /** A line of Kubernetes' source, by its path in the repository. */
  | { type: "source"; path: string; line: number; of: readonly Inline[] }
  | { type: "chapter"; name: string; of: readonly Inline[] }
  /** A word of the glossary (glossary.md), by its name there. */
  | { type: "word"; name: string; of: readonly Inline[] }
  /** A view of the main pane, by its name in the address. */
  | { type: "view"; name: string; of: readonly Inline[] };

/**
 * Why a section is folded: it stands beside the story, by a heading that begins with "Aside:"; or it is for those who have
 * read older guides, by its heading.
 */
export type Fold = "aside" | "older";

/** The heading of what is not as older guides have it. */
export const OLDER = "Since the older guides";

export type Block =
  /** With `fold` it is folded, with all that comes before the next one. */
  | { type: "heading"; id: string; text: readonly Inline[]; fold?: Fold }
  | { type: "paragraph"; text: readonly Inline[] }
  | { type: "list"; ordered: boolean; items: readonly (readonly Inline[])[] }
  | Table<Inline>
  /** A line, or a few, that the terminal runs. */
  | { type: "run"; line: string }
  /** The same, which is told in the place of what was told before. */
  | { type: "next"; line: string }
  | { type: "code"; text: string }
  /**
   * What the chapter is about, if it tells of one kind of command only, and the step by which that is known: a
   * paragraph that is a link to `about:kind@like` and nothing else, at the chapter's beginning.
   */
  | ({ type: "about"; of: readonly Inline[] } & Proof)
  /**
   * A table that the page makes of the steps of the command that is told, with its title: a paragraph that is
   * a link to `block:critical-path` and nothing else.
   */
  | { type: "critical-path"; of: readonly Inline[] };

/** What is known of a chapter before it is opened. */
export interface Head {
  /** Its name in the trace and in links. */
  readonly name: string;
  readonly title: string;
  /** The part of Kubernetes that acts in it. */
  readonly component: string;
  /** Set where most commands never come: a word in the place of the time. */
  readonly mark?: string;
  /** Set with `mark`: why they do not. */
  readonly why?: string;
}

/** A chapter on the page. Its text is fetched when it is first opened. */
export interface Chapter extends Head {
  readonly text: () => Promise<readonly Block[]>;
}

/** One chapter, as the build makes it of a Markdown file (compile.ts). */
export interface Compiled extends Head {
  blocks: readonly Block[];
  /** The kinds of steps that it is tied to. */
  kinds: readonly string[];
  /** The words of the glossary that it links, by their names. */
  links: readonly string[];
  /** Words of prose: code blocks do not count. */
  words: number;
}
