import { afterEach, expect, test, vi } from "vitest";
import { folderOf, loadLesson } from "./load.ts";
import { readProgress, writeProgress } from "./progress.ts";
import { parseLesson } from "./parse.ts";

const BASE = "https://theirs.example/docs/page.html";
const FOLDER = new URL("https://theirs.example/a/");
const TEXT = "---\ntitle: T\n---\n## A\n## B\n## C\n";

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["lessons/first", "https://theirs.example/docs/lessons/first/"],
  ["lessons/first/", "https://theirs.example/docs/lessons/first/"],
  ["/lessons/first/lesson.md", "https://theirs.example/lessons/first/"],
  ["https://other.example", "https://other.example/"],
])("%s is a folder", (src, folder) => {
  expect(folderOf(src, BASE).href).toBe(folder);
});

test.each(["javascript:alert(1)", "data:text/markdown,a", "file:///etc", "blob:https://a/b"])(
  "%s is none",
  (src) => expect(() => folderOf(src, BASE)).toThrow("no address of http"),
);

function answers(response: () => Response): void {
  vi.stubGlobal("fetch", () => Promise.resolve(response()));
}

const { signal } = new AbortController();

test("a lesson is fetched and read", async () => {
  answers(() => new Response(TEXT));
  const { lesson, problems } = await loadLesson(FOLDER, signal);
  expect([lesson.title, lesson.steps.length, problems]).toEqual(["T", 3, []]);
});

test("a missing file, a page in its place, and a file without end are told", async () => {
  answers(() => new Response("", { status: 404 }));
  await expect(loadLesson(FOLDER, signal)).rejects.toThrow("its host says 404");
  answers(() => new Response("<h1>", { headers: { "content-type": "text/html" } }));
  await expect(loadLesson(FOLDER, signal)).rejects.toThrow("answered with a page");
  let sent = 0;
  const pull = (to: ReadableStreamDefaultController) => {
    sent++;
    to.enqueue(new Uint8Array(64 << 10));
  };
  answers(() => new Response(new ReadableStream({ pull })));
  await expect(loadLesson(FOLDER, signal)).rejects.toThrow("has more than 262144 bytes");
  expect(sent).toBeLessThan(10);
});

test("progress is kept by the titles of steps", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const { lesson } = parseLesson(TEXT);
  writeProgress(storage, FOLDER, lesson, { at: 2, done: new Set([1]) });
  const other = parseLesson(TEXT.replace("## A\n", "")).lesson;
  expect(readProgress(storage, FOLDER, other)).toEqual({ at: 1, done: new Set([0]) });
  const elsewhere = new URL("https://theirs.example/b/");
  expect(readProgress(storage, elsewhere, other)).toEqual({ at: 0, done: new Set() });
  for (const strange of ["{", "null", '{"at": 7, "done": [{}]}', "[]"]) {
    for (const key of kept.keys()) kept.set(key, strange);
    expect(readProgress(storage, FOLDER, lesson)).toEqual({ at: 0, done: new Set() });
  }
  const full = {
    ...storage,
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  writeProgress(full, FOLDER, lesson, { at: 1, done: new Set() });
});
