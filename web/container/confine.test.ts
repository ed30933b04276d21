import { expect, test } from "vitest";
import { confine } from "./confine.ts";

test("what is not on the list is gone, wherever it stands, and what others inherit stays", () => {
  const top = { addEventListener: 1 };
  const between = Object.assign(Object.create(top) as object, { indexedDB: 1, crypto: 2 });
  const own = { fetch: 1, Array: 2, tomorrowsStorage: 3 };
  const scope = Object.assign(Object.create(between) as typeof between, own);
  confine(scope, top);
  expect(Object.keys(scope)).toEqual(["Array"]);
  expect("indexedDB" in scope).toBe(false);
  expect(scope.crypto).toBe(2);
  expect("addEventListener" in scope).toBe(true);
});

test("where something cannot be taken out nothing may run", () => {
  const scope = Object.defineProperty({}, "caches", { value: {} });
  expect(() => confine(scope, Object.prototype)).toThrow("caches of the Worker's scope");
});
