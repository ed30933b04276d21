import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { step } from "../trace/steps.testing.ts";
import { sceneOf, STATIONS } from "./scene.ts";
import { wayBack } from "./way-back.ts";

const asks = {
  kubectl: step(2, "kubectl.request", { component: "kubectl" }),
  scheduler: step(2, "scheduler.bind", { component: "kube-scheduler" }),
  "node node-1": step(2, "kubelet.status", { component: "kubelet", node: "node-1" }),
};
const request = step(3, "apiserver.request", { cause: 2, component: "kube-apiserver" });
const put = step(4, "etcd.put", { cause: 3, component: "etcd" });

describe.each([false, true])("the way of an answer, narrow: %j", (narrow) => {
  const scene = sceneOf(["node-1"], [], narrow);
  const back = (from: TraceStep, asked: TraceStep | undefined) => {
    const all = [asked ?? [], request, from].flat();
    const steps = new Map(all.map((one) => [one.id, one]));
    const found = wayBack(from, { request, code: "201", to: "" }, steps, scene);
    const at = found?.points.flatMap(({ x, y }) =>
      [...scene.places.values()].filter((place) => place.x === x && place.y === y),
    );
    return at?.map(({ id }) => id).filter((id, i, ids) => id !== ids[i - 1]);
  };

  test.each(Object.entries(asks))("is the one that the request of %s came", (who, asked) => {
    // Nobody has an answer from the watch cache, though that is nearer.
    expect(back(put, asked)).toEqual(["etcd", ...STATIONS.toReversed(), who]);
    const refused = step(4, "admission.refused", { cause: 3 });
    expect(back(refused, asked)).toEqual([...STATIONS.slice(0, 3).reverse(), who]);
    const details = { from: "watch cache" };
    const read = step(4, "apiserver.handler", { cause: 3, details });
    expect(back(read, asked)).toEqual(["watch cache", ...STATIONS.slice(0, 2).reverse(), who]);
  });

  test("is none to somebody who is not told", () => {
    expect(back(put, undefined)).toBeUndefined();
    expect(back(put, step(2, "etcd.put", { component: "etcd" }))).toBeUndefined();
  });
});
