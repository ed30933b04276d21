/* Looks for programs that are not here in what will run; nothing is run by this. */
import { bytes, MOST } from "../lesson.ts";
import { forEachChild, parse, type Command, type SyntaxNode, type Word } from "unbash";

/** What a parser of shell takes within one another: its work grows with the square. */
const DEEPEST = 1000;

/** Something of a text that cannot run here. */
export interface Finding {
  /** Of the text, from 1. */
  readonly line: number;
  readonly what: string;
}

/** `lacks` says why a program is not in the terminal, "" if it is or nobody knows. */
export function findingsOf(text: string, lacks: (program: string) => string): Finding[] {
  // A lesson takes no longer block, and says so of it.
  if (bytes(text) > MOST.text) return [];
  const deep = tooDeep(text);
  if (deep > 0)
    return [{ line: deep, what: "this is no shell: too much stands within one another" }];
  const lines = starts(text);
  const lineOf = (pos: number) => lines.findLastIndex((start) => start <= pos) + 1;
  const script = parse(text);
  const found: { pos: number; what: string }[] = [];
  const open: { pos: number; what: string }[] = [];
  // Not by recursion: a stranger's script may be nested as deep as its parser takes it.
  const stack: SyntaxNode[] = [script];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === "Command") called(node, lacks, found);
    else if (node.type === "HereDoc" && !node.closing)
      open.push({ pos: node.pos, what: "a here-document without its end" });
    else if (node.type === "ParameterExpansion" && !text.slice(0, node.end).endsWith("}"))
      open.push({ pos: node.pos, what: "${ without }" });
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => void children.push(child));
    stack.push(...children.reverse());
  }
  const [error] = script.errors ?? [];
  const [first] = error ? [begun(error, text, script)] : open;
  if (first) return [{ line: lineOf(first.pos), what: `this is no shell: ${first.what}` }];
  return found.map(({ pos, what }) => ({ line: lineOf(pos), what }));
}

/** The programs that a command names: its first word, and the second behind what runs another. */
function called(
  { name, args }: Command,
  lacks: (program: string) => string,
  found: { pos: number; what: string }[],
): void {
  const words = [name, ...args].slice(0, 2);
  for (const [i, word] of words.entries()) {
    if (word?.type !== "Word") return;
    const said = literal(word);
    const why = said === "" ? "" : lacks(baseOf(said));
    if (why !== "")
      found.push({ pos: word.pos, what: `${JSON.stringify(said)} is not here: ${why}` });
    if (i > 0 || !RUNS.has(said)) return;
  }
}

const RUNS: ReadonlySet<string> = new Set(["sudo", "exec", "time"]);

/** A word that is only what it says; "" for one with quotes or variables. */
function literal({ text }: Word): string {
  return /["'`$\\]/.test(text) ? "" : text;
}

function baseOf(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? "";
}

/**
 * Where what is wrong begins. The parser says where it ended: what is never closed is found where it was
 * opened, which is what its author looks for, and what nodehost says.
 */
function begun(
  { message, pos }: { message: string; pos: number },
  text: string,
  script: SyntaxNode,
): { pos: number; what: string } {
  const after = /^expected .* after '([^']+)'$/.exec(message)?.[1];
  if (after !== undefined)
    return { pos: Math.max(0, text.lastIndexOf(after, pos - 1)), what: message };
  if (message.startsWith("expected redirect target"))
    return { pos: Math.max(0, pos - 1), what: message };
  // What closes something else is wrong where it stands.
  if (text.slice(pos).trim() !== "") return { pos, what: message };
  const [, types, closer] = KINDS.find(([words]) => words.test(message)) ?? [/^/, [], ""];
  const stray = /\b(?:fi|done|esac)$/.exec(text.slice(Math.max(0, pos - 8), pos))?.[0] ?? "";
  let [at, around] = [-1, Infinity];
  const stack: SyntaxNode[] = types.length > 0 ? [script] : [];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (types.includes(node.type) && node.pos > at && isOpen(node, text, pos, closer))
      at = node.pos;
    if (BLOCKS.includes(node.type) && node.end === pos) around = Math.min(around, node.pos);
    forEachChild(node, (child) => void stack.push(child));
  }
  // What it closes began before what is open.
  if (stray !== "" && around < at) return { pos: pos - stray.length, what: message };
  return { pos: at < 0 ? pos : at, what: message };
}

const BLOCKS: readonly string[] = ["If", "For", "While", "Select", "Case"];

/** Whether a node was given up where the text ended: the parser gives some of those no length. */
function isOpen(node: SyntaxNode, text: string, pos: number, closer: string): boolean {
  if (node.end === node.pos) return true;
  const reaches = node.end >= pos || text.slice(node.end, pos).trim() === "";
  return reaches && !text.slice(node.pos, node.end).trimEnd().endsWith(closer);
}

/** What the parser says of what is not closed, and which nodes those are. */
const KINDS: readonly (readonly [words: RegExp, types: readonly string[], closer: string])[] = [
  [/'(?:fi|then)'/, ["If", "Elif"], "fi"],
  [/'do(?:ne)?'/, ["For", "While", "Select", "ArithmeticFor"], "done"],
  [/'esac'/, ["Case"], "esac"],
  [/'}'/, ["BraceGroup"], "}"],
  [/'\)'/, ["Subshell"], ")"],
  [/']]'/, ["TestCommand"], "]]"],
  [/function body/, ["Function"], "}"],
];

/** The line in which more is open than is read; 0 if nowhere. */
function tooDeep(text: string): number {
  let [line, depth] = [1, 0];
  for (const character of text) {
    if (character === "\n") line++;
    else if (character === "(" || character === "{") depth++;
    else if ((character === ")" || character === "}") && depth > 0) depth--;
    if (depth > DEEPEST) return line;
  }
  return 0;
}

function starts(text: string): number[] {
  const all = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) all.push(at + 1);
  return all;
}
