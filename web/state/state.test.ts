import { expect, test } from "vitest";
import { Disposables } from "./disposable.ts";
import { Store } from "./store.ts";

test("a store tells of changes only, until its listener is disposed", () => {
  const store = new Store((state: number, add: number) => state + add, 0);
  const seen: number[] = [];
  const listening = store.subscribe((state) => seen.push(state));
  store.dispatch(2);
  store.dispatch(0);
  listening.dispose();
  store.dispatch(1);
  expect(seen).toEqual([2]);
  expect(store.state).toBe(3);
});

test("what is held is let go once, the last first", () => {
  const held = new Disposables();
  const gone: string[] = [];
  for (const name of ["a", "b"]) held.add({ dispose: () => gone.push(name) });
  held.dispose();
  held.dispose();
  expect(gone).toEqual(["b", "a"]);
});
