import { describe, expect, it } from "vitest";
import { toward } from "./rove.ts";

/** Three stations in a row, a box below the second, two pods in it. */
const PARTS = [
  { x: 0, y: 0 },
  { x: 100, y: 0 },
  { x: 200, y: 0 },
  { x: 100, y: 120 },
  { x: 70, y: 125 },
  { x: 92, y: 125 },
];

const leads = (from: number, key: string) => {
  const at = PARTS[from];
  return at && toward(at, PARTS, key);
};

describe("the arrow keys in the drawing", () => {
  it("lead to the next part that lies there", () => {
    expect(leads(0, "ArrowRight")).toBe(1);
    expect(leads(1, "ArrowRight")).toBe(2);
    expect(leads(2, "ArrowLeft")).toBe(1);
    expect(leads(1, "ArrowDown")).toBe(3);
    expect(leads(3, "ArrowUp")).toBe(1);
  });

  it("lead into a box and along what stands in it", () => {
    expect(leads(3, "ArrowLeft")).toBe(5);
    expect(leads(5, "ArrowLeft")).toBe(4);
    expect(leads(4, "ArrowRight")).toBe(5);
  });

  it("stay at an edge, and go to the first and the last", () => {
    expect(leads(0, "ArrowLeft")).toBeUndefined();
    expect(leads(1, "ArrowUp")).toBeUndefined();
    expect(leads(3, "Home")).toBe(0);
    expect(leads(0, "End")).toBe(5);
    expect(toward({ x: 0, y: 0 }, [], "End")).toBeUndefined();
  });

  it("take no other key", () => expect(leads(1, "a")).toBeUndefined());
});
