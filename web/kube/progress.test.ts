import { expect, test } from "vitest";
import { Progress, STEPS } from "./progress.ts";
import type { Pod, Row } from "./types.ts";

const NEVER = "";

function pod(
  name: string,
  hash = "5d",
  { ready = true, deleted = NEVER, owner = "1" } = {},
): Row<Pod> {
  const metadata = {
    name,
    namespace: "default",
    uid: name,
    resourceVersion: "1",
    labels: { "pod-template-hash": hash },
    ownerReferences: [
      { kind: "ReplicaSet", name: `web-${hash}`, uid: `${hash} ${owner}`, controller: true },
    ],
    ...(deleted ? { deletionTimestamp: deleted } : {}),
  };
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  return { object: { metadata, spec: { containers: [] }, status: { conditions } }, cells: {} };
}

const DELETED = { deleted: "2026-11-23T12:00:00Z" };

function after(...states: Row<Pod>[][]): string[] {
  const progress = new Progress();
  for (const rows of states) progress.meet(rows);
  return [...progress.done.keys()];
}

/** A pod of another Deployment. */
function other(name: string, { ready = true } = {}): Row<Pod> {
  const row = pod(name, "5d", { ready });
  const [owner] = row.object.metadata.ownerReferences ?? [];
  if (owner) Object.assign(owner, { name: "lost-5d", uid: "lost" });
  return row;
}

test("a Deployment is created once all of its pods are ready", () => {
  expect(after([pod("a"), pod("b", "5d", { ready: false })])).toEqual([]);
  expect(after([pod("a"), pod("b")])).toEqual(["created"]);
});

test("scaled up is more than at first, and scaled down is no replacement", () => {
  expect(after([pod("a")], [pod("a"), pod("b")])).toEqual(["created", "scaled"]);
  expect(after([pod("a"), pod("b")], [pod("a"), pod("b", "5d", DELETED)], [pod("a")])).toEqual([
    "created",
  ]);
});

test("a pod that was deleted is replaced when there are as many again", () => {
  const gone = [pod("a"), pod("b", "5d", DELETED), pod("c", "5d", { ready: false })];
  expect(after([pod("a"), pod("b")], gone)).toEqual(["created"]);
  expect(after([pod("a"), pod("b")], gone, [pod("a"), pod("c")])).toEqual(["created", "replaced"]);
});

test("of one that was scaled up a pod is replaced when there are as many as before it was deleted", () => {
  const three = [pod("a"), pod("b"), pod("c")];
  const going = [pod("a"), pod("b"), pod("c", "5d", DELETED), pod("d", "5d", { ready: false })];
  const pending = [pod("a"), pod("b"), pod("d", "5d", { ready: false })];
  const states = [[pod("a"), pod("b")], three, going, pending];
  expect(after(...states)).toEqual(["created", "scaled"]);
  expect(after(...states, [pod("a"), pod("b"), pod("d")])).toEqual([
    "created",
    "scaled",
    "replaced",
  ]);
});

test("a new version is rolled out when its pods are ready", () => {
  expect(after([pod("a")], [pod("a"), pod("x", "7f", { ready: false })])).toEqual(["created"]);
  expect(after([pod("a")], [pod("x", "7f")])).toEqual(["created", "updated"]);
});

test("pods that a rollout brings one after another are no scaling, and more than there were before are", () => {
  const [x, y, z] = ["x", "y", "z"].map((name) => pod(name, "7f"));
  if (!x || !y || !z) throw new Error("a test's pods are missing");
  const both = [
    [pod("a"), pod("b")],
    [pod("a"), pod("b"), x],
    [pod("a", "5d", DELETED), x, y],
  ];
  expect(after(...both, [x, y])).toEqual(["created", "updated"]);
  expect(after(...both, [x, y], [x, y, z])).toEqual(["created", "updated", "scaled"]);
});

test("what is done stays done, and pods of nobody are no step", () => {
  expect(after([pod("a")], [])).toEqual(["created"]);
  const alone = pod("a");
  delete alone.object.metadata.ownerReferences;
  expect(after([alone])).toEqual([]);
});

test("it is said of which Deployment, and of the last one of which it is true", () => {
  const progress = new Progress();
  const said = () => STEPS.flatMap(({ name, label }) => label(progress.done.get(name) ?? "-"));
  progress.meet([pod("a")]);
  progress.meet([pod("a"), pod("b"), other("x", { ready: false })]);
  // The later one fails.
  expect(said().slice(0, 2)).toEqual([
    "Created web: all of its pods were ready",
    "Scaled web: it had more pods",
  ]);
  progress.meet([pod("a"), pod("b"), other("x")]);
  expect([...progress.done]).toEqual([
    ["created", "lost"],
    ["scaled", "web"],
  ]);
});

test("a ReplicaSet that is deleted comes back under its name: nobody scaled, and there is no new version", () => {
  const [old, young] = [pod("a"), pod("b", "5d", { owner: "2" })];
  expect(after([old], [old, young], [young])).toEqual(["created"]);
});
