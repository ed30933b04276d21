import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXPLAINED, explained } from "./explained.ts";

/** With what is explained in brackets. */
const marked = (sentence: string) =>
  explained(sentence)
    .map((part) => (typeof part === "string" ? part : `[${part.said}:${part.name}]`))
    .join("");

test.each([
  [
    "an informer heard of a new Pod, keeps its copy, and told 3 handlers",
    "an [informer:informer] heard of a new Pod, keeps its copy, and told 3 [handlers:handler]",
  ],
  [
    "the deployment controller takes default/nginx from its queue",
    "the deployment controller takes default/nginx from its [queue:work-queue]",
  ],
  ["put pod default/a into the active queue", "put pod default/a into the active queue"],
  [
    "pause, the first process of pod default/a, holds its namespaces on node-1",
    "[pause:pause], the first process of pod default/a, holds its [namespaces:linux-namespace] on node-1",
  ],
  ["GET /api 200", "GET /api 200"],
  ["", ""],
])("words of the trade are explained in %j", (sentence, said) => {
  expect(marked(sentence)).toBe(said);
});

test.each([
  "made the sandbox-2 of pod default/sandbox on a.sandbox",
  "put /registry/pods/watch/informer at r",
  "watched informers",
])("a name is no word of the sentence: %j", (sentence) => {
  expect(explained(sentence)).toEqual([sentence]);
});

test("each is explained once, and nothing of the sentence is lost", () => {
  const sentence = "the watch of a watch: revision 3, after revision 2";
  expect(marked(sentence)).toBe(
    "the [watch:watch] of a watch: [revision:revision] 3, after revision 2",
  );
  expect(
    explained(sentence)
      .map((part) => (typeof part === "string" ? part : part.said))
      .join(""),
  ).toBe(sentence);
});

test("the glossary has every one of them", () => {
  const words = [...readFileSync("web/guide/glossary.md", "utf8").matchAll(/^## (.+)$/gm)].map(
    ([, term = ""]) => term.toLowerCase().replaceAll(" ", "-"),
  );
  for (const name of EXPLAINED) expect(words).toContain(name);
});
