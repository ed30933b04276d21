import { expect, test } from "vitest";
import { caused } from "./steps.testing.ts";
import { partOf } from "./within.ts";

const all = [
  caused(1, 0, "kubectl.command"),
  caused(2, 1, "apiserver.request"),
  caused(3, 2, "etcd.put"),
  caused(4, 3, "etcd.watched"),
  caused(5, 4, "controllers.informed"),
  caused(6, 5, "controllers.reconcile"),
  caused(7, 6, "apiserver.request"),
  caused(8, 0, "cri.StartContainer"),
  caused(9, 8, "kubelet.syncPod"),
];
const byId = new Map(all.map((step) => [step.id, step]));

test("a step is a part of the request that it is for; what is heard of begins work of another", () => {
  expect(all.map((step) => partOf(byId, step)?.id)).toEqual([
    undefined,
    1,
    2,
    3,
    // Told by the watch, and told by the informer.
    undefined,
    undefined,
    6,
    undefined,
    // Looked at again.
    undefined,
  ]);
});
