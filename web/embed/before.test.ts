import { afterEach, expect, test, vi } from "vitest";
import { memoryOf } from "../sdk/memory.ts";
import { beforeStart, mayStartItself } from "./before.ts";

afterEach(() => vi.unstubAllGlobals());

test("before it starts, it says what it downloads, and warns who has little memory", () => {
  const enough = memoryOf(8, false);
  expect(beforeStart(undefined, enough)).toBe("It runs in this tab; it is downloaded once.");
  expect(beforeStart(19_400_000, enough)).toBe("It runs in this tab. 19 MB are downloaded, once.");
  expect(beforeStart(19_400_000, memoryOf(0.5, true))).toMatch(
    /MB are downloaded, once\. This device has 0.5 GB of memory, .* may end it/,
  );
});

test("nothing starts by itself for who saves data, or has little memory", () => {
  vi.stubGlobal("screen", { width: 1000, height: 1000 });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const on = (navigator: object) => {
    vi.stubGlobal("navigator", navigator);
    return mayStartItself();
  };
  expect(on({})).toBe(true);
  expect(on({ connection: { saveData: false }, deviceMemory: 8 })).toBe(true);
  expect(on({ connection: { saveData: true }, deviceMemory: 8 })).toBe(false);
  expect(on({ deviceMemory: 1 })).toBe(false);
});
