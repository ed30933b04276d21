/*
 * What stands behind a fence, and what a block does of it. The same as nodehost/lesson/info.go, held to it
 * by testdata/cases.yaml.
 */
import { parseUntil, scriptOf } from "./block.ts";
import {
  bytes,
  cut,
  MOST,
  type Answer,
  type Condition,
  type ObjectName,
  type Part,
} from "./lesson.ts";

/** A language, and attributes of it: words, word=value or word="a value". */
export interface Info {
  readonly language: string;
  readonly given: ReadonlyMap<string, string>;
}

const ATTRIBUTE = /^([a-z]+)(?:=(?:"([^"\\]*)"|([^\s"\\]+)))?(?:[ \t]+|$)/;

/** Throws an Error that says what is not understood. */
export function parseInfo(text: string): Info {
  const [, language = "", after = ""] = /^[ \t]*([^ \t]*)[ \t]*(.*?)[ \t]*$/.exec(text) ?? [];
  const given = new Map<string, string>();
  for (let rest = after; rest !== "";) {
    const found = ATTRIBUTE.exec(rest);
    const [all, name] = found ?? [];
    if (all === undefined || name === undefined) {
      throw new Error(`"${cut(rest)}" is not understood: write NAME, NAME=VALUE or NAME="A VALUE"`);
    }
    if (given.has(name)) throw new Error(`${name} is said twice`);
    given.set(name, found?.[2] ?? found?.[3] ?? "");
    rest = rest.slice(all.length);
  }
  return { language, given };
}

/** The language that a name stands for. */
export function languageOf(name: string): string {
  return ALIASES.get(name) ?? name;
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["sh", "shell"],
  ["bash", "shell"],
  ["console", "shell"],
  ["yml", "yaml"],
]);

/** The attributes that each kind of block has; a language that is not here is shown as code. */
const MAY: ReadonlyMap<string, readonly string[]> = new Map([
  ["shell", ["until", "timeout", "exit", "eventually", "prepare", "reset", "hidden", "norun"]],
  ["yaml", ["apply", "until", "timeout", "prepare", "reset", "hidden"]],
  ["output", []],
  ["check", ["title", "until", "timeout"]],
  ["cel", ["title", "object", "timeout"]],
  ["trace", ["title", "timeout"]],
  ["question", []],
  ["solution", ["until", "timeout"]],
]);

/** Whether blocks of a language do something. */
export function acts(language: string): boolean {
  return MAY.has(languageOf(language));
}

/** What a block does; "output" belongs to the block before; undefined if it is only shown. */
export function partOf(
  { language: named, given }: Info,
  text: string,
): Part | "output" | undefined {
  const language = languageOf(named);
  const known = MAY.get(language);
  if (!known) return undefined;
  for (const name of given.keys()) {
    if (!known.includes(name)) throw new Error(`a block of ${named} has no "${cut(name)}"`);
  }
  if (bytes(text) > MOST.text) {
    throw new Error(`a block of ${bytes(text)} bytes is too long: ${MOST.text} are the most`);
  }
  const common = attributes(given);
  const made = (kind: Part["kind"], lines: string, more: Partial<Part> = {}): Part => {
    if (lines === "" && kind !== "check" && kind !== "trace")
      throw new Error(`a block of ${named} is empty`);
    return { type: "part", kind, text: lines, ...common, ...more };
  };
  switch (language) {
    case "shell":
      if (!given.has("norun")) return made("run", scriptOf(text));
      if (given.size > 1) throw new Error("a block with norun is only shown: it has nothing else");
      return undefined;
    case "yaml":
      if (given.has("apply") || common.prepare || common.reset)
        return made("apply", text.replace(/\n+$/, ""));
      if (given.size > 0) throw new Error("a block of yaml is applied if it has apply or prepare");
      return undefined;
    case "solution":
      return made("solution", scriptOf(text));
    case "check": {
      const lines = scriptOf(text);
      if ((common.until === undefined) === (lines === ""))
        throw new Error("a check has either until or lines for the shell");
      return made("check", lines);
    }
    case "cel":
      if (!common.object) throw new Error('a block of cel needs object="KIND/NAME"');
      return made("cel", text.trim());
    case "trace":
      traced(text.trim());
      return made("trace", text.trim());
    case "question":
      return made("question", "?", question(text));
    default:
      return "output";
  }
}

function attributes(given: ReadonlyMap<string, string>): Partial<Part> {
  const flag = (name: "eventually" | "prepare" | "reset" | "hidden") => {
    const value = given.get(name);
    if (value) throw new Error(`${name} has no value`);
    return value === undefined ? {} : { [name]: true };
  };
  const common: Partial<Part> = {
    ...flag("eventually"),
    ...flag("prepare"),
    ...flag("reset"),
    ...flag("hidden"),
  };
  if (common.prepare && common.reset) {
    throw new Error("a block is for prepare or for reset: both are run when a step is made anew");
  }
  if (common.hidden && !common.prepare && !common.reset) {
    throw new Error(
      "a block that is hidden is for prepare or for reset: a reader is to see what runs",
    );
  }
  const title = given.get("title");
  if (title !== undefined && bytes(title) > MOST.title)
    throw new Error(`a title has at most ${MOST.title} bytes`);
  const until = given.get("until");
  const object = given.get("object");
  const timeout = given.get("timeout");
  const exit = given.get("exit");
  const code = exit === undefined ? 0 : exit === "any" ? -1 : number("exit", exit, 0, 255);
  return {
    ...common,
    ...(title ? { title } : {}),
    ...(until === undefined ? {} : { until: conditionOf(until) }),
    ...(object === undefined ? {} : { object: objectOf(object) }),
    ...(timeout === undefined ? {} : { timeout: number("timeout", timeout, 1, MOST.seconds) }),
    ...(code === 0 ? {} : { exit: code }),
  };
}

function conditionOf(text: string): Condition {
  const { object, reached, namespace } = parseUntil(text);
  return { ref: object, reached, ...(namespace === undefined ? {} : { namespace }) };
}

function objectOf(text: string): ObjectName {
  try {
    // An object of a condition, without the condition.
    const { ref, namespace } = conditionOf(`${text} create`);
    return { ref, ...(namespace === undefined ? {} : { namespace }) };
  } catch {
    throw new Error(
      `object="${cut(text)}" is not understood: write KIND/NAME, such as "deploy/nginx"`,
    );
  }
}

function number(name: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new Error(`${name}="${cut(text)}": a number from ${least} to ${most} is wanted`);
  }
  return value;
}

/** A step that a trace wants: its kind, and the resource, subresource, queue or event that it is about. */
export interface Traced {
  readonly kind: string;
  readonly like?: string;
}

const TRACED = /^([a-z]+\.[A-Za-z]+)(?:[ \t]+([A-Za-z][A-Za-z0-9._/-]*))?$/;

/** The steps that the lines of a trace want. */
export function tracedOf(text: string): Traced[] {
  return text.split("\n").flatMap((line) => {
    const [, kind, like] = TRACED.exec(line.trim()) ?? [];
    if (kind === undefined) return [];
    return [{ kind, ...(like === undefined ? {} : { like }) }];
  });
}

/** Throws an Error that says what is wrong with the lines of a trace; without any it only shows. */
function traced(text: string): void {
  const lines = text.split("\n");
  if (lines.length > MOST.traced) {
    throw new Error(`a trace of ${lines.length} lines is too long: ${MOST.traced} are the most`);
  }
  const wrong = lines.map((line) => line.trim()).find((line) => line !== "" && !TRACED.test(line));
  if (wrong !== undefined) {
    throw new Error(
      `"${cut(wrong)}" is no step of a trace: write KIND or KIND NAME, such as "etcd.put pods"`,
    );
  }
}

const ANSWER = /^\s*[-*] \[([ xX])\] (.*\S)\s*$/;

/** What is asked, and below it its answers, as GitHub writes tasks: "- [x] a right one". */
function question(text: string): Pick<Part, "text" | "answers" | "output"> {
  const asked: string[] = [];
  const after: string[] = [];
  const answers: Answer[] = [];
  for (const line of text.split("\n")) {
    const [, mark, said] = ANSWER.exec(line) ?? [];
    if (mark !== undefined && said !== undefined) {
      if (after.length > 0) throw new Error("a question's answers stand together");
      answers.push({ text: said, ...(mark === " " ? {} : { right: true }) });
    } else if (answers.length === 0) asked.push(line);
    else if (line.trim() !== "") after.push(line.trim());
  }
  const what = asked.join("\n").trim();
  if (what === "") throw new Error("a question begins with what is asked");
  if (answers.length < 2 || answers.length > MOST.answers) {
    throw new Error(
      `a question has from 2 to ${MOST.answers} answers, lines like "- [x] a right one" and "- [ ] a wrong one"`,
    );
  }
  if (!answers.some(({ right }) => right))
    throw new Error('a question has a right answer, "- [x] …"');
  return { text: what, answers, ...(after.length > 0 ? { output: after.join("\n") } : {}) };
}
