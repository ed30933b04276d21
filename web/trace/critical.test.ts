import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { criticalPath } from "./critical.ts";
import { done } from "./told.ts";
import { took } from "./words.ts";

type Row = [id: number, cause: number, at: number, took: number, kind: string, chapter: string];

/** Steps by hand; a command's clock does not begin at nought. */
const made = (...rows: readonly Row[]): TraceStep[] =>
  rows.map(([id, cause, at, lasted, kind, chapter]) => ({
    id,
    at: 5000 + at,
    took: lasted,
    component: "c",
    kind,
    chapter,
    ...(cause === 0 ? {} : { cause }),
  }));

const sum = (path: ReturnType<typeof criticalPath>) =>
  path?.stretches.reduce((all, { lasted }) => all + lasted, 0);

const COMMAND: Row = [1, 0, 0, 60, "kubectl.command", "kubectl"];

test("time is the chapter's whose step was under way, and else nobody's", () => {
  const steps = made(
    COMMAND,
    [2, 1, 5, 40, "kubectl.request", "kubectl"],
    [3, 2, 10, 30, "apiserver.request", "etcd"],
    // What the request asks before it writes is on the way, too.
    [4, 3, 11, 1, "authentication.accepted", "authentication"],
    [5, 3, 20, 2, "etcd.put", "etcd"],
    [6, 5, 100, 400, "scheduler.attempt", "scheduler"],
    [7, 6, 130, 300, "cri.StartContainer", "startup"],
    // Began later and was ready first.
    [8, 6, 140, 10, "cri.StartContainer", "startup"],
  );
  const path = criticalPath(steps);
  expect(path?.stretches).toEqual([
    { chapter: "kubectl", lasted: 10 },
    // A request is served besides what is asked and written for it, which no chapter has to itself.
    { chapter: "serving", lasted: 9 },
    { chapter: "authentication", lasted: 1 },
    { chapter: "etcd", lasted: 2 },
    // Between the write and whoever took it up nobody worked on it.
    { chapter: "waiting", lasted: 78 },
    { chapter: "scheduler", lasted: 30 },
    { chapter: "startup", lasted: 300 },
  ]);
  expect(path?.to.id).toBe(7);
  // What the guide's head says, too.
  expect(done(steps)).toBe(` · 2 containers run after ${took(path?.lasted)}`);
  expect(path?.lasted).toBe(430);
});

test("what a step did itself, one thing after the other, is of the chapters of that", () => {
  const path = criticalPath(
    made(
      [1, 0, 0, 20, "kubectl.command", "kubectl"],
      [2, 1, 10, 500, "kubelet.syncPod", "kubelet"],
      [3, 2, 20, 100, "cri.RunPodSandbox", "cri"],
      [4, 3, 40, 30, "cni.network", "cni"],
      // Beside the sandbox, and over before it: nobody waited for it.
      [5, 2, 25, 10, "kubelet.volume", "kubelet"],
      [6, 2, 130, 20, "cri.PullImage", "cri"],
      // It was caused by that, and is none of its work: it went on behind it.
      [7, 2, 140, 900, "apiserver.request", "etcd"],
      [8, 2, 160, 40, "cri.StartContainer", "startup"],
    ),
  );
  expect(path?.stretches).toEqual([
    { chapter: "kubectl", lasted: 10 },
    { chapter: "kubelet", lasted: 30 },
    { chapter: "cri", lasted: 90 },
    { chapter: "cni", lasted: 30 },
    { chapter: "startup", lasted: 40 },
  ]);
  expect(path?.lasted).toBe(200);
});

test("what ended as the next began is on the way, though a browser's clock has whole milliseconds only", () => {
  const path = criticalPath(
    made(
      [1, 0, 0, 20, "kubectl.command", "kubectl"],
      [2, 1, 10, 500, "kubelet.syncPod", "kubelet"],
      // It ends 0.6 ms behind what is told to have come after it, and so does its network.
      [3, 2, 20, 21.6, "cri.RunPodSandbox", "cri"],
      [4, 3, 22, 7.1, "cni.network", "cni"],
      [5, 3, 29, 12.7, "cri.pause", "cri"],
      [6, 2, 41, 9, "cri.PullImage", "cri"],
      [7, 2, 50, 10, "cri.StartContainer", "startup"],
    ),
  );
  const times = new Map(path?.stretches.map(({ chapter, lasted }) => [chapter, lasted]));
  expect(times.get("cni")).toBeCloseTo(7.1);
  expect(times.get("cri")).toBeCloseTo(22.9);
  expect(sum(path)).toBeCloseTo(path?.lasted ?? 0);
  expect(path?.lasted).toBeCloseTo(60);
});

test("what a controller does within a request is on the way as admission", () => {
  const path = criticalPath(
    made(
      COMMAND,
      [2, 1, 10, 30, "apiserver.request", "etcd"],
      [3, 2, 12, 10, "admission.validating", "admission"],
      [4, 3, 14, 5, "controllers.reconcile", "controllers"],
      [5, 2, 30, 2, "etcd.put", "etcd"],
      [6, 5, 33, 0, "controllers.informed", "controllers"],
      [7, 6, 35, 5, "controllers.reconcile", "controllers"],
      [8, 7, 38, 5, "cri.StartContainer", "startup"],
    ),
  );
  expect(path?.stretches).toContainEqual({ chapter: "admission", lasted: 10 });
  expect(path?.stretches).toContainEqual({ chapter: "controllers", lasted: 3 });
});

test("a chapter that the way comes to twice stands there once, with all of it", () => {
  const path = criticalPath(
    made(
      COMMAND,
      [2, 1, 10, 10, "etcd.put", "etcd"],
      [3, 2, 20, 10, "controllers.reconcile", "controllers"],
      [4, 3, 30, 5, "etcd.put", "etcd"],
    ),
  );
  expect(path?.stretches).toEqual([
    { chapter: "kubectl", lasted: 10 },
    { chapter: "etcd", lasted: 15 },
    { chapter: "controllers", lasted: 10 },
  ]);
});

test("a container that did not start is none", () => {
  const steps = made(
    COMMAND,
    [2, 1, 10, 5, "cri.StartContainer", "startup"],
    [3, 1, 20, 5, "cri.StartContainer", "startup"],
  );
  Object.assign(steps[2] ?? {}, { details: { error: "no such program" } });
  expect(criticalPath(steps)?.to.id).toBe(2);
});

test("without a container the way leads to the refusal, or to the last step there is", () => {
  const refused = made(
    COMMAND,
    [2, 1, 10, 30, "apiserver.request", "etcd"],
    [3, 2, 15, 2, "authorization.forbidden", "authorization"],
    [4, 1, 60, 0, "kubectl.exit", "kubectl"],
  );
  expect(criticalPath(refused)).toEqual({
    stretches: [
      { chapter: "kubectl", lasted: 10 },
      { chapter: "serving", lasted: 5 },
      { chapter: "authorization", lasted: 2 },
    ],
    to: refused[2],
    lasted: 17,
    requests: 1,
  });
  const looked = made(COMMAND, [2, 1, 60, 0, "kubectl.exit", "kubectl"]);
  expect(criticalPath(looked)).toEqual({
    stretches: [{ chapter: "kubectl", lasted: 60 }],
    to: looked[1],
    lasted: 60,
    requests: 0,
  });
  expect(criticalPath([])).toBeUndefined();
});

test("requests of the way are counted, of the chain and of what a step did itself, and no others", () => {
  const path = criticalPath(
    made(
      COMMAND,
      [2, 1, 5, 40, "apiserver.request", "etcd"],
      [3, 2, 20, 2, "etcd.put", "etcd"],
      [4, 3, 100, 200, "kubelet.syncPod", "kubelet"],
      [5, 4, 110, 20, "apiserver.request", "etcd"],
      [6, 4, 200, 50, "cri.StartContainer", "startup"],
      // Beside the way, and after it.
      [7, 4, 110, 5, "apiserver.request", "etcd"],
      [8, 4, 260, 20, "apiserver.request", "etcd"],
    ),
  );
  expect(path?.to.id).toBe(6);
  expect(path?.requests).toBe(2);
});

test("clocks that go backwards take no time, and the sum stays what it is", () => {
  const path = criticalPath(
    made(
      COMMAND,
      [2, 1, 10, 1, "etcd.put", "etcd"],
      // A node that is behind, and one that is before all others.
      [3, 2, -40, 1, "kubelet.pod", "kubelet"],
      [4, 3, 900, 1, "kubelet.syncPod", "kubelet"],
      [5, 4, 90, 10, "cri.StartContainer", "startup"],
    ),
  );
  expect(path?.stretches).toEqual([
    { chapter: "kubectl", lasted: 10 },
    { chapter: "waiting", lasted: 90 },
  ]);
  expect(sum(path)).toBe(path?.lasted);
  const before = criticalPath(made(COMMAND, [2, 1, -50, 1, "cri.StartContainer", "startup"]));
  expect(before).toMatchObject({ stretches: [], lasted: 0 });
});

test("before a cause that is not held nobody is said to have had the time", () => {
  const path = criticalPath(
    made(
      COMMAND,
      [8, 7, 50, 10, "kubelet.pod", "kubelet"],
      [9, 8, 60, 5, "cri.StartContainer", "startup"],
    ),
  );
  expect(path?.stretches).toEqual([
    { chapter: undefined, lasted: 50 },
    { chapter: "kubelet", lasted: 10 },
    { chapter: "startup", lasted: 5 },
  ]);
  expect(sum(path)).toBe(path?.lasted);
});

test("a step that says it caused itself, or is caused by a later one, ends nothing", () => {
  const path = criticalPath(
    made(COMMAND, [2, 3, 10, 1, "a.b", "etcd"], [3, 2, 20, 1, "cri.StartContainer", "startup"]),
  );
  expect(sum(path)).toBe(21);
});
