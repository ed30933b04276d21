import type { Code, Stressed, Table } from "../prose/prose.ts";

/** A piece of a line: text, or something that has a shape of its own. */
export type Inline = string | Code | Stressed<Inline> | Own;

/** What only a lesson's lines have. */
export type Own =
  | { type: "link"; href: string; of: readonly Inline[] }
  /** A chapter of the guide, or the trace of what was run last: a page that has them opens it. */
  | { type: "inside"; to: string; of: readonly Inline[] }
  /** A picture of the lesson's folder. */
  | { type: "image"; path: string; text: string };

/** What is read. */
export type Prose =
  | { type: "heading"; level: number; text: readonly Inline[] }
  | { type: "paragraph"; text: readonly Inline[] }
  | { type: "list"; ordered: boolean; start: number; items: readonly (readonly Prose[])[] }
  | { type: "quote"; of: readonly Prose[] }
  | Table<Inline>
  | { type: "code"; text: string }
  | { type: "rule" };

/** An object that kubectl finds. */
export interface ObjectName {
  /** "deploy/nginx". */
  readonly ref: string;
  readonly namespace?: string;
}

/** A condition of an object, as `kubectl wait` waits for it. */
export interface Condition extends ObjectName {
  /** "condition=Available", "jsonpath=…", "delete" or "create". */
  readonly reached: string;
}

export interface Answer {
  readonly text: string;
  readonly right?: boolean;
}

/** A block that does something; its fields are those of Part in nodehost/lesson. */
export interface Part {
  readonly type: "part";
  readonly kind: "run" | "apply" | "check" | "cel" | "trace" | "question" | "hint" | "solution";
  readonly text: string;
  readonly title?: string;
  readonly until?: Condition;
  readonly object?: ObjectName;
  /** The code that shell ends with; -1 takes each. */
  readonly exit?: number;
  /** Seconds that it may take. */
  readonly timeout?: number;
  /** What it prints; of a question, what is said when it was answered. */
  output?: string;
  readonly eventually?: boolean;
  readonly prepare?: boolean;
  readonly reset?: boolean;
  readonly hidden?: boolean;
  readonly answers?: readonly Answer[];
  /** What a hint says. */
  readonly of?: readonly Prose[];
}

export type Block = Prose | Part;

export interface Step {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export interface Lesson {
  readonly title: string;
  readonly description?: string;
  readonly minutes?: number;
  /** In-tab nodes of its cluster. */
  readonly nodes?: number;
  /** Files of the folder, applied first. */
  readonly manifests?: readonly string[];
  readonly intro: readonly Block[];
  readonly steps: readonly Step[];
  readonly images: readonly string[];
  readonly links: readonly string[];
}

/** Something that a lesson must not hold. */
export interface Problem {
  /** Of lesson.md, from 1; 0 if it is about the whole. */
  readonly line: number;
  readonly what: string;
  /** The file that the line is of, if not lesson.md. */
  readonly file?: string;
}

/** What a lesson may hold: the same as in nodehost/lesson/lesson.go. */
export const MOST = {
  file: 256 << 10,
  image: 1 << 20,
  front: 4 << 10,
  text: 32 << 10,
  steps: 50,
  parts: 500,
  title: 200,
  answers: 10,
  traced: 20,
  nodes: 8,
  seconds: 600,
  minutes: 600,
  manifests: 20,
  nesting: 16,
  /** A parser's work grows with their square. */
  links: 1000,
  /** So it does with marks of emphasis: characters of each paragraph for each mark in it, of all together. */
  work: 100_000_000,
} as const;

/** Whether a part passes or does not, and is tried until it does. */
export function checks({ kind, text }: Part): boolean {
  return kind === "check" || kind === "cel" || (kind === "trace" && text !== "");
}

/** The blocks that do something. */
export function partsOf(blocks: readonly Block[] = []): Part[] {
  return blocks.filter((block): block is Part => block.type === "part");
}

/** Bytes of a text in UTF-8, which is what the bounds count. */
export function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Shortens what a stranger wrote, for a message. */
export function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
