import { afterEach, expect, test, vi } from "vitest";
import { load, type Progress } from "./load.ts";

afterEach(() => vi.unstubAllGlobals());

test("compiling goes on until the module is in memory: a row is active all the while", async () => {
  const module = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  const manifest = { wasm: { url: "t.wasm", size: module.length }, exec: { url: "exec.js" } };
  vi.stubGlobal("fetch", (url: string) =>
    Promise.resolve(
      url.endsWith(".json")
        ? new Response(JSON.stringify(manifest))
        : new Response(module, { headers: { "content-type": "application/wasm" } }),
    ),
  );
  const said: Parameters<Progress>[0][] = [];
  await load("http://page/assets/manifest.json", (step) => void said.push(step));
  expect(said.findLast(({ step }) => step === "download")?.state).toBe("done");
  expect(said.at(-1)).toMatchObject({ step: "compile", state: "progress" });
  expect(said.at(-1)?.detail).toContain("into memory");
});

const MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

/** Serves the module, of which the first `broken` answers break off. Returns how often it was asked for. */
function breaking(broken: number): () => number {
  const manifest = { wasm: { url: "t.wasm", size: MODULE.length }, exec: { url: "exec.js" } };
  let asked = 0;
  vi.stubGlobal("fetch", (url: string) => {
    if (url.endsWith(".json")) return Promise.resolve(new Response(JSON.stringify(manifest)));
    const of = ++asked <= broken ? MODULE.slice(0, 3) : MODULE;
    return Promise.resolve(new Response(of, { headers: { "content-type": "application/wasm" } }));
  });
  return () => asked;
}

test("a download that breaks off is tried once more", async () => {
  const asked = breaking(1);
  const said: Parameters<Progress>[0][] = [];
  await load("http://page/assets/manifest.json", (step) => void said.push(step));
  expect(asked()).toBe(2);
  expect(said).toContainEqual({
    step: "download",
    state: "progress",
    detail: "it broke off, once more",
  });
});

test("what breaks off twice is told, with how far it came", async () => {
  const asked = breaking(2);
  await expect(load("http://page/assets/manifest.json", () => undefined)).rejects.toThrow(
    "The download broke off",
  );
  expect(asked()).toBe(2);
});

test("a web page in the place of the list of files is called one", async () => {
  const answers = (type: string) =>
    vi.stubGlobal("fetch", () =>
      Promise.resolve(
        new Response("<!doctype html>Welcome", { headers: { "content-type": type } }),
      ),
    );
  const loading = () => load("http://page/assets/manifest.json", () => undefined);
  answers("text/html; charset=utf-8");
  await expect(loading()).rejects.toThrow(
    "manifest.json failed: it is not JSON; the server sent a web page",
  );
  answers("application/json");
  await expect(loading()).rejects.toThrow(/it is not JSON$/);
});
