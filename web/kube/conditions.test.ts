import { expect, test } from "vitest";
import { recordConditions, segments, type ConditionHistory } from "./conditions.ts";
import type { KubeObject } from "./types.ts";

const T = Date.parse("2026-11-20T12:00:00Z");
const at = (seconds: number) => new Date(T + seconds * 1000).toISOString();
const pod = (...conditions: Record<string, string>[]) =>
  ({
    metadata: { name: "web", uid: "1", resourceVersion: "1" },
    status: { conditions },
  }) as unknown as KubeObject;

test("transitions are kept as the watch brings them", () => {
  let history: ConditionHistory = new Map();
  history = recordConditions(
    history,
    pod({
      type: "Ready",
      status: "False",
      reason: "ContainersNotReady",
      lastTransitionTime: at(1),
    }),
    T + 5000,
  );
  const ready = pod({ type: "Ready", status: "True", lastTransitionTime: at(10) });
  history = recordConditions(history, ready, T + 11_000);
  // The same again adds nothing, and says so by being the same.
  expect(recordConditions(history, ready, T + 20_000)).toBe(history);
  expect(history.get("Ready")?.map((t) => [t.at - T, t.status, t.reason])).toEqual([
    [1000, "False", "ContainersNotReady"],
    [10_000, "True", ""],
  ]);
});

test("a reason that changes alone is from now, and a condition that goes leaves an end", () => {
  let history: ConditionHistory = new Map();
  const progressing = (reason: string) =>
    pod({ type: "Progressing", status: "True", reason, lastTransitionTime: at(0) });
  history = recordConditions(history, progressing("NewReplicaSetCreated"), T);
  history = recordConditions(history, progressing("NewReplicaSetAvailable"), T + 3000);
  history = recordConditions(history, pod(), T + 9000);
  expect(history.get("Progressing")?.map((t) => [t.at - T, t.status, t.reason])).toEqual([
    [0, "True", "NewReplicaSetCreated"],
    [3000, "True", "NewReplicaSetAvailable"],
    [9000, "", ""],
  ]);
});

test("objects without conditions, or with something else by that name, have no history", () => {
  const history: ConditionHistory = new Map();
  const odd = {
    metadata: { name: "x", uid: "1", resourceVersion: "1" },
    status: { conditions: "no" },
  };
  expect(recordConditions(history, odd as unknown as KubeObject, T)).toBe(history);
});

test("segments fill the time from the first transition to the end", () => {
  const line = segments(
    [
      { at: T, status: "False", reason: "", message: "" },
      { at: T + 2500, status: "True", reason: "", message: "" },
    ],
    T - 5000,
    T + 5000,
  );
  expect(line.map((s) => [s.status, s.from, s.to])).toEqual([
    ["False", 0.5, 0.75],
    ["True", 0.75, 1],
  ]);
});
