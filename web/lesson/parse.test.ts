import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Block, Lesson, Part } from "./lesson.ts";
import { parseLesson } from "./parse.ts";

interface Case {
  name: string;
  markdown: string;
  lesson?: object;
  refused?: number[];
}

const cases = parse(
  readFileSync(new URL("testdata/cases.yaml", import.meta.url), "utf8"),
) as Case[];

test.each(cases)("$name", ({ markdown, lesson, refused }) => {
  const read = parseLesson(markdown);
  const lines = read.problems.map(({ line }) => line);
  expect(lines, JSON.stringify(read.problems)).toEqual(refused ?? []);
  if (lesson) expect(parts(read.lesson)).toEqual(lesson);
});

/** A lesson without its prose, as the table has it. */
function parts({ intro, steps, images, links, ...front }: Lesson): object {
  const of = (blocks: readonly Block[], name: string) => {
    const found = blocks.filter((block): block is Part => block.type === "part");
    return found.length === 0 ? {} : { [name]: found.map(bare) };
  };
  return {
    ...front,
    ...of(intro, "prepare"),
    steps: steps.map(({ title, blocks }) => ({ title, ...of(blocks, "parts") })),
    ...(images.length === 0 ? {} : { images }),
    ...(links.length === 0 ? {} : { links }),
  };
}

function bare(part: Part): object {
  return Object.fromEntries(
    Object.entries(part).filter(([key, value]) => !["type", "of"].includes(key) && value !== ""),
  );
}

const HEAD = "---\ntitle: T\n---\n## A\n";

test.each([
  ["a file that is too long", HEAD + "a".repeat(256 << 10), /at most 262144/],
  ["quotes within one another", `${HEAD}${">".repeat(50_000)}a`, /within one another/],
  ["lists within one another", `${HEAD}${"- ".repeat(50_000)}a`, /within one another/],
  ["links", HEAD + "[a](".repeat(50_000), /at most 1000/],
  ["brackets", HEAD + "[".repeat(100_000), /within one another/],
  ["a block that is too long", `${HEAD}\`\`\`shell\n${"a".repeat(33_000)}\n\`\`\`\n`, /too long/],
  ["very many steps", `---\ntitle: T\n---\n${"## A\n".repeat(51)}`, /at most 50 steps/],
  ["very many blocks", HEAD + "```shell\ntrue\n```\n".repeat(501), /at most 500 blocks/],
  ["aliases", "---\ntitle: &a T\ndescription: *a\n---\n## A\n", /./],
])("%s: refused", (_, text, why) => {
  expect(parseLesson(text).problems[0]?.what).toMatch(why);
});

test.each([
  ["emphasis", "*a **a "],
  ["brackets", "a["],
  ["references", "[a]["],
  ["backquotes", "`a``"],
  ["angles", "<a "],
  ["comments", "<!-- "],
  ["underscores", "a_"],
  ["exclamation marks", "!"],
  ["strokes", "~a~~"],
  ["all of it", "***a** "],
])("%s without end are read, or refused in words", (_, piece) => {
  // With the square of what is written it would be minutes.
  const { lesson, problems } = parseLesson(HEAD + piece.repeat(240_000 / piece.length));
  const refused = problems.some(({ what }) => what.includes("too many marks such as * and _"));
  expect(refused).toBe(lesson.steps.length === 0);
  // Nor are they by the paragraph.
  for (const length of [1000, 8000]) {
    const paragraph = `${piece.repeat(length / piece.length)}\n\n`;
    parseLesson(HEAD + paragraph.repeat(240_000 / paragraph.length));
  }
});

test("a paragraph as long as people write them has as many marks as they like", () => {
  const paragraph =
    "`kubectl get pods` *shows* what **is** there (see _Pods_), a-b, c/d: e=f. ".repeat(20);
  const { lesson, problems } = parseLesson(`${HEAD}${`${paragraph}\n\n`.repeat(160)}`);
  expect(problems).toEqual([]);
  expect(lesson.steps[0]?.blocks).toHaveLength(160);
});

test("what is markup elsewhere is text here", () => {
  const { lesson } = parseLesson(
    `${HEAD}<b onclick=x>a</b>\n\n[a](javascript:x) ![b](https://example.org/b.png) &lt;i&gt;\n`,
  );
  expect(lesson.steps[0]?.blocks).toEqual([
    { type: "paragraph", text: ["<b onclick=x>", "a", "</b>"] },
    { type: "paragraph", text: ["a", " ", "b", " <i>"] },
  ]);
});
