import { describe, expect, test } from "vitest";
import { createSettings, SPLIT } from "./settings.ts";

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
    expect(settings.state).toMatchObject({ theme: "dark", fontSize: 28, split: SPLIT });
    settings.dispatch({ fontSize: 12 });
    expect(JSON.parse(kept.text ?? "")).toMatchObject({
      theme: "dark",
      fontSize: 12,
      split: SPLIT,
    });
  });

  test("nonsense in storage gives the defaults", () => {
    expect(createSettings(storage("{")).state.theme).toBe("auto");
    expect(createSettings(undefined).state.fontSize).toBe(13);
  });
});
