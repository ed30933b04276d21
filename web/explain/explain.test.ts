import { expect, test } from "vitest";
import { at, type Parts, event, why, container, ended, RUNNING } from "./explained.testing.ts";

test("what is well, or on its way, is not explained", () => {
  expect(why(container({ ready: true, started: true, state: RUNNING }))).toBeUndefined();
  expect(why(container({ state: { waiting: { reason: "ContainerCreating" } } }))).toBeUndefined();
  expect(why({ status: { phase: "Succeeded" } })).toBeUndefined();
  expect(why({ metadata: { deletionTimestamp: at(-30) } })).toBeUndefined();
  const gone = event("FailedMount", "of a pod that had its name", {
    involvedObject: { kind: "Pod", name: "web-1", namespace: "default", uid: "another" },
  });
  expect(why({ status: { phase: "Pending" } }, { events: [gone] })).toBeUndefined();
});

test("a stranger's words are bounded, on one line, and never a command", () => {
  const words = `\u001b[31m\u202Ered\n${"x".repeat(5000)}`;
  const pod = container({ restartCount: 0, name: "c; rm -rf /", state: ended() });
  const told = why({ ...pod, metadata: { name: "a$(b)" } }, { lastWords: () => words });
  expect(told?.sentence).not.toMatch(/[\p{Cc}\u202E]/u);
  expect(told?.sentence.length).toBeLessThan(400);
  expect(told?.line).toBe("kubectl logs 'a$(b)' -c 'c; rm -rf /'");
});

test.each([
  { status: { containerStatuses: "no list", conditions: "none", phase: 7 } },
  { status: { containerStatuses: [null, 3, { state: { waiting: "x" } }] } },
  { spec: { containers: null, schedulingGates: 1 }, status: null },
  { kind: "Service", spec: { selector: "x" } },
  { apiVersion: "apps/v1", kind: "Deployment", spec: null, status: { conditions: [{}] } },
  { apiVersion: 7, kind: "constructor" },
] as unknown as Parts[])(
  "an object with other fields than its kind has does no harm (%#)",
  (parts) => {
    expect(() => why(parts)).not.toThrow();
  },
);
