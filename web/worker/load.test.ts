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
