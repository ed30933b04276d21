import { describe, expect, test } from "vitest";
import { containerFacts } from "./container-state.ts";

const NOW = Date.parse("2026-11-22T12:00:30Z");
const pod = (status: object, spec: object = { containers: [{ name: "c", image: "busybox" }] }) => ({
  metadata: { name: "p", uid: "p", resourceVersion: "1" },
  spec,
  status,
});

describe("a container", () => {
  test("that crashes says how it ended and when it starts again", () => {
    const [c] = containerFacts(
      pod({
        containerStatuses: [
          {
            name: "c",
            restartCount: 3,
            state: {
              waiting: {
                reason: "CrashLoopBackOff",
                message: "back-off 40s restarting failed container=c pod=p_default(u)",
              },
            },
            lastState: {
              terminated: { exitCode: 7, reason: "Error", finishedAt: "2026-11-22T12:00:08Z" },
            },
          },
        ],
      }),
      NOW,
    );
    expect(c).toMatchObject({
      state: "CrashLoopBackOff",
      bad: true,
      before: "Ended with code 7 (Error) 22s ago",
      next: "in 18s",
      restarts: 3,
    });
  });

  test.each([
    ["back-off 1m20s restarting failed", "in 58s"],
    ["back-off 10s restarting failed", "any moment now"],
    ["back-off for ever", ""],
    ["back-off 99999999999999999999s restarting", /^in \d+y$/],
  ])("whose kubelet says %j starts %s", (message, next) => {
    const [c] = containerFacts(
      pod({
        containerStatuses: [
          {
            name: "c",
            state: { waiting: { reason: "CrashLoopBackOff", message } },
            lastState: { terminated: { exitCode: 1, finishedAt: "2026-11-22T12:00:08Z" } },
          },
        ],
      }),
      NOW,
    );
    if (typeof next === "string") expect(c?.next).toBe(next);
    else expect(c?.next).toMatch(next);
  });

  test.each([
    [{ running: { startedAt: "2026-11-22T12:00:00Z" } }, "Running for 30s, not ready", false],
    [{ waiting: { reason: "ContainerCreating" } }, "ContainerCreating", false],
    [{ waiting: { reason: "ImagePullBackOff", message: "no such tag" } }, "ImagePullBackOff", true],
    [{ terminated: { exitCode: 0, reason: "Completed" } }, "Ended with code 0 (Completed)", false],
    [{ terminated: { exitCode: 137, signal: 9 } }, "Ended by signal 9", true],
    [{}, "Not started", false],
  ])("in %j is: %s", (state, words, bad) => {
    const [c] = containerFacts(pod({ containerStatuses: [{ name: "c", state }] }), NOW);
    expect(c).toMatchObject({ state: words, bad });
  });

  test("stands in the order of starting, with what it is", () => {
    const all = containerFacts(
      pod(
        {},
        {
          containers: [{ name: "web", image: "nginx" }],
          initContainers: [
            { name: "setup", image: "busybox" },
            { name: "proxy", image: "envoy", restartPolicy: "Always" },
          ],
        },
      ),
      NOW,
    );
    expect(all.map(({ name, kind }) => [name, kind])).toEqual([
      ["setup", "init"],
      ["proxy", "sidecar"],
      ["web", ""],
    ]);
  });
});
