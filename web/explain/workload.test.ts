import { expect, test } from "vitest";
import { at, type Parts, object, event, why, labels, crashing } from "./explained.testing.ts";

const deployment = (status: object): Parts => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { replicas: 3, selector: { matchLabels: labels } },
  status,
});

test("a Deployment says what ails its pods, and that its rollout is stuck", () => {
  const stuck = {
    type: "Progressing",
    status: "False",
    reason: "ProgressDeadlineExceeded",
    message: "late",
  };
  const pods = [crashing];
  const status = { availableReplicas: 2, conditions: [stuck] };
  expect(why(deployment(status), { pods })).toMatchObject({
    state: "failing",
    sentence:
      "The rollout is stuck, past its deadline. 2 of 3 replicas ready. Pod web-1: Container c ended with code 7, the third time; next start in 18s.",
    line: "kubectl logs web-1 -c c --previous",
  });
  expect(why(deployment({ availableReplicas: 3 }))).toBeUndefined();
});

test("a quota that refuses pods", () => {
  const message =
    'pods "web-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';
  const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message };
  expect(why(deployment({ availableReplicas: 2, conditions: [failure] }))).toMatchObject({
    sentence: `2 of 3 replicas ready; more pods are refused: ${message}.`,
    line: "kubectl describe deployment web",
  });
});

test("a refusal that a later success made history is none", () => {
  const of = { involvedObject: { kind: "StatefulSet", name: "web-1", namespace: "default" } };
  const set = { apiVersion: "apps/v1", kind: "StatefulSet", spec: { replicas: 1 }, status: {} };
  const failed = event("FailedCreate", "exceeded quota", { ...of, lastTimestamp: at(9) });
  const made = event("SuccessfulCreate", "ok", { ...of, lastTimestamp: at(3) });
  expect(why(set, { events: [failed] })?.sentence).toContain("exceeded quota");
  expect(why(set, { events: [failed, made] })).toBeUndefined();
});

const service: Parts = { kind: "Service", metadata: { name: "web" }, spec: { selector: labels } };

test("a Service that selects nothing, or nobody who is ready", () => {
  expect(why(service)).toMatchObject({
    state: "failing",
    sentence:
      "Its selector app=web selects nothing: there is no pod in its namespace, so nobody answers.",
    line: "kubectl get pods --show-labels",
  });
  expect(why(service, { pods: [crashing] })).toMatchObject({
    state: "unready",
    sentence: expect.stringContaining("None of the 1 pod that it selects is ready") as string,
  });
  const ready = object({
    metadata: { labels },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  expect(why(service, { pods: [ready] })).toBeUndefined();
});
