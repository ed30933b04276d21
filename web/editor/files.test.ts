import { expect, test } from "vitest";
import { NO_FILES, reduceFiles, shownFile, type Files, type FilesAction } from "./files.ts";

const after = (...actions: FilesAction[]) => actions.reduce<Files>(reduceFiles, NO_FILES);
const names = ({ open }: Files) => open.map((file) => file.name);

test("a file takes the place of the empty one, and a second of its name gets a number", () => {
  const two = after(
    { type: "open", name: "web.yaml", text: "a" },
    { type: "open", name: "web.yaml", text: "b" },
  );
  expect(names(two)).toEqual(["web.yaml", "web-2.yaml"]);
  expect(shownFile(two).text).toBe("b");
});

test("what was typed is known to be unsaved until it is saved", () => {
  const typed = after({ type: "edit", id: 1, text: "kind: Pod\n" });
  expect(shownFile(typed)).toMatchObject({ text: "kind: Pod\n", saved: "" });
  const saved = reduceFiles(typed, { type: "saved", id: 1, name: "pod.yaml" });
  expect(shownFile(saved)).toMatchObject({ name: "pod.yaml", saved: "kind: Pod\n" });
});

test("closing shows the neighbour, and the last one leaves an empty file", () => {
  const two = after({ type: "open", name: "a", text: "1" }, { type: "open", name: "b", text: "2" });
  const one = reduceFiles(two, { type: "close", id: shownFile(two).id });
  expect(shownFile(one).name).toBe("a");
  expect(reduceFiles(one, { type: "close", id: shownFile(one).id })).toBe(NO_FILES);
  expect(reduceFiles(two, { type: "show", id: 99 })).toBe(two);
});
