/* Reads a scenario's index.json, as nodehost/lesson/killercoda/index.go does. All of it is a stranger's. */
import { messageOf } from "../../rpc/reason.ts";
import { MOST } from "../lesson.ts";
import { quoted, type Refusal } from "./problems.ts";

/** The file of a folder that is a scenario. */
export const NAME = "index.json";

/** A step, what stands before the first, or after the last: a title, and names of files. */
export interface Page {
  readonly title: string;
  readonly text: string;
  readonly foreground: string;
  readonly background: string;
  readonly verify: string;
}

export interface Index {
  readonly title: string;
  readonly description: string;
  readonly intro: Page;
  readonly steps: readonly Page[];
  readonly finish: Page;
  readonly nodes: number;
}

/** Nodes of the images that a cluster here can stand for. */
const NODES: ReadonlyMap<string, number> = new Map([
  ["kubernetes-kubeadm-1node", 1],
  ["kubernetes-kubeadm-2nodes", 2],
]);

type Fields = ReadonlyMap<string, unknown>;

/** What is wrong is in `refusals`; without any, the index has what it says. */
export function readIndex(raw: string): { index?: Index; refusals: readonly Refusal[] } {
  const refusals: Refusal[] = [];
  const refuse = (line: number, what: string) => void refusals.push({ file: NAME, line, what });
  let all: unknown;
  try {
    all = JSON.parse(raw);
  } catch (error) {
    const why = messageOf(error);
    // Not every browser says where.
    refuse(Number(/\bline (\d+)/.exec(why)?.[1] ?? 0), `it is no JSON: ${why.slice(0, 200)}`);
    return { refusals };
  }
  const object = (value: unknown, name: string, known: readonly string[]): Fields => {
    if (value === undefined || value === null) return new Map();
    if (typeof value !== "object" || Array.isArray(value)) {
      refuse(lineOf(raw, name), `"${name}" is no object`);
      return new Map();
    }
    for (const field of Object.keys(value).sort()) {
      if (!known.includes(field))
        refuse(lineOf(raw, field), `a lesson has no place for ${quoted(field)}`);
    }
    return new Map(Object.entries(value));
  };
  const text = (of: Fields, name: string): string => {
    const value = of.get(name);
    if (typeof value === "string") return value;
    if (value !== undefined && value !== null) refuse(lineOf(raw, name), `"${name}" is no text`);
    return "";
  };
  const page = (value: unknown, name: string): Page => {
    const of = object(value, name, PAGE);
    return {
      title: text(of, "title"),
      text: text(of, "text"),
      foreground: text(of, "foreground"),
      background: text(of, "background"),
      verify: text(of, "verify"),
    };
  };
  const top = object(all, "scenario", TOP);
  const details = object(top.get("details"), "details", ["intro", "steps", "finish"]);
  const backend = object(top.get("backend"), "backend", ["imageid"]);
  let steps = details.get("steps") ?? [];
  if (!Array.isArray(steps)) {
    refuse(lineOf(raw, "steps"), '"steps" is no list');
    steps = [];
  } else if (steps.length > MOST.steps) {
    refuse(lineOf(raw, "steps"), `a lesson has at most ${MOST.steps} steps`);
    steps = [];
  }
  const image = text(backend, "imageid");
  const nodes = NODES.get(image) ?? 0;
  if (nodes === 0) {
    refuse(
      lineOf(raw, "imageid"),
      `the machine ${quoted(image)} is not here: a scenario runs in a cluster, kubernetes-kubeadm-1node or -2nodes`,
    );
  }
  const index = {
    title: text(top, "title"),
    description: text(top, "description"),
    intro: page(details.get("intro"), "intro"),
    steps: (steps as unknown[]).map((step) => page(step, "steps")),
    finish: page(details.get("finish"), "finish"),
    nodes,
  };
  return refusals.length > 0 ? { refusals } : { index, refusals };
}

const PAGE = ["title", "text", "foreground", "background", "verify"];
/** What says how a page looks is not needed. */
const TOP = ["title", "description", "details", "backend", "difficulty", "time", "interface"];

/** The line where a word first stands between quotes; 0 if it does not. */
export function lineOf(raw: string, word: string): number {
  const at = raw.indexOf(JSON.stringify(word));
  return at < 0 ? 0 : raw.slice(0, at).split("\n").length;
}
