import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused, step } from "../trace/steps.testing.ts";
import { changes, grown, lookedFor, type GrowthNeeds } from "./growth.ts";

const object = { group: "apps", resource: "deployments", namespace: "default", name: "nginx" };
const trace: GrowthNeeds["trace"] = { steps: new Map(), details: () => Promise.resolve(undefined) };
const nothing: GrowthNeeds["etcd"] = {
  object: () => Promise.reject(new Error("nothing is stored")),
};

test("what is deleted is shown as it was last, also of many that are deleted by one request", async () => {
  const steps = [
    step(1, "kubectl.command"),
    step(2, "apiserver.request", {
      cause: 1,
      object: { ...object, name: "" },
      details: { verb: "deletecollection" },
    }),
    step(3, "etcd.delete", {
      cause: 2,
      object,
      details: { key: "/registry/x", previous: 7, revision: 9, succeeded: true },
    }),
    step(4, "etcd.watched", { cause: 3, object }),
  ];
  const etcd: GrowthNeeds["etcd"] = {
    object: (_key, { revision }) =>
      revision === 7
        ? Promise.resolve({ text: JSON.stringify({ spec: { replicas: 3 } }) } as never)
        : Promise.reject(new Error("no such revision")),
  };
  const at = (until: TraceStep | undefined) => until && grown({ trace, etcd }, steps, until);
  expect(await at(steps[1])).toBeUndefined();
  const gone = "Deleted, at revision 9: this is what it was last.";
  for (const until of [steps[2], steps[3]]) {
    const found = await at(until);
    expect(found).toMatchObject({ awaited: gone, forgotten: 0 });
    expect(found?.lines.map(({ text, by }) => `${by} | ${text.trim()}`)).toContain(
      "as it was before | replicas: 3",
    );
  }
});

test("what was refused says so, and is not taken for one that is there", async () => {
  const refused = step(8, "admission.refused", { cause: 4, object, details: { message: "no" } });
  const told = [
    caused(1, 0, "kubectl.command"),
    caused(3, 1, "kubectl.request"),
    caused(4, 3, "apiserver.request", { object, details: { verb: "create" } }),
    caused(5, 4, "apiserver.decoded", { object, details: { sent: { spec: { replicas: 3 } } } }),
    refused,
  ];
  const stages = await Promise.all(
    [told[3], refused].map(
      async (until) => until && (await grown({ trace, etcd: nothing }, told, until))?.awaited,
    ),
  );
  expect(stages).toEqual([
    "At the API server: not stored yet.",
    "Refused: nothing of it is stored.",
  ]);
});

test("of what is new one looks for what a write brought, not for what counts on with each", () => {
  const line = (text: string, fresh = true) => ({ text, fresh, by: "etcd", mark: "none" }) as const;
  const lines = [
    line("metadata:", false),
    line('  resourceVersion: "7"'),
    line("  - lastProbeTime: null"),
    line("  nodeName: node-1"),
  ];
  expect(lookedFor(lines)).toBe(3);
  expect(lookedFor(lines.slice(0, 3))).toBe(1);
  expect(lookedFor(lines.slice(0, 1))).toBe(-1);
  expect(lookedFor([line("apiVersion: v1"), ...lines])).toBe(0);
});

test("what is counted with each write, and fields without a value, are no change of the object", () => {
  const line = (text: string, fresh = true) => ({ text, fresh, by: "etcd", mark: "none" }) as const;
  const still = [line("  replicas: 3", false), line('  resourceVersion: "7"'), line("status: {}")];
  expect(changes(still)).toBe(false);
  expect(changes([...still, line("  nodeName: node-1")])).toBe(true);
});
