import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

interface Kept {
  kept: string[];
  left: { version: string; why: string }[];
}
/** scripts/older-versions.mjs, which the page knows nothing of. */
const { keepOlder } = (await import(
  new URL("../../scripts/older-versions.mjs", import.meta.url).href
)) as {
  keepOlder: (
    from: string,
    to: string,
    history: string[],
    bounds?: { versions?: number; bytes?: number },
  ) => Kept;
};

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "published-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A site with nothing in it but what `make publish` looks at. */
function site(sdk: string, module: string): void {
  const files = {
    "index.html": `<title>A page</title><meta content="font-src 'self';" />`,
    "lessons/index.html": "<title>Lessons</title>",
    "sdk/tabernetes.js": sdk,
    "sdk/blocks.js": "",
    "sdk/elements.js": "",
    "sdk/elements.js.map": "",
    "sdk/types/sdk/index.d.ts": "",
    "assets/m.wasm": "",
    "assets/m.wasm.br": module,
    [`assets/wasm_exec.${module}.js`]: "",
    "assets/manifest.json": JSON.stringify({
      wasm: { url: "m.wasm", size: 1, br: module.length },
      exec: { url: `wasm_exec.${module}.js` },
    }),
  };
  rmSync(join(folder, "site"), { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, "site", name, ".."), { recursive: true });
    writeFileSync(join(folder, "site", name), text);
  }
  writeFileSync(join(folder, "sw.js"), 'JSON.parse("PUBLISHED")');
}

/** Publishes the site, and returns the version that it has printed. */
function publish(): string {
  const args = ["scripts/publish.mjs", ...["out", "site", "sw.js"].map((at) => join(folder, at))];
  const said = execFileSync("node", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  return /src="v\/([0-9a-f]{12})\//.exec(said)?.[1] ?? "";
}

/** All that a page gets of a version. */
function served(version: string): string[] {
  const at = join(folder, "out/v", version);
  const { wasm, exec } = JSON.parse(readFileSync(join(at, "assets/manifest.json"), "utf8")) as {
    wasm: { parts: { url: string }[] };
    exec: { url: string };
  };
  const beside = [...wasm.parts, exec].map(({ url }) => join(at, "assets", url));
  return [join(at, "sdk/tabernetes.js"), ...beside].map((file) => readFileSync(file, "utf8"));
}

test("a second publish leaves the first one's version where it was", () => {
  site("one", "module-1");
  const first = publish();
  site("two", "module-2");
  const second = publish();
  expect(second).not.toBe(first);
  expect(served(first)).toEqual(["one", "module-1", ""]);
  expect(served(second)).toEqual(["two", "module-2", ""]);
  // Nothing of the older one is the page's.
  expect(readFileSync(join(folder, "out/sw.js"), "utf8")).not.toContain("module-1");
  // The same once more is the newest once more.
  site("one", "module-1");
  expect(publish()).toBe(first);
  expect(served(second)).toEqual(["two", "module-2", ""]);
  expect(readFileSync(join(folder, "out/.published-by-tabernetes"), "utf8")).toBe(
    `${first}\n${second}\n`,
  );
  expect(existsSync(join(folder, "out.next"))).toBe(false);
});

test("the service worker has what lessons and the frame stand on", () => {
  site("one", "module-1");
  publish();
  const script = readFileSync(join(folder, "out/sw.js"), "utf8");
  expect(script).toContain("sdk/elements.js");
  expect(script).not.toMatch(/\.map|types|\.part|v\//);
});

test("a publish that fails leaves what there was", () => {
  site("one", "module-1");
  const first = publish();
  site("two", "module-2");
  writeFileSync(join(folder, "site/index.html"), "no page of ours");
  expect(() => publish()).toThrow("a page has no title");
  expect(served(first)).toEqual(["one", "module-1", ""]);
});

test("the newest stay, as many as there is room for", () => {
  const versions = ["a", "b", "c"].map((name) => {
    site(name, `module-${name}`);
    return publish();
  });
  const [a = "", b = "", c = ""] = versions;
  const to = (name: string, bounds?: { versions?: number; bytes?: number }) => {
    mkdirSync(join(folder, name));
    return keepOlder(join(folder, "out"), join(folder, name), [c, b, a], bounds);
  };
  expect(to("all").kept).toEqual([c, b, a]);
  expect(to("two", { versions: 2 }).kept).toEqual([c, b]);
  const { kept, left } = to("none", { bytes: 10 });
  expect(kept).toEqual([]);
  expect(left.map(({ version }) => version)).toEqual([c, b, a]);
  expect(existsSync(join(folder, "none/v"))).toBe(false);
});

test("a version of which something is missing, or lies elsewhere, is gone, and said", () => {
  site("one", "module-1");
  const first = publish();
  const out = join(folder, "out");
  const manifest = join(out, "v", first, "assets/manifest.json");
  const read = () => readFileSync(manifest, "utf8");
  const whole = read();
  for (const [text, why] of [
    [whole.replace("wasm_exec.module-1", "wasm_exec.nobody"), "wasm_exec.nobody.js is missing"],
    [
      whole.replace("../../../assets/wasm_exec.module-1.js", "../../../../sw.js"),
      "sw.js is missing",
    ],
    [whole.replace('"size":8', '"size":9'), "is not whole"],
    ["<!doctype html>", "is not valid JSON"],
  ] as const) {
    expect(text).not.toBe(whole);
    writeFileSync(manifest, text);
    const to = mkdtempSync(join(folder, "to-"));
    const { kept, left } = keepOlder(out, to, []);
    expect(kept).toEqual([]);
    expect(left[0]?.why).toContain(why);
  }
  cpSync(join(folder, "sw.js"), join(out, "v/sw.js")); // no version
  writeFileSync(manifest, whole);
  expect(keepOlder(out, mkdtempSync(join(folder, "to-")), ["../..", "sw.js"]).kept).toEqual([
    first,
  ]);
});
