import { expect, test } from "vitest";
import { type Parts, why } from "./explained.testing.ts";

const unplaced = (message: string, spec: object = {}): Parts => ({
  spec,
  status: {
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  },
});

test.each([
  [
    unplaced(
      "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
      {
        containers: [{ resources: { requests: { cpu: "64" } } }],
      },
    ),
    "None of 3 nodes takes it: 3 have not enough CPU left (it asks for 64).",
    "kubectl describe nodes",
  ],
  [
    unplaced(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint {gpu: yes}. no new claims to deallocate.",
    ),
    "None of 3 nodes takes it: 1 is cordoned and 2 have a taint gpu: yes that it does not tolerate.",
    "kubectl get nodes",
  ],
  [
    unplaced("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.", {
      nodeSelector: { disk: "ssd" },
    }),
    "None of 3 nodes takes it: 3 do not have the labels that its nodeSelector or node affinity wants (disk=ssd).",
    "kubectl get nodes --show-labels",
  ],
  [
    unplaced('0/3 nodes are available: persistentvolumeclaim "data" not found. not found'),
    "The scheduler waits for the claim “data”, which is not there.",
    "kubectl describe pvc",
  ],
  [
    unplaced(
      "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    ),
    "None of 3 nodes takes it: a claim of it is not bound to a volume yet.",
    "kubectl describe pvc",
  ],
  [
    unplaced("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules."),
    "The one node there is does not take it: 1 already has a pod that its anti-affinity keeps it from.",
    "kubectl get pods -o wide --show-labels",
  ],
] as const)("what the scheduler said, in words (%#)", (parts, sentence, line) => {
  expect(why(parts)).toMatchObject({ state: "pending", sentence, line });
});
