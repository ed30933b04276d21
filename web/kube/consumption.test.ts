import { expect, test } from "vitest";
import { askKubelets, consumptionOf } from "./consumption.ts";

const REAL = {
  node: {
    cpu: { usageNanoCores: 250_000_000 },
    memory: { workingSetBytes: 1024 },
    fs: { usedBytes: 10 },
  },
};

test("what a real kubelet measures", () => {
  expect(consumptionOf(REAL)).toEqual({ cpu: 0.25, memory: 1024, disk: 10 });
});

test("zero is no measurement", () => {
  const zero = { node: { cpu: { usageNanoCores: 0 }, memory: { workingSetBytes: 0 }, fs: {} } };
  expect(consumptionOf(zero)).toEqual({ cpu: undefined, memory: undefined, disk: undefined });
  expect(consumptionOf({})).toEqual({ cpu: undefined, memory: undefined, disk: undefined });
});

test("a kubelet that does not answer is left out", async () => {
  const fetch = (path: string) =>
    path.includes("/gone/")
      ? Promise.resolve(new Response("dial: refused", { status: 502 }))
      : Promise.resolve(new Response(JSON.stringify(REAL)));
  const found = await askKubelets(fetch, ["here", "gone"]);
  expect([...found.keys()]).toEqual(["here"]);
});
