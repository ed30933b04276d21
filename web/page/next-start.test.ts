import { expect, test } from "vitest";
import { leaveForNextStart, takeForThisStart } from "./next-start.ts";

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
}

test("one start has what the page before has left, and the next one has not", () => {
  const tab = storage();
  const files = { "kube-apiserver.flags": "--etcd-prefix=/lab\n" };
  leaveForNextStart(files, tab);
  expect(takeForThisStart(tab)).toEqual(files);
  expect(takeForThisStart(tab)).toBeUndefined();
});

test("nothing is left where nobody left it, or the browser refuses storage", () => {
  expect(takeForThisStart(storage())).toBeUndefined();
  expect(takeForThisStart(undefined)).toBeUndefined();
});

test("what is no files is none", () => {
  for (const text of ['{"audit.yaml": 7}', "null", "{", ""]) {
    const tab = storage();
    tab.setItem("tabernetes.configuration", text);
    expect(takeForThisStart(tab)).toBeUndefined();
    expect(tab.getItem("tabernetes.configuration")).toBeNull();
  }
});
