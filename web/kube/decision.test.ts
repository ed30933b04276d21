import { expect, test } from "vitest";
import type { SchedulingDecision } from "../rpc/protocol.ts";
import { answerKey, decisionRows, foundBy } from "./decision.ts";

const decision: SchedulingDecision = {
  namespace: "default",
  name: "web",
  uid: "u",
  profile: "default-scheduler",
  attempt: 1,
  began: 0,
  took: 2,
  filters: ["NodeName", "TaintToleration"],
  scores: [{ name: "ImageLocality", weight: 1 }],
  rows: [
    {
      node: "node-1",
      passed: false,
      filters: [
        { plugin: "NodeName", verdict: "refused", why: "another was wanted" },
        { plugin: "TaintToleration", verdict: "not asked", why: "NodeName had refused" },
      ],
      scores: [
        {
          plugin: "ImageLocality",
          scored: false,
          raw: 0,
          normalized: 0,
          weighted: 0,
          why: "filtered",
        },
      ],
      total: 0,
    },
    {
      node: "node-2",
      passed: true,
      filters: [
        { plugin: "NodeName", verdict: "passed" },
        { plugin: "TaintToleration", verdict: "skipped" },
      ],
      scores: [{ plugin: "ImageLocality", scored: true, raw: 5, normalized: 50, weighted: 50 }],
      total: 50,
    },
  ],
  moreRows: 0,
  feasible: 1,
  node: "node-2",
  hint: "",
  nominated: "",
  message: "",
  preemption: "",
};

test("a cell that was not asked says by what, and is open to be asked", () => {
  const [one, two] = decisionRows(decision, new Map());
  expect(one?.filters.map(({ text, why, open }) => [text, why, open])).toEqual([
    ["✕", "refused: another was wanted", false],
    ["–", "not asked: NodeName had refused", true],
  ]);
  expect(one?.scores[0]).toMatchObject({ text: "–", why: "not scored: filtered", open: true });
  expect(one).toMatchObject({ chosen: false, total: "" });
  expect(two).toMatchObject({ chosen: true, total: "50" });
  expect(two?.filters.map(({ text }) => text)).toEqual(["✓", "·"]);
  expect(two?.scores[0]?.why).toBe("raw 5, normalised 50, weighted 50");
});

test("what is asked afterwards stands in its cell, with when", () => {
  const answer = {
    plugin: "TaintToleration",
    node: "node-1",
    at: 7,
    filter: { plugin: "TaintToleration", verdict: "passed" as const },
  };
  const [one] = decisionRows(decision, new Map([[answerKey("node-1", "TaintToleration"), answer]]));
  expect(one?.filters[1]).toMatchObject({ text: "✓", open: false, asked: 7 });
  // The same plugin's score was not part of the answer: it stays as it was.
  expect(one?.filters[0]?.asked).toBeUndefined();
});

test("a node among equals was taken by chance, as the story says", () => {
  const [refused, passed] = decision.rows;
  if (!refused || !passed) throw new Error("two rows");
  const of = (...totals: number[]): SchedulingDecision => ({
    ...decision,
    node: "node-0",
    rows: [refused, ...totals.map((total, i) => ({ ...passed, node: `node-${i}`, total }))],
  });
  expect(foundBy(of(597, 597, 597))).toBe(", one of those with 597, taken by chance");
  expect(foundBy(of(597, 590, 590))).toBe("");
  expect(foundBy(of(0))).toBe("");
  expect(foundBy({ ...of(597, 597), hint: "node-0" })).toBe("");
  expect(foundBy({ ...of(597, 597), node: "" })).toBe("");
});
