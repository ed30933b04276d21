import { expect, test } from "vitest";
import { contextAt, ITEM } from "./context.ts";

/** The context at the "|" in a text. */
const at = (text: string) => {
  const position = text.indexOf("|");
  return contextAt(text.replace("|", ""), position);
};
const path = (text: string) => at(text).path.join(".").replaceAll(`.${ITEM}`, ITEM);

test.each([
  ["the root", "apiVersion: v1\n|", ""],
  ["a mapping", "spec:\n  |", "spec"],
  ["a half-typed key", "spec:\n  repl|\n", "spec"],
  ["a list's first key", "spec:\n  containers:\n  - na|", "spec.containers[]"],
  ["a list indented", "spec:\n  containers:\n    - name: a\n      ima|", "spec.containers[]"],
  [
    "a list in the key's own column",
    "spec:\n  containers:\n  - name: a\n    |",
    "spec.containers[]",
  ],
  [
    "lists in lists",
    "spec:\n  containers:\n  - name: a\n    ports:\n    - containerPort: 80\n      pro|",
    "spec.containers[].ports[]",
  ],
  ["behind a sibling's depth", "spec:\n  template:\n    spec:\n      a: 1\n  rep|", "spec"],
  ["past comments and empty lines", "spec:\n  # here\n\n  a: 1\n  |", "spec"],
  [
    "the second item",
    "spec:\n  containers:\n  - name: a\n    image: b\n  - |",
    "spec.containers[]",
  ],
  ["a second document", "a:\n  b: 1\n---\nspec:\n  |", "spec"],
  ["back at the root", "spec:\n  a: 1\n|", ""],
  ["a value", "spec:\n  type: Clus|", "spec"],
])("%s", (_name, text, expected) => {
  expect(path(text)).toBe(expected);
});

test("a value is told from a key, with where its word begins", () => {
  const value = at("spec:\n  type: Clus|");
  expect(value).toMatchObject({ inValue: true, key: "type", from: 14 });
  expect(at("spec:\n  type: |")).toMatchObject({ inValue: true, key: "type", from: 14 });
  const key = at("spec:\n  ty|");
  expect(key).toMatchObject({ inValue: false, key: "ty", from: 8 });
  expect(at("spec:\n  - |")).toMatchObject({ inValue: false, key: "", from: 10 });
});

test("the manifest's kind is that of the cursor's own document", () => {
  const text =
    "apiVersion: v1\nkind: Service\n---\nkind: Deployment\napiVersion: apps/v1 # x\nspec:\n  |";
  expect(at(text)).toMatchObject({ apiVersion: "apps/v1", kind: "Deployment" });
});
