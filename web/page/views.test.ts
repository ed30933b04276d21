import { expect, test } from "vitest";
import { inBar, type PageView } from "./views.ts";

const view = (name: string, bar?: boolean): PageView => ({
  name,
  label: name,
  ...(bar === undefined ? {} : { bar }),
  open: () => {
    throw new Error("nobody opens it");
  },
});

test("map and journey take turns in a phone's bar: what is shown, else what is home", () => {
  const both = (home: "map" | "journey", shown: string) =>
    ["map", "journey"].filter((name) => inBar(view(name, true), home, shown));
  expect(both("journey", "journey")).toEqual(["journey"]);
  expect(both("map", "journey")).toEqual(["journey"]);
  expect(both("journey", "map")).toEqual(["map"]);
  expect(both("map", "trace")).toEqual(["map"]);
});

test("others are in it by their own word", () => {
  expect(inBar(view("events", true), "map", "trace")).toBe(true);
  expect(inBar(view("trace"), "map", "trace")).toBe(false);
});
