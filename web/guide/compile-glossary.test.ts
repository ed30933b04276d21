import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileChapter } from "./compile.ts";
import { compileGlossary, wordsOf } from "./compile-glossary.ts";
import { glossary } from "./glossary.ts";

const FOLDER = "web/guide/chapters";
const TEXT = readFileSync("web/guide/glossary.md", "utf8");
const CHAPTERS = readdirSync(FOLDER)
  .sort()
  .map((file) => compileChapter(file, readFileSync(`${FOLDER}/${file}`, "utf8"), wordsOf(TEXT)));

const file = (body: string) => `---\nWords.\n---\n\n${body}`;
const linked = [{ name: "etcd", links: ["watch-cache", "lease"] }];

describe("the guide's words", () => {
  test("are on the page, by the alphabet, each with the chapters that link it", async () => {
    const words = await glossary();
    expect(words).toEqual(compileGlossary(TEXT, CHAPTERS));
    expect(words.length).toBeGreaterThan(30);
    const terms = words.map(({ term }) => term.toLowerCase());
    expect(terms).toEqual([...terms].sort((a, b) => a.localeCompare(b, "en")));
    expect(words.find(({ name }) => name === "informer")?.chapters).toEqual([
      "authorization",
      "etcd",
      "controllers",
    ]);
  });

  test.each(CHAPTERS)("$name links a word only that is there", ({ links }) => {
    for (const name of links) expect(wordsOf(TEXT)).toContain(name);
  });
});

describe("a glossary", () => {
  test("is data; markup in it stays text", () => {
    const words = compileGlossary(
      file("## watch cache\n\nA `<b>` & more.\nOf it.\n\n## lease\n\nSmall.\n"),
      linked,
    );
    expect(words).toEqual([
      { name: "lease", term: "lease", of: ["Small."], chapters: ["etcd"] },
      {
        name: "watch-cache",
        term: "watch cache",
        of: ["A ", { type: "code", text: "<b>" }, " & more. Of it."],
        chapters: ["etcd"],
      },
    ]);
  });

  test.each([
    ["that no chapter links", "## veth\n\nTwo.\n", /"veth": no chapter links it/],
    ["twice", "## lease\n\nSmall.\n\n## Lease\n\nSmall.\n", /"Lease": it is explained twice/],
    ["of many words", `## lease\n\n${"word ".repeat(51)}\n`, /51 words, 50 are the most/],
    ["of many sentences", "## lease\n\nA. B. C. D.\n", /4 sentences, 3 are the most/],
    ["without a meaning", "## lease\n\n## watch cache\n\nA.\n", /one paragraph/],
    ["in two paragraphs", "## lease\n\nA.\n\nB.\n", /a heading with ##/],
    ["with a link", "## lease\n\nA [b](https://example.com).\n", /no place for link/],
    ["with markup", "## lease\n\nA <b>b</b>.\n", /no place for html/],
  ])("with a word %s is refused", (_what, body, why) => {
    expect(() => compileGlossary(file(body), linked)).toThrow(why);
    expect(() => compileGlossary(file(body), linked)).toThrow(/glossary\.md/);
  });

  test("that does not say what it is is refused", () => {
    expect(() => compileGlossary("## lease\n\nSmall.\n", linked)).toThrow(/between two lines/);
  });
});

describe("a chapter", () => {
  const chapter = (body: string) =>
    compileChapter("01-x.md", `---\ntitle: T\ncomponent: c\n---\n${body}`, new Set(["lease"]));

  test("links a word where it comes first", () => {
    const { blocks, links, words } = chapter("Its [small lease](word:lease).\n");
    expect(blocks).toEqual([
      {
        type: "paragraph",
        text: ["Its ", { type: "word", name: "lease", of: ["small lease"] }, "."],
      },
    ]);
    expect(links).toEqual(["lease"]);
    // What the word means is no part of the chapter.
    expect(words).toBe(3);
  });

  test.each([
    ["[a word](word:weather)", /the word "weather"/],
    ["[a](word:lease) and [b](word:lease)", /the word "lease" twice/],
  ])("with %s is refused, by its name", (body, what) => {
    expect(() => chapter(body)).toThrow(what);
    expect(() => chapter(body)).toThrow(/01-x\.md/);
  });
});
