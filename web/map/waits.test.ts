import { expect, it } from "vitest";
import type { Node, Pod, Row } from "../kube/types.ts";
import { backOffOf, countdown, nextEviction } from "./waits.ts";

const metadata = { name: "x", uid: "x", resourceVersion: "1" };
const at = Date.parse("2026-11-24T10:00:00Z");

it("a back-off is as long as the kubelet says, from the container's end on", () => {
  const pod = (message: string, finishedAt = "2026-11-24T10:00:00Z") =>
    ({
      metadata,
      spec: { containers: [] },
      status: {
        containerStatuses: [
          { state: { running: {} } },
          {
            state: { waiting: { reason: "CrashLoopBackOff", message } },
            lastState: { terminated: { finishedAt } },
          },
        ],
      },
    }) as unknown as Pod;
  expect(backOffOf(pod("back-off 1m20s restarting failed container=c"))).toEqual({
    from: at,
    until: at + 80_000,
  });
  expect(backOffOf(pod("nothing of the kind"))).toBeUndefined();
  const ended = (restartCount: number, restartPolicy = "Always", exitCode = 1) =>
    backOffOf({
      metadata,
      spec: { containers: [], restartPolicy },
      status: {
        containerStatuses: [
          { restartCount, state: { terminated: { exitCode, finishedAt: "2026-11-24T10:00:00Z" } } },
        ],
      },
    } as unknown as Pod);
  expect([0, 1, 2, 3, 9, 1e9].map((n) => (ended(n)?.until ?? at) - at)).toEqual([
    0, 10_000, 20_000, 40_000, 300_000, 300_000,
  ]);
  expect([ended(2, "Never"), ended(2, "OnFailure", 0)]).toEqual([undefined, undefined]);
  expect(backOffOf(pod("back-off 10s restarting", "yesterday"))).toBeUndefined();
});

it("a node that is gone is left when its pods tolerate that no longer", () => {
  const node = (effect: string, timeAdded = "2026-11-24T10:00:00Z") =>
    ({
      metadata: { ...metadata, name: "node-1" },
      spec: { taints: [{ key: "node.kubernetes.io/unreachable", effect, timeAdded }] },
      status: {},
    }) as unknown as Node;
  const pod = (tolerations: object[], more = {}) =>
    ({
      object: {
        metadata: { ...metadata, ...more },
        spec: { nodeName: "node-1", containers: [], tolerations },
      },
      cells: {},
    }) as unknown as Row<Pod>;
  const usual = {
    key: "node.kubernetes.io/unreachable",
    operator: "Exists",
    tolerationSeconds: 300,
  };
  const daemon = { operator: "Exists" };
  expect(nextEviction(node("NoExecute"), [pod([usual]), pod([daemon])])).toBe(at + 300_000);
  expect(nextEviction(node("NoExecute"), [pod([usual]), pod([])])).toBe(at);
  expect(nextEviction(node("NoExecute"), [pod([daemon])])).toBeUndefined();
  expect(nextEviction(node("NoSchedule"), [pod([usual])])).toBeUndefined();
  expect(nextEviction(node("NoExecute", "soon"), [pod([usual])])).toBeUndefined();
  const leaving = { deletionTimestamp: "2026-11-24T10:00:00Z" };
  expect(nextEviction(node("NoExecute"), [pod([usual], leaving)])).toBeUndefined();
  expect([countdown(247_000), countdown(-5), countdown(59_001)]).toEqual(["4:07", "0:00", "1:00"]);
});
