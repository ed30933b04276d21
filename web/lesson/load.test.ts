import { afterEach, describe, expect, test, vi } from "vitest";
import { pack } from "../share/pack.ts";
import { folderOf, loadLesson } from "./load.ts";
import { packProgress, unpackProgress } from "./progress-link.ts";
import { BEGIN, readProgress, same, writeProgress, type Progress } from "./progress.ts";
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

const CHECKED = `${TEXT}\`\`\`check\ntrue\n\`\`\`\n\`\`\`question\nSo?\n- [x] yes\n- [ ] no\n\`\`\`\n`;
const NONE = new Map<number, Set<number>>();

test("progress is kept by the titles of steps", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const { lesson } = parseLesson(CHECKED);
  const passed = new Map([[2, new Set([1])]]);
  writeProgress(storage, FOLDER, lesson, { at: 2, done: new Set([1]), passed });
  const other = parseLesson(CHECKED.replace("## A\n", "")).lesson;
  expect(readProgress(storage, FOLDER, other)).toEqual({
    at: 1,
    done: new Set([0]),
    passed: new Map([[1, new Set([1])]]),
  });
  const elsewhere = new URL("https://theirs.example/b/");
  expect(readProgress(storage, elsewhere, other)).toEqual(BEGIN);
  for (const strange of ["{", "null", '{"at": 7, "done": [{}]}', "[]"]) {
    for (const key of kept.keys()) kept.set(key, strange);
    expect(readProgress(storage, FOLDER, lesson)).toEqual(BEGIN);
  }
  const full = {
    ...storage,
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  writeProgress(full, FOLDER, lesson, { at: 1, done: new Set(), passed: NONE });
});

describe("progress in a link", () => {
  const { lesson } = parseLesson(CHECKED);
  const there: Progress = { at: 2, done: new Set([0, 1]), passed: new Map([[2, new Set([0])]]) };

  test("comes back as it was", async () => {
    const packed = await packProgress(lesson, there);
    expect(packed).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
    const back = await unpackProgress(packed, lesson);
    expect(back).toEqual(there);
    expect([same(back, there, lesson), same(back, BEGIN, lesson)]).toEqual([true, false]);
  });

  test("has nothing but steps and checks of the lesson", async () => {
    const said = {
      at: "C",
      done: ["A", 7, "<b>"],
      passed: [["C", [0, 9, -1, "1"]], ["Z", [0]], 3],
    };
    expect(await unpackProgress(await pack(JSON.stringify(said)), lesson)).toEqual({
      ...there,
      done: new Set([0]),
    });
  });

  test.each([
    ["", "damaged"],
    ["<script>", "damaged"],
    ["x".repeat(20_000), "damaged"],
  ])("%.20s is refused", async (packed, why) => {
    await expect(unpackProgress(packed, lesson)).rejects.toThrow(why);
  });

  test.each(["{", "null", "[]", '{"at": "Z"}', '{"at": 0, "done": {}}', "1".repeat(500_000)])(
    "%.20s is of no such lesson",
    async (text) => {
      await expect(unpackProgress(await pack(text), lesson)).rejects.toThrow("another lesson");
    },
  );

  test("a bomb is refused", async () => {
    const bomb = new Response(
      new Blob([" ".repeat(8 << 20)]).stream().pipeThrough(new CompressionStream("deflate-raw")),
    );
    const packed = Buffer.from(await bomb.arrayBuffer()).toString("base64url");
    expect(packed.length).toBeLessThan(16_384);
    await expect(unpackProgress(packed, lesson)).rejects.toThrow("damaged");
  });
});
