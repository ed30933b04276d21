import { expect, test } from "vitest";
import { passes } from "./judge.ts";
import { breakLines, cleanLines, mendLines, namespaceOf, needsNode } from "./lines.ts";
import { RIDDLES, SCENARIOS } from "./table.ts";

test("every scenario and riddle is there, each with a namespace of its own", () => {
  expect(SCENARIOS.length).toBeGreaterThanOrEqual(20);
  expect(RIDDLES).toHaveLength(5);
  const all = [...SCENARIOS, ...RIDDLES];
  expect(new Set(all.map(namespaceOf)).size).toBe(all.length);
  for (const one of all) expect(namespaceOf(one)).toMatch(/^(broken|riddle)-[a-z-]{1,40}$/);
});

test("lines name the namespace first and last, and the node", () => {
  const taint = SCENARIOS.find(({ name }) => name === "taint");
  if (!taint) throw new Error("no scenario taints a node");
  expect(needsNode(taint)).toBe(true);
  const lines = breakLines(taint, "node-3");
  expect(lines[0]).toBe("kubectl create namespace broken-taint");
  expect(lines[1]).toBe("kubectl taint node node-3 broken=yes:NoSchedule");
  expect(lines.join("\n")).not.toContain("{{");
  expect(mendLines(taint, "node-3")).toEqual(["kubectl taint node node-3 broken-"]);
  expect(cleanLines(taint, "node-3").at(-1)).toBe(
    "kubectl delete namespace broken-taint --wait=false",
  );
});

test("a name that is no plain word is never put into a line", () => {
  const taint = SCENARIOS.find(({ name }) => name === "taint");
  if (!taint) throw new Error("no scenario taints a node");
  expect(breakLines(taint, "a;reboot").join("\n")).not.toContain("reboot");
});

test.each([
  [{ run: "" }, { code: 0, stdout: "", stderr: "" }, true],
  [{ run: "" }, { code: 1, stdout: "", stderr: "" }, false],
  [{ run: "", code: 1 }, { code: 1, stdout: "", stderr: "" }, true],
  [{ run: "", code: "any" }, { code: 7, stdout: "", stderr: "" }, true],
  [{ run: "", match: ["^web +1/1"] }, { code: 0, stdout: "NAME\nweb  1/1", stderr: "" }, true],
  [{ run: "", match: ["^web +1/1"] }, { code: 0, stdout: "NAME\nweb  0/1", stderr: "" }, false],
  [{ run: "", absent: ["web"] }, { code: 0, stdout: "web", stderr: "" }, false],
  [{ run: "", stdout: "yes\n" }, { code: 0, stdout: "yes", stderr: "" }, false],
  [{ run: "", stderr: ["not found"] }, { code: 0, stdout: "", stderr: "not found" }, true],
] as const)("a step judges a result (%#)", (step, result, yes) => {
  expect(passes(step, result)).toBe(yes);
});
