import { expect, test } from "vitest";
import { at, event, why, labels } from "./explained.testing.ts";

const condition = (type: string, status: string, more: object = {}) => ({ type, status, ...more });

test.each([
  [
    {
      kind: "Node",
      metadata: { name: "node-1", namespace: undefined },
      status: { conditions: [condition("Ready", "Unknown", { lastTransitionTime: at(30) })] },
    },
    "Its kubelet has not answered for 30s: its pods count as not ready, and are evicted when their tolerations end (5m, if they do not say).",
  ],
  [
    {
      kind: "Node",
      metadata: { name: "node-1" },
      status: { conditions: [condition("Ready", "True"), condition("DiskPressure", "True")] },
    },
    "It is short of disk: it takes no more pods, and its kubelet evicts some.",
  ],
  [
    {
      kind: "Node",
      spec: { unschedulable: true },
      status: { conditions: [condition("Ready", "True")] },
    },
    "It is cordoned: no further pods are placed on it.",
  ],
  [
    {
      apiVersion: "batch/v1",
      kind: "Job",
      spec: { backoffLimit: 2 },
      status: { conditions: [condition("Failed", "True", { reason: "BackoffLimitExceeded" })] },
    },
    "The Job has failed: its pods failed more often than backoffLimit 2 allows.",
  ],
  [
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      spec: { selector: { matchLabels: labels } },
      status: { expectedPods: 1, currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0 },
    },
    "No pod of it may be evicted, so a drain waits: 1 of 1 pod healthy, 1 must stay.",
  ],
  [
    {
      kind: "Namespace",
      status: {
        phase: "Terminating",
        conditions: [
          condition("NamespaceFinalizersRemaining", "True", {
            message:
              "Some content in the namespace has finalizers remaining: a/b in 1 resource instances",
          }),
        ],
      },
    },
    "It goes when all in it is gone: Some content in the namespace has finalizers remaining: a/b in 1 resource instances.",
  ],
  [
    {
      apiVersion: "example.com/v1",
      kind: "Widget",
      status: { conditions: [condition("Ready", "False", { message: "no screws" })] },
    },
    "It is not ready: no screws.",
  ],
  [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      status: {
        typeChecking: {
          expressionWarnings: [
            {
              fieldRef: "spec.validations[0].expression",
              warning: "apps/v1, Kind=Deployment: ERROR: undefined field 'nope'\n | object.nope\n",
            },
            { fieldRef: "spec.validations[1].expression", warning: "another" },
            { fieldRef: 7 },
          ],
        },
      },
    },
    "It does not fit what it is for: spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: undefined field 'nope', and 1 more expression.",
  ],
] as const)("other kinds (%#)", (parts, sentence) => {
  expect(why(parts)?.sentence).toBe(sentence);
});

test("a claim whose StorageClass is not there", () => {
  const claim = { kind: "PersistentVolumeClaim", status: { phase: "Pending" } };
  const about = {
    involvedObject: { kind: "PersistentVolumeClaim", name: "web-1", namespace: "default" },
  };
  const events = [
    event("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found', about),
  ];
  expect(why(claim, { events })?.sentence).toBe(
    "There is no StorageClass “fast”, so nobody makes its volume.",
  );
});
