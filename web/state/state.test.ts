import { describe, expect, test } from "vitest";
import { Disposables } from "./disposable.ts";
import { createSettings } from "./settings.ts";
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

describe("settings", () => {
  const storage = (text: string | null) => ({
    text,
    getItem() {
      return this.text;
    },
    setItem(_key: string, value: string) {
      this.text = value;
    },
  });

  test("are read, kept in bounds, and written when they change", () => {
    const kept = storage('{"theme":"dark","fontSize":99,"split":"x","old":1}');
    const settings = createSettings(kept);
    expect(settings.state).toMatchObject({ theme: "dark", fontSize: 28, split: 46 });
    settings.dispatch({ fontSize: 12 });
    expect(JSON.parse(kept.text ?? "")).toMatchObject({ theme: "dark", fontSize: 12, split: 46 });
  });

  test("nonsense in storage gives the defaults", () => {
    expect(createSettings(storage("{")).state.theme).toBe("auto");
    expect(createSettings(undefined).state.fontSize).toBe(13);
  });
});
