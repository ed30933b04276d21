import { expect, test } from "vitest";
import { keepStart, lastStart } from "./last-start.ts";

function storage(text: string | null) {
  return {
    text,
    getItem() {
      return this.text;
    },
    setItem(_key: string, value: string) {
      this.text = value;
    },
  };
}

test("what a start took is kept for the next one", () => {
  const kept = storage(null);
  expect(lastStart(kept)).toBeUndefined();
  keepStart(kept, { download: 900, apiserver: 4200 });
  expect(lastStart(kept)).toEqual({ download: 900, apiserver: 4200 });
});

test("what somebody else wrote there is not believed", () => {
  expect(lastStart(storage("{"))).toBeUndefined();
  expect(lastStart(storage('"much"'))).toBeUndefined();
  expect(lastStart(storage('{"download":-1,"compile":"x","store":1e99,"nodes":5}'))).toEqual({
    nodes: 5,
  });
  expect(lastStart(undefined)).toBeUndefined();
});
