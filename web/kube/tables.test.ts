import { expect, test } from "vitest";
import { cellText, columnWidths, parseFilter, passes, shownColumns, sortRows } from "./tables.ts";
import type { KubeObject, Row } from "./types.ts";

const row = (
  name: string,
  cells: Record<string, string>,
  created = "2026-11-20T12:00:00Z",
): Row<KubeObject> => ({
  object: {
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      resourceVersion: "1",
      creationTimestamp: created,
    },
  },
  cells: { Name: name, ...cells },
});
const names = (rows: Row<KubeObject>[]) => rows.map((r) => r.object.metadata.name);

test("columns of -o wide are hidden until they are asked for, the namespace comes first", () => {
  const columns = [
    { name: "Name", priority: 0 },
    { name: "Age", priority: 0 },
    { name: "IP", priority: 1 },
  ];
  const shown = (wide: boolean, namespaces: boolean) =>
    shownColumns(columns, { wide, namespaces }).map((c) => c.name);
  expect(shown(false, false)).toEqual(["Name", "Age"]);
  expect(shown(true, true)).toEqual(["Namespace", "Name", "Age", "IP"]);
});

test("the age is counted from the creation, whatever the table said", () => {
  const pod = row("a", { Age: "3s" }, "2026-11-20T12:00:00Z");
  expect(cellText(pod, "Age", Date.parse("2026-11-20T12:05:00Z"))).toBe("5m");
  expect(cellText(pod, "Namespace", 0)).toBe("shop");
});

test("numbers are sorted by size, ages from young to old", () => {
  const rows = [
    row("web-10", { Restarts: "2 (3m ago)" }, "2026-11-20T12:00:00Z"),
    row("web-9", { Restarts: "10" }, "2026-11-20T11:00:00Z"),
    row("web-1", { Restarts: "0" }, "2026-11-20T13:00:00Z"),
  ];
  expect(names(sortRows(rows, { by: "Name", descending: false }))).toEqual([
    "web-1",
    "web-9",
    "web-10",
  ]);
  expect(names(sortRows(rows, { by: "Restarts", descending: true }))).toEqual([
    "web-9",
    "web-10",
    "web-1",
  ]);
  expect(names(sortRows(rows, { by: "Age", descending: false }))).toEqual([
    "web-1",
    "web-10",
    "web-9",
  ]);
});

test("a filter: every word, words that must not be there, or a selector for the server", () => {
  const running = row("web-1", { Status: "Running" });
  expect(passes(running, parseFilter("WEB run"))).toBe(true);
  expect(passes(running, parseFilter("shop"))).toBe(true);
  expect(passes(running, parseFilter("web !running"))).toBe(false);
  expect(passes(running, parseFilter("web !"))).toBe(true);
  expect(parseFilter("-l app=web,tier!=db")).toEqual({
    words: [],
    labelSelector: "app=web,tier!=db",
  });
  expect(parseFilter("-lapp=web").labelSelector).toBe("app=web");
});

test("a column is as wide as its longest text, within bounds", () => {
  const rows = [row("a-name-of-20-letters", { Message: "x".repeat(200) })];
  expect(columnWidths(rows, [{ name: "Name" }, { name: "Message" }, { name: "Age" }])).toEqual([
    20, 64, 6,
  ]);
});
