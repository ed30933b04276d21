import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MOST as LESSON_MOST } from "../lesson.ts";
import { loadFile, loadLesson } from "../load.ts";
import { archive, type Entry } from "./archive.testing.ts";
import type { DiskLesson } from "./disk.ts";
import { MOST } from "./files.ts";
import { lessonsOfDrop, lessonsOfFile, lessonsOfFolder } from "./opened.ts";

const { signal } = new AbortController();
const LESSON = "---\ntitle: T\nmanifests: [a.yaml]\n---\n## A\n```shell\ntrue\n```\n";
const SCENARIO = `{"title": "S", "details": {"steps": [{"text": "one/a.md", "verify": "v.sh"}]}, "backend": {"imageid": "kubernetes-kubeadm-1node"}}`;

/** A folder as a browser lists it. */
function folder(files: Record<string, string>, name = "mine"): File[] {
  return Object.entries(files).map(([path, text]) => {
    const file = new File([text], path.split("/").at(-1) ?? "");
    return Object.defineProperty(file, "webkitRelativePath", { value: `${name}/${path}` });
  });
}

const zip = (...entries: Entry[]) => lessonsOfFile(archive(entries));
const read = ({ src, reads }: DiskLesson) => loadLesson(new URL(src), signal, { reads });
async function only(lessons: DiskLesson[] | Promise<DiskLesson[]>): Promise<DiskLesson> {
  const [one, ...more] = await lessons;
  if (!one || more.length > 0) throw new Error(`${more.length} more lessons`);
  return one;
}

describe("a lesson of the disk", () => {
  test("in a folder, with its manifest", async () => {
    const one = await only(
      lessonsOfFolder(folder({ "lesson.md": LESSON, "a.yaml": "a: b", ".git/config": "" })),
    );
    const loaded = await read(one);
    expect([one.name, one.src]).toEqual(["mine", "https://disk.invalid/mine/"]);
    expect([loaded.lesson.title, await loadFile(loaded, "a.yaml", signal)]).toEqual(["T", "a: b"]);
    await expect(loadFile(loaded, ".git/config", signal)).rejects.toThrow("There is no");
  });

  test("by itself, and in an archive below a folder with a name of any kind", async () => {
    expect((await read(await only(lessonsOfFile(new File([LESSON], "My.MD"))))).lesson.title).toBe(
      "T",
    );
    const one = await only(zip({ name: "Ä #?%2e/" }, { name: "Ä #?%2e/lesson.md", data: LESSON }));
    expect(one.src).toBe("https://disk.invalid/a.zip/%C3%84%20%23%3F%252e/");
    expect((await read(one)).lesson.title).toBe("T");
  });

  test("a scenario in an archive, read by the same reader", async () => {
    const files = [
      { name: "s/index.json", data: SCENARIO },
      { name: "s/one/a.md", data: "`kubectl get nodes`{{exec}}\n" },
      { name: "s/v.sh", data: "true" },
    ];
    const { lesson, problems } = await read(await only(zip(...files)));
    expect([lesson.title, lesson.steps.length, problems]).toEqual(["S", 1, []]);
    await expect(only(zip(...files.slice(0, 2))).then(read)).rejects.toThrow(
      'index.json:1: "v.sh" cannot be read: the folder has no such file',
    );
    const climbs = SCENARIO.replace("v.sh", "../v.sh");
    await expect(
      only(zip({ name: "s/index.json", data: climbs }, ...files.slice(1), { name: "v.sh" })).then(
        read,
      ),
    ).rejects.toThrow('"../v.sh" is no file of the scenario');
  });

  test("its pictures are data of the page, and nothing else is", async () => {
    const svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    const one = await only(
      zip({ name: "lesson.md", data: LESSON }, { name: "p/a.svg", data: svg }),
    );
    const shown = await one.pictures(new URL("p/a.svg", one.src));
    expect(shown).toBe(`data:image/svg+xml;base64,${btoa(svg)}`);
    const picture = (name: string, from = one) => from.pictures(new URL(name, from.src));
    await expect(picture("lesson.md")).rejects.toThrow("That is no picture");
    await expect(picture("b.png")).rejects.toThrow("There is no b.png");
    await expect(picture("../b.png")).rejects.toThrow("There is no");
    await expect(picture("https://other.example/b.png")).rejects.toThrow("There is no");
    // Each of them, and all together.
    const large = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [`${n}.png`, "x".repeat(LESSON_MOST.image)]),
    );
    const many = await only(
      lessonsOfFolder(folder({ "lesson.md": LESSON, ...large, "10.png": `${large["0.png"]}x` })),
    );
    await expect(picture("10.png", many)).rejects.toThrow("it has more than 1048576 bytes");
    for (let n = 0; n < 20; n++) await picture("0.png", many);
    for (let n = 1; n < 8; n++) await picture(`${n}.png`, many);
    await expect(picture("8.png", many)).rejects.toThrow("a lesson has at most 8 MiB");
  });

  test("several, but none that lies in another", async () => {
    const lessons = await zip(
      { name: "c/b/lesson.md", data: LESSON },
      { name: "c/a/index.json", data: SCENARIO },
      { name: "c/a/assets/index.json", data: "{}" },
      { name: "c/structure.json", data: "{}" },
    );
    expect(lessons.map(({ name }) => name)).toEqual(["a.zip/c/a", "a.zip/c/b"]);
    await expect(zip({ name: "README.md" })).rejects.toThrow("neither a lesson.md nor");
  });

  test("dropped: a folder that is read some entries at a time, and files", async () => {
    const file = (name: string, text: string) => ({
      name,
      isFile: true,
      file: (gives: (file: File) => void) => gives(new File([text], name)),
    });
    const within = (name: string, of: object[]) => ({
      name,
      isDirectory: true,
      createReader: () => {
        const rest = [...of];
        return { readEntries: (gives: (some: object[]) => void) => gives(rest.splice(0, 2)) };
      },
    });
    const endless = within("x", []);
    endless.createReader = () => ({ readEntries: (gives) => gives([endless]) });
    const items = (all: object[]) => lessonsOfDrop({ items: all } as unknown as DataTransfer);
    const drop = (...entries: object[]) =>
      items(entries.map((entry) => ({ webkitGetAsEntry: () => entry })));
    const bare = { webkitGetAsEntry: () => null, getAsFile: () => new File([LESSON], "a.md") };
    expect((await only(items([bare]))).name).toBe("a.md");
    await expect(items([bare, bare])).rejects.toThrow("Nothing was dropped");
    const inside = [file("a.yaml", "a: b"), within("b", [file("c", "")]), file(".x", "")];
    const one = await only(drop(within("f", [...inside, file("lesson.md", LESSON)])));
    expect([one.name, (await read(one)).lesson.title]).toEqual(["f", "T"]);
    expect((await only(drop(file("lesson.md", LESSON), ...inside))).name).toBe("dropped files");
    expect((await only(drop(file("lesson.md", LESSON)))).name).toBe("lesson.md");
    await expect(drop(endless)).rejects.toThrow(`in more than ${MOST.depth} folders`);
    await expect(drop()).rejects.toThrow("Nothing was dropped");
  });
});

describe("what is refused", () => {
  test.each(["../lesson.md", "a/../../b", "/etc/passwd", "C:/a", "a\\..\\b", "a\0b", "../"])(
    "a name that leads outside: %j",
    async (name) => {
      const all = zip({ name: "lesson.md", data: LESSON }, { name });
      await expect(all).rejects.toThrow(/outside of itself.*nothing of it was taken/);
    },
  );

  test.each<[string, Entry[], string]>([
    ["a name twice", [{ name: "lesson.md" }, { name: "lesson.md" }], "two files named"],
    ["a deep one", [{ name: "a/".repeat(MOST.depth) + "b" }], "in more than"],
    ["a long one", [{ name: "a".repeat(MOST.name + 1) }], "characters"],
  ])("%s", async (_, entries, why) => {
    await expect(zip(...entries, { name: "x/lesson.md", data: LESSON })).rejects.toThrow(why);
  });

  test("too many files, in an archive or a folder", async () => {
    const many = Array.from({ length: MOST.entries + 1 }, (_, n) => `f${n}`);
    await expect(zip(...many.map((name) => ({ name })))).rejects.toThrow("more than 5000 files");
    const files = Object.fromEntries(many.map((name) => [name, ""]));
    expect(() => lessonsOfFolder(folder(files))).toThrow("more than 5000 files");
  });

  test("an archive that is too large is not read", async () => {
    const large = Object.defineProperty(new File([], "a.zip"), "size", { value: 33 << 20 });
    await expect(lessonsOfFile(large)).rejects.toThrow("more than 32 MiB");
  });

  test("what is none, and what is cut off anywhere", async () => {
    await expect(lessonsOfFile(new File(["<html>"], "a.zip"))).rejects.toThrow("no zip archive");
    const whole = archive([{ name: "lesson.md", data: LESSON }]);
    for (let end = 0; end < whole.size; end += 7) {
      const cut = new File([whole.slice(0, end)], "a.zip");
      await expect(lessonsOfFile(cut)).rejects.toThrow("no zip archive");
    }
    const appended = new File([whole, "more"], "a.zip");
    await expect(lessonsOfFile(appended)).rejects.toThrow("no zip archive");
  });

  test("an empty folder, and a file that has gone since", async () => {
    expect(() => lessonsOfFolder([])).toThrow("empty");
    const [file] = folder({ "lesson.md": LESSON });
    if (!file) return;
    file.arrayBuffer = () => Promise.reject(new Error("NotReadableError"));
    await expect(only(lessonsOfFolder([file])).then(read)).rejects.toThrow(
      "lesson.md cannot be read: its file cannot be read any more",
    );
  });
});

describe("what is packed", () => {
  const bomb = new Uint8Array(64 << 20);
  test.each<[string, Omit<Entry, "name">, string]>([
    [
      "is more than a lesson has",
      { data: "a".repeat(300_000) + String(Math.random()) },
      "packed as no",
    ],
    [
      "is more than a lesson has, and says so",
      { data: Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256)) },
      "more than 262144 bytes",
    ],
    ["is a bomb", { data: bomb }, "more than 262144 bytes"],
    ["is a bomb that says it is none", { data: bomb, claims: { size: 100 } }, "damaged"],
    ["is packed as no text is", { data: " ".repeat(200_000) }, "packed as no text"],
    ["is flipped", { data: LESSON, claims: { crc: 1 } }, "damaged"],
    ["is shorter than it says", { data: LESSON, claims: { size: 9000 } }, "damaged"],
    ["ends elsewhere than it says", { data: LESSON, claims: { packed: 5 } }, "damaged"],
    ["has another name where it lies", { data: LESSON, claims: { localName: "b" } }, "damaged"],
    ["is encrypted", { data: LESSON, flag: 1 }, "encrypted"],
  ])("%s", async (_, entry, why) => {
    const before = process.memoryUsage().rss;
    const reads = only(zip({ name: "lesson.md", ...entry })).then(read);
    await expect(reads).rejects.toThrow(why);
    await expect(reads).rejects.toThrow(/lesson\.md cannot be read|no zip archive/);
    expect(process.memoryUsage().rss - before).toBeLessThan(512 << 20);
  });

  test("a link is no file of it, and neither are two files in one place", async () => {
    const link = { name: "a.yaml", data: "/etc/passwd", mode: 0o120777 };
    const one = await read(await only(zip({ name: "lesson.md", data: LESSON }, link)));
    await expect(loadFile(one, "a.yaml", signal)).rejects.toThrow("There is no a.yaml");
    const overlaps = zip({ name: "lesson.md", data: LESSON }, { name: "a.yaml", overlaps: true });
    const two = await read(await only(overlaps));
    await expect(loadFile(two, "a.yaml", signal)).rejects.toThrow("a.yaml cannot be read");
  });

  test("no more of a lesson's files than it may have together", async () => {
    const names = Array.from({ length: 50 }, (_, n) => `f${n}.yaml`);
    const text = "a".repeat(200_000);
    const loaded = await read(
      await only(
        lessonsOfFolder(
          folder({
            "lesson.md": LESSON,
            ...Object.fromEntries(names.map((name) => [name, text])),
          }),
        ),
      ),
    );
    const all = (async () => {
      for (const name of names) await loadFile(loaded, name, signal);
    })();
    await expect(all).rejects.toThrow("a lesson has at most 8 MiB");
  });
});

test("a lesson of this repository is read from an archive as it lies", async () => {
  const text = readFileSync("web/lessons/rbac/lesson.md");
  const { lesson, problems } = await read(await only(zip({ name: "lesson.md", data: text })));
  expect([lesson.title !== "", problems]).toEqual([true, []]);
});
