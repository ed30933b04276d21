import { afterEach, expect, test, vi } from "vitest";
import { memoryHere, memoryOf } from "./memory.ts";

afterEach(() => vi.unstubAllGlobals());

/** A device as its browser describes it. */
function device(deviceMemory: number | undefined, coarse: boolean, width: number, height: number) {
  vi.stubGlobal("navigator", deviceMemory === undefined ? {} : { deviceMemory });
  vi.stubGlobal("screen", { width, height });
  vi.stubGlobal("matchMedia", () => ({ matches: coarse }));
  return memoryHere();
}

test("a browser that tells is believed", () => {
  expect(device(8, false, 1920, 1080)).toEqual({ is: "enough", says: "" });
  expect(device(4, true, 390, 844).is).toBe("enough");
  const { is, says } = device(1, true, 390, 844);
  expect(is).toBe("little");
  expect(says).toMatch(/^This device has 1 GB of memory, .* may end it/);
});

test("where the browser does not tell, a phone is doubtful, whichever way it is held", () => {
  expect(device(undefined, true, 390, 844).is).toBe("doubtful");
  expect(device(undefined, true, 844, 390).says).toContain("a phone's browser may end it");
  expect(device(undefined, true, 820, 1180).is).toBe("enough"); // a tablet
  expect(device(undefined, false, 500, 400).is).toBe("enough"); // a small window's screen
});

test("two gigabytes are enough", () => {
  expect(memoryOf(2, true).is).toBe("enough");
  expect(memoryOf(1.9, false).is).toBe("little");
});
