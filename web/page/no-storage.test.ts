import { expect, test } from "vitest";
import { pageStorage, tabStorage } from "./settings.ts";

test("a browser that forbids storage has none, and nothing is thrown", () => {
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    });
  }
  try {
    expect(pageStorage()).toBe(undefined);
    expect(tabStorage()).toBe(undefined);
  } finally {
    for (const name of ["localStorage", "sessionStorage"]) {
      Reflect.deleteProperty(globalThis, name);
    }
  }
});
