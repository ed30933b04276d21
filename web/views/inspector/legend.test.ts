import { expect, test } from "vitest";
import { legendOf } from "./legend.ts";

test("what draws pods has a legend, and the journey one of its ticks and lines", () => {
  expect(legendOf("map")).toEqual({ title: "Pods in the map", ticks: [] });
  const journey = legendOf("journey");
  expect(journey?.title).toBe("Pods");
  expect(journey?.ticks.map(({ label }) => label)).toEqual([
    expect.stringContaining("wait in its queue"),
    expect.stringContaining("changed or refused"),
    expect.stringContaining("answer goes back"),
    expect.stringContaining("nothing goes along"),
  ]);
  expect(legendOf("objects")).toBeUndefined();
});
