import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { folderOf, loadFile, loadLesson, namesScenario } from "../load.ts";
import { partsOf } from "../lesson.ts";
import { byPage, MissingError, MovedError, once, type Reads } from "../reads.ts";
import { byTerminal } from "../by-terminal.ts";

const FOLDER = new URL("https://theirs.example/a/");
const { signal } = new AbortController();

afterEach(() => vi.unstubAllGlobals());

// The scenarios that nodehost's check reads and runs.
const KEPT = new URL("../../../nodehost/lesson/check/testdata/", import.meta.url);

function kept(name: string): Reads {
  return holds(
    Object.fromEntries(
      readdirSync(new URL(name, KEPT), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.split(`/${name}/`)[1] ?? "", readFileSync(path, "utf8")]),
    ),
  );
}

function holds(files: Record<string, string>, asked: string[] = []): Reads {
  return (address) => {
    const name = address.href.slice(FOLDER.href.length);
    asked.push(name);
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    if (text === undefined) return Promise.reject(new MissingError(`no ${name}`));
    return Promise.resolve(text);
  };
}

test("a scenario becomes a lesson", async () => {
  const { lesson, problems } = await loadLesson(FOLDER, signal, { reads: kept("first-pod") });
  expect([lesson.title, lesson.nodes, problems]).toEqual(["A first pod", 1, []]);
  expect(lesson.steps.map(({ title }) => title)).toEqual([
    "Introduction",
    "Run it",
    "Look at it",
    "The end",
  ]);
  expect(
    lesson.steps.flatMap(({ blocks }) => partsOf(blocks).map(({ kind, hidden }) => [kind, hidden])),
  ).toEqual([
    ["run", true],
    ["run", undefined],
    ["check", undefined],
    ["run", undefined],
  ]);
  await expect(loadLesson(FOLDER, signal, { reads: kept("scale") })).resolves.toBeDefined();
});

test("what is not here is refused, with file, line and word", async () => {
  const refused = loadLesson(FOLDER, signal, { reads: kept("refused"), scenario: true });
  await expect(refused).rejects.toThrow(
    /nothing of it was run:\n(?=[^]*^init\.sh:3: "apt-get" is not here: This shell is no Linux)(?=[^]*^one\.md:5: "helm" is not here: )(?=[^]*^one\.md:8: \{\{TRAFFIC_HOST1_8080\}\} is not here)(?=[^]*^verify\.sh:2: "docker" is not here)/m,
  );
});

const ONE = `{"title": "T", "details": {"steps": [{"text": "a.md", "verify": "v.sh"}]}, "backend": {"imageid": "kubernetes-kubeadm-1node"}}`;

test("files are asked for by their names in the folder, and no others", async () => {
  const asked: string[] = [];
  const files = { "index.json": ONE.replace("v.sh", "../../v.sh"), "a.md": "a" };
  await expect(loadLesson(FOLDER, signal, { reads: holds(files, asked) })).rejects.toThrow(
    'index.json:1: "../../v.sh" is no file of the scenario\'s folder',
  );
  expect(asked).toEqual(["lesson.md", "index.json", "a.md"]);
});

test("a lesson.md goes first, unless the address names index.json", async () => {
  const files = {
    "lesson.md": "---\ntitle: Ours\n---\n## A\n",
    "index.json": ONE,
    "a.md": "a",
    "v.sh": "ls",
  };
  const reads = holds(files);
  expect((await loadLesson(FOLDER, signal, { reads })).lesson.title).toBe("Ours");
  const scenario = namesScenario("https://theirs.example/a/index.json");
  expect((await loadLesson(FOLDER, signal, { reads, scenario })).lesson.title).toBe("T");
  expect(folderOf("https://theirs.example/a/index.json", FOLDER.href).href).toBe(FOLDER.href);
});

test("a folder with neither, and a list in its place, are told", async () => {
  await expect(loadLesson(FOLDER, signal, { reads: holds({}) })).rejects.toThrow("no lesson.md");
  const list = loadLesson(FOLDER, signal, { reads: holds({ "index.json": "[]" }) });
  await expect(list).rejects.toThrow('"scenario" is no object');
});

test("pages in place of files, and files that are missing, are told by name", async () => {
  const answers: Record<string, Response> = {
    "index.json": new Response(ONE),
    "a.md": new Response("<!doctype html><script>x</script>", {
      headers: { "content-type": "text/markdown" },
    }),
    "v.sh": new Response("<p>", { headers: { "content-type": "text/html" } }),
  };
  vi.stubGlobal("fetch", (address: URL) =>
    Promise.resolve(answers[address.pathname.slice(3)] ?? new Response("", { status: 404 })),
  );
  await expect(loadLesson(FOLDER, signal)).rejects.toThrow(
    'index.json:1: "a.md" cannot be read: its host has no such file\nindex.json:1: "v.sh" cannot be read: its host has no such file',
  );
});

test("files are read until they are more than a lesson has", async () => {
  const steps = Array.from({ length: 50 }, (_, i) => `{"text": "${i}.md", "verify": "${i}.sh"}`);
  const index = ONE.replace(/\[.*\]/, `[${steps.join(",")}]`);
  const long = "a".repeat(200 << 10);
  let asked = 0;
  const reads: Reads = (address) => {
    asked++;
    return Promise.resolve(address.href.endsWith("index.json") ? index : long);
  };
  await expect(loadLesson(FOLDER, signal, { reads, scenario: true })).rejects.toThrow(
    "a scenario has at most 262144 bytes",
  );
  expect(asked).toBeLessThan(20);
});

test("who leaves is not waited for", async () => {
  const leave = new AbortController();
  const reads: Reads = (address, given) =>
    address.href.endsWith("index.json")
      ? Promise.resolve(ONE)
      : new Promise((_resolve, reject) => {
          given.addEventListener("abort", () => reject(given.reason as Error));
          leave.abort(new Error("left"));
        });
  await expect(loadLesson(FOLDER, leave.signal, { reads, scenario: true })).rejects.toThrow("left");
});

test("what was shown is what is used", async () => {
  let n = 0;
  const reads = once(() => Promise.resolve(String(n++)));
  const read = () => loadFile({ folder: FOLDER, reads }, "a.yaml", signal);
  expect([await read(), await read()]).toEqual(["0", "0"]);
});

test.each([
  "http://a.example/",
  "https://localhost/",
  "https://10.0.0.1/",
  "https://a.svc/",
  "https://u:p@a.example/",
])("the terminal does not ask %s", async (address) => {
  const shell = vi.fn();
  await expect(byTerminal({ shell })(new URL(address), signal)).rejects.toThrow(
    "address of the lesson",
  );
  expect(shell).not.toHaveBeenCalled();
});

test("the terminal says what a host answered", async () => {
  const said = (stdout: string, stderr = "", code = 0) => ({
    shell: (
      _line: string,
      { output }: { output?: (text: string, stream: "stdout") => void } = {},
    ) => {
      output?.(stdout, "stdout");
      return Promise.resolve({ code, stdout, stderr });
    },
  });
  const read = (stdout: string, stderr?: string, code?: number) =>
    byTerminal(said(stdout, stderr, code))(new URL("index.json", FOLDER), signal);
  const here = "https://theirs.example/a/index.json";
  expect(await read(`a\nb\n\n200 ${here}`)).toBe("a\nb\n");
  await expect(read(`gone\n404 ${here}`)).rejects.toBeInstanceOf(MissingError);
  await expect(read(`\n500 ${here}`)).rejects.toThrow("its host says 500");
  await expect(read(`<html>\n200 ${here}`)).rejects.toThrow(
    "has no index.json: its host answered with a page",
  );
  await expect(read("", "curl: (6) bad address", 6)).rejects.toThrow("bad address");
  // What stands in a file is never taken for where it came from.
  await expect(read(`{}\n200 ${here}\n200 https://other.example/`)).rejects.toThrow(
    "leads to another host, other.example",
  );
  expect(await read(`{}\n200 https://other.example/\n200 ${here}`)).toContain("other");
});

describe("a host that leads to another one", () => {
  const answered = (url: string) => () => {
    const response = Object.defineProperty(new Response(ONE), "url", { value: url });
    return Promise.resolve(response);
  };

  test.each([
    "https://other.example/a/index.json",
    "https://theirs.example:8443/a/index.json",
    "http://theirs.example/a/index.json",
    "https://a.theirs.example/",
  ])("%s is not followed", async (url) => {
    vi.stubGlobal("fetch", answered(url));
    const read = byPage(new URL("index.json", FOLDER), signal);
    await expect(read).rejects.toBeInstanceOf(MovedError);
    await expect(read).rejects.toMatchObject({ to: new URL(url) });
  });

  test.each(["https://theirs.example/elsewhere.json", ""])("%j is", async (url) => {
    vi.stubGlobal("fetch", answered(url));
    expect(await byPage(new URL("index.json", FOLDER), signal)).toBe(ONE);
  });

  test("a scenario says which file", async () => {
    const reads: Reads = (address) =>
      address.href.endsWith("index.json")
        ? Promise.resolve(ONE)
        : Promise.reject(new MovedError(address, new URL("https://other.example/a.md")));
    await expect(loadLesson(FOLDER, signal, { reads, scenario: true })).rejects.toThrow(
      /"a\.md" cannot be read:.*leads to another host, other\.example/,
    );
  });
});
