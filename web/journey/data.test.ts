import { expect, test } from "vitest";
import { step } from "../trace/steps.testing.ts";
import { dataOf } from "./data.ts";

const of = (details: unknown, kind = "x.y") => dataOf(step(1, kind, { details }));

test("who was asked, what they said, and who decided", () => {
  const data = of({
    asked: [
      { name: "Node", answer: "no opinion" },
      { name: "RBAC", answer: "allow", reason: "by a ClusterRoleBinding" },
    ],
    user: "ada",
    reason: "by a ClusterRoleBinding",
  });
  expect(data?.asked).toEqual([
    { name: "Node", says: "no opinion", why: "", acted: false, refused: false },
    { name: "RBAC", says: "allow", why: "by a ClusterRoleBinding", acted: true, refused: false },
  ]);
  // The reason is said once.
  expect(data?.lines).toEqual(["user: ada"]);
});

test("an authenticator that refuses leaves it to the next one, and an authorizer that denies does not", () => {
  const answered = (answer: string) => of({ asked: [{ name: "x", answer }] })?.asked[0];
  expect(answered("refused")).toMatchObject({ acted: false, refused: false });
  expect(answered("deny")).toMatchObject({ acted: true, refused: true });
});

test("plugins say what they did and how long it took, where the clock says so", () => {
  const data = of({
    operation: "CREATE",
    plugins: [
      { name: "Priority", took: 0 },
      { name: "ServiceAccount", changed: [{ path: ".a" }, { path: ".b" }], took: 1.26 },
      { name: "ResourceQuota", refused: true, took: 0 },
    ],
  });
  expect(data?.asked.map(({ says }) => says)).toEqual(["", "changed 2 · 1.3 ms", "refused"]);
  expect(data?.asked.map(({ acted }) => acted)).toEqual([false, true, true]);
  expect(data?.lines).toEqual(["operation: CREATE"]);
});

test("what a controller read, and did not find", () => {
  const reads = [{ type: "v1.Pod", by: "podController", of: "default/x", found: 0 }];
  expect(of({ queue: "replicaset", reads })?.asked).toEqual([
    { name: "Pod by podController", says: "none", why: "default/x", acted: false, refused: false },
  ]);
});

test("what a change of an object is, with what was there before", () => {
  const changed = [
    { path: ".spec.replicas", before: 1, after: 2 },
    { path: ".spec.paused", before: true },
  ];
  expect(of({ changed })?.asked.map(({ name, says }) => `${name} ${says}`)).toEqual([
    ".spec.replicas 1 → 2",
    ".spec.paused true → taken away",
  ]);
  expect(of({ changed: [] })).toBeUndefined();
});

test("nodes and scores are a table, and of many those that were chosen come first", () => {
  const nodes = Array.from({ length: 30 }, (_, n) => ({
    node: `node-${n}`,
    total: n,
    scores: [{ plugin: "Fit", scored: true, weighted: n }],
  }));
  const data = of({ chosen: "node-29", nodes }, "scheduler.score");
  expect(data?.matrix?.rows).toHaveLength(20);
  expect(data?.matrix?.rows[0]).toMatchObject({ node: "node-29", chosen: true });
  expect(data?.more).toBe(10);
  expect(data?.lines).toEqual([]);
});

test("all else is YAML, in its own order, and times have their unit", () => {
  const request = { config: { metadata: { name: "nginx" } } };
  expect(of({ method: "RunPodSandbox", by: "", lag: 5, request })?.lines).toEqual([
    "method: RunPodSandbox",
    "lag: 5.0 ms",
    "request:",
    "  config:",
    "    metadata:",
    "      name: nginx",
  ]);
});

test("of a long message to the runtime the beginning of lists and hashes, and what was sent once", () => {
  const request = {
    id: "ab".repeat(32),
    image: `sha256:${"cd".repeat(32)}`,
    masked: ["/a", "/b", "/c", "/d", "/e", "/f"],
    sandboxConfig: { metadata: { name: "nginx" } },
  };
  // What another step has by that name is its own.
  expect(of({ request })?.lines).toContain("    metadata:");
  expect(of({ request }, "cri.PullImage")?.lines).toEqual([
    "request:",
    "  id: abababababab…",
    "  image: sha256:cdcdcdcdcdcd…",
    "  masked:",
    "  - /a",
    "  - /b",
    "  - /c",
    "  - /d",
    '  - "… and 2 more"',
    "  sandboxConfig: that of RunPodSandbox",
  ]);
});

test("what a step came to is not said before its parts are", () => {
  const request = step(1, "apiserver.request", { details: { verb: "create", code: 201 } });
  expect(dataOf(request, true)?.lines).toEqual(["verb: create"]);
  expect(dataOf(request)?.lines).toEqual(["verb: create", "code: 201"]);
  const attempt = step(1, "scheduler.attempt", { details: { node: "node-1", waitedMs: 8.2 } });
  expect(dataOf(attempt, true)?.lines).toEqual(["waited: 8.2 ms"]);
});

test("a stranger's details are bounded, and of any shape", () => {
  for (const details of [undefined, null, "text", 3, {}, [], { asked: {} }, { plugins: [null] }])
    expect(() => of(details)).not.toThrow();
  const cut = step(1, "x.y", { details: { a: 1 }, cut: "a password" });
  expect(dataOf(cut)?.cut).toBe("a password");
  expect(of(undefined)).toBeUndefined();
  expect(of({})).toBeUndefined();
  const many = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => ["k".concat(String(n)), n]),
  );
  expect(of(many)?.lines).toHaveLength(151);
  const asked = Array.from({ length: 1000 }, () => ({ name: "a", answer: "not mine" }));
  expect(of({ asked })?.asked).toHaveLength(60);
  expect(of(JSON.parse('{"__proto__": {"a": "<b>"}}'))?.lines).toEqual([
    '"__proto__":',
    '  a: "<b>"',
  ]);
});
