import type { TraceStep } from "../rpc/protocol.ts";
import { Details, textOf } from "../trace/details.ts";
import { changesOf, listOf, matrixOf, type Changed, type Matrix } from "../trace/look.ts";
import { took } from "../trace/words.ts";
import { Tree } from "./tree.ts";

/* What a step knows, as people read it: who was asked and what they said, nodes and plugins, and the rest as YAML. */

/** One of those that were asked, or looked at, one after the other. */
export interface Asked {
  readonly name: string;
  /** Its answer in a word or two; empty if it had none. */
  readonly says: string;
  readonly why: string;
  /** It decided, or did something. */
  readonly acted: boolean;
  readonly refused: boolean;
}

export interface Data {
  readonly matrix: Matrix | undefined;
  /** What its marks mean. */
  readonly marks: string;
  /** How many nodes the matrix does not show. */
  readonly more: number;
  readonly title: string;
  readonly asked: readonly Asked[];
  /** All else, as YAML. */
  readonly lines: readonly string[];
  /** What was left out where the step happened; empty if nothing was. */
  readonly cut: string;
}

/** Nodes of a matrix, those that are asked, and lines that are drawn at most: details are strangers'. */
const NODES = 20;
const ASKED = 60;
const LINES = 150;

/** Parts that are numbers of milliseconds. */
const TIMES: ReadonlySet<string> = new Set(["took", "waited", "lag"]);

/**
 * The data of a step that has its details in whole; undefined if it has none. One that `begins` is told before its
 * parts: what they came to is theirs to tell.
 */
export function dataOf(step: TraceStep, begins = false): Data | undefined {
  const { details, kind } = step;
  if (typeof details !== "object" || details === null) return undefined;
  const matrix = matrixOf(step);
  const { title, part, asked } = askedOf(details);
  const told = new Set(matrix ? MATRIX : part ? [part] : []);
  // The reason is the answer of the last that was asked.
  if (part === "asked") told.add("reason");
  for (const one of begins ? (OUTCOMES.get(kind) ?? []) : []) told.add(one);
  for (const one of ELSEWHERE.get(kind) ?? []) told.add(one);
  const lines = Object.entries(details)
    .filter(([key]) => !told.has(key))
    .flatMap(([key, value]) => linesOf(key, value, kind.startsWith("cri.")));
  if (!matrix && asked.length === 0 && lines.length === 0) return undefined;
  const [shown, more] = fewer(matrix);
  return {
    matrix: shown,
    marks: kind === "scheduler.filter" ? FILTERED : kind === "scheduler.score" ? SCORED : "",
    more,
    title,
    asked: asked.slice(0, ASKED),
    lines: lines.length > LINES ? [...lines.slice(0, LINES), "…"] : lines,
    cut: step.cut ?? "",
  };
}

/** What a step came to in the end. */
const OUTCOMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["apiserver.request", ["code", "answer"]],
  ["kubectl.request", ["code"]],
  ["scheduler.attempt", ["result", "node"]],
]);

/** What the object itself shows, or an earlier step. */
const ELSEWHERE: ReadonlyMap<string, readonly string[]> = new Map([
  ["apiserver.decoded", ["sent"]],
  ["scheduler.bind", ["code"]],
  ["kubectl.discovery", ["unneeded"]],
]);

/** Of what a matrix is made. */
const MATRIX = ["plugins", "skipped", "nodes", "chosen", "feasible"];

/** Those nodes come first that were chosen. */
function fewer(matrix: Matrix | undefined): [Matrix | undefined, number] {
  if (!matrix || matrix.rows.length <= NODES) return [matrix, 0];
  const rows = matrix.rows.toSorted((a, b) => Number(b.chosen) - Number(a.chosen));
  return [{ ...matrix, rows: rows.slice(0, NODES) }, rows.length - NODES];
}

const FILTERED = "✓ passed it · it had nothing to do with this pod – was not asked ✕ refused";
const SCORED = "– was not asked, or had nothing to do with this pod";

function linesOf(key: string, value: unknown, isCall: boolean): readonly string[] {
  const name = key.replace(/Ms$/, "");
  if ((TIMES.has(key) || name !== key) && typeof value === "number")
    return [`${name}: ${took(value)}`];
  if (value === "" || value === null || (Array.isArray(value) && value.length === 0)) return [];
  const tree = new Tree();
  // A key is a stranger's: `__proto__` is one like any other.
  tree.meet(Object.fromEntries([[key, shorter(isCall ? sentOnce(value) : value)]]), "");
  return tree.lines().map(({ text }) => text);
}

/** Elements of a list of plain values, and levels of a value, that are looked at. */
const ELEMENTS = 4;
const LEVELS = 20;

/** Whoever asks for a pod's image or container sends its sandbox's configuration once more. */
function sentOnce(request: unknown): unknown {
  return typeof request === "object" && request && "sandboxConfig" in request
    ? { ...request, sandboxConfig: "that of RunPodSandbox" }
    : request;
}

/** A message is long: of plain lists it has the beginning, and of hashes what people say of them. */
function shorter(value: unknown, level = 0): unknown {
  if (typeof value === "string") return value.replace(HASH, "$1…");
  if (typeof value !== "object" || value === null || level > LEVELS) return value;
  if (Array.isArray(value)) {
    const all: readonly unknown[] = value;
    const plain = all.every((one) => typeof one !== "object");
    const some = plain && all.length > ELEMENTS + 1 ? all.slice(0, ELEMENTS) : all;
    const rest = all.length - some.length;
    return [
      ...some.map((one) => shorter(one, level + 1)),
      ...(rest > 0 ? [`… and ${rest} more`] : []),
    ];
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shorter(inner, level + 1)]),
  );
}

const HASH = /\b([0-9a-f]{12})[0-9a-f]{52}\b/g;

/** Those that were asked in turn, and which part of the details they are; none if the step has no such list. */
function askedOf(details: object): {
  readonly title: string;
  readonly part: string;
  readonly asked: readonly Asked[];
} {
  const asked = listOf(details, "asked");
  if (asked.some((one) => textOf(one, "answer") !== ""))
    return { title: "Asked one after the other", part: "asked", asked: asked.map(answer) };
  const plugins = listOf(details, "plugins");
  if (plugins.some((one) => textOf(one, "name") !== ""))
    return { title: "Plugins, one after the other", part: "plugins", asked: plugins.map(plugin) };
  const reads = listOf(details, "reads");
  if (reads.some((one) => textOf(one, "type") !== ""))
    return { title: "Read, of its own copy", part: "reads", asked: reads.map(read) };
  const changed = changesOf({ changed: listOf(details, "changed") });
  if (changed.length > 0)
    return { title: "What changes", part: "changed", asked: changed.map(change) };
  return { title: "", part: "", asked: [] };
}

/** Answers that leave it to the next one: who refuses a credential may be followed by one who accepts another. */
const PASSES = new Set(["not mine", "no opinion", "refused"]);

function answer(of: unknown): Asked {
  const [name, says, why] = [textOf(of, "name"), textOf(of, "answer"), textOf(of, "reason")];
  return { name, says, why, acted: !PASSES.has(says), refused: says === "deny" };
}

function plugin(of: unknown): Asked {
  const details = new Details(of);
  const refused = details.text("refused") === "true";
  const changes = details.list("changed").length;
  const acted = refused || changes > 0 || details.text("changed") === "true";
  const lasted = Number(details.text("took"));
  // The clock of a page is coarse: of most it says nothing.
  const time = lasted > 0 ? took(lasted) : "";
  const did = refused ? "refused" : acted ? `changed ${changes || "something"}` : "";
  const says = [did, time].filter(Boolean).join(" · ");
  return { name: details.text("name"), says, why: "", acted, refused };
}

function change({ path, before, after }: Changed): Asked {
  const says = [before, after || "taken away"].filter(Boolean).join(" → ");
  return { name: path, says, why: "", acted: true, refused: false };
}

function read(of: unknown): Asked {
  const found = textOf(of, "found");
  return {
    name: `${textOf(of, "type").split(".").at(-1) ?? ""} by ${textOf(of, "by")}`,
    says: found === "0" ? "none" : found,
    why: textOf(of, "of"),
    acted: found !== "0",
    refused: false,
  };
}
