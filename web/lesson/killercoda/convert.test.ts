import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseLesson } from "../parse.ts";
import { convert, namesOf, type Converted } from "./convert.ts";
import { readIndex } from "./index.ts";
import { RefusedError, said, type Refusal } from "./problems.ts";
import { findingsOf } from "./programs.ts";

interface Case {
  name: string;
  files: Record<string, string>;
  lesson?: string;
  refused?: string[];
  mistakes?: string[];
}

// nodehost/lesson/killercoda reads the same.
const cases = parse(
  readFileSync(new URL("testdata/scenarios.yaml", import.meta.url), "utf8"),
) as Case[];

const lacks = (name: string) => (name === "docker" ? "there is none" : "");

function converted(files: Record<string, string>): Converted {
  const raw = (files["index.json"] ?? "").replace(/^\ufeff/, "");
  const { index, refusals } = readIndex(raw);
  if (!index) throw new RefusedError(refusals);
  return convert(index, raw, new Map(Object.entries(files)), (text) => findingsOf(text, lacks));
}

function refusedOf(files: Record<string, string>): readonly Refusal[] {
  try {
    converted(files);
    return [];
  } catch (error) {
    if (error instanceof RefusedError) return error.refusals;
    throw error;
  }
}

/** As the Go test compares: by file and line, and how they begin; a file without a line is any line of it. */
function same(got: readonly Refusal[], want: readonly string[] = []): void {
  const by = (a: Refusal, b: Refusal) =>
    a.file === b.file ? a.line - b.line || (a.what < b.what ? -1 : 1) : a.file < b.file ? -1 : 1;
  const sorted = [...got].sort(by);
  const lines = sorted.map(({ file, line, what }) => `${file}:${line}: ${what}`);
  const begins = lines.map((line, i) => {
    const [wanted = "?", { file, what }] = [want[i], sorted[i] ?? { file: "", what: "" }];
    return line.startsWith(wanted) || `${file}: ${what}`.startsWith(wanted) ? wanted : line;
  });
  expect(begins).toEqual(want);
}

test.each(cases)("$name", ({ files, lesson, refused, mistakes }) => {
  same(refusedOf(files), refused);
  if (refused) return;
  const { text, lines } = converted(files);
  expect(text).toBe(lesson);
  expect(lines).toHaveLength(text.split("\n").length - 1);
  const problems = parseLesson(text).problems.map(({ line, what }) => ({
    ...(lines[line - 1] ?? { file: "index.json", line: 0 }),
    what,
  }));
  same(problems, mistakes);
});

const ONE = cases[0]?.files["index.json"] ?? "";
const run = (text: string) => ({ "index.json": ONE, "a.md": `\`\`\`\n${text}\n\`\`\`{{exec}}\n` });

describe("what a stranger writes", () => {
  test("is bounded in bytes and steps", () => {
    const steps = (n: number) => `[${Array(n).fill('{"text": "a.md"}').join(", ")}]`;
    const index = (n: number) => ONE.replace(/\[.*\]/, steps(n));
    const long = { "index.json": index(10), "a.md": "a\n".repeat((256 << 10) / 8) };
    expect(refusedOf(long).map(said)).toEqual(["a.md: a scenario has at most 262144 bytes"]);
    const many = { "index.json": index(51), "a.md": "a" };
    expect(refusedOf(many).map(said)).toEqual(["index.json:1: a lesson has at most 50 steps"]);
  });

  test.each([
    ["substitutions", "$(".repeat(50_000)],
    ["brackets", "(".repeat(50_000)],
    ["quotes", '"$("'.repeat(20_000)],
    ["braces", "{ ".repeat(50_000)],
    ["ifs", "if ".repeat(50_000)],
    ["arithmetic", "$((".repeat(30_000)],
    ["parameters", "${x:-".repeat(30_000)],
    ["here-documents", "cat <<E\n".repeat(20_000)],
    ["tests", "[[ ".repeat(50_000)],
    ["negations", "! ".repeat(50_000)],
    ["backquotes", "`".repeat(99_999)],
    ["globs", "@(".repeat(50_000)],
    ["words", "docker;".repeat(30_000)],
  ])("%s without end are read in time", (_, text) => {
    const longest = text.slice(0, 32 << 10);
    expect(refusedOf(run(longest)).every(({ file }) => file === "a.md")).toBe(true);
    expect(refusedOf(run(`${longest}${longest}`))).toEqual([]); // its lesson refuses such a block
  });

  test.each([
    ["blanks", `a${" ".repeat(200_000)}b`],
    ["lines", `${"\n".repeat(200_000)}b`],
    ["actions", `{{${" ".repeat(200_000)}`],
    ["fences", `${"~".repeat(200_000)}\``.replace(/~{16}/g, "~~~~~ ~~~~~~~~")],
    ["code", "`a".repeat(80_000)],
  ])("%s without end are read in time", (_, text) => {
    expect(refusedOf({ "index.json": ONE, "a.md": text })).toEqual([]);
  });

  test("names no file but of its folder", () => {
    const { index } = readIndex(
      ONE.replace("a.md", "../x").replace('"text"', '"verify": "v.sh", "text"'),
    );
    expect(index && namesOf(index)).toEqual(["v.sh"]);
  });

  test("is nested as deep as it likes", () => {
    const deep = `{"interface": ${"[".repeat(5000)}${"]".repeat(5000)}, ${ONE.slice(1)}`;
    expect(refusedOf({ "index.json": deep, "a.md": "a" })).toEqual([]);
  });

  test("is said in few words", () => {
    const error = new RefusedError(Array(50).fill({ file: "a", line: 1, what: "x" }) as Refusal[]);
    expect(error.message.split("\n")).toHaveLength(12);
  });
});
