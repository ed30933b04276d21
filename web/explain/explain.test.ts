import { expect, test } from "vitest";
import type { Event, KubeObject } from "../kube/types.ts";
import { explain } from "./explain.ts";
import type { Around, Explanation } from "./types.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString();

interface Parts {
  apiVersion?: string;
  kind?: string;
  metadata?: object;
  spec?: object;
  status?: object;
}

function object({ apiVersion = "v1", kind = "Pod", metadata, spec, status }: Parts): KubeObject {
  const meta = { name: "web-1", namespace: "default", uid: "u", ...metadata };
  return { apiVersion, kind, metadata: meta, spec, status } as unknown as KubeObject;
}

function event(reason: string, message: string, more: object = {}): Event {
  return {
    metadata: { name: "e", uid: "e", resourceVersion: "1" },
    involvedObject: { kind: "Pod", name: "web-1", namespace: "default", uid: "u" },
    type: "Warning",
    reason,
    message,
    lastTimestamp: at(1),
    ...more,
  };
}

function why(parts: Parts, around: Partial<Around> = {}): Explanation | undefined {
  return explain(object(parts), { now: NOW, events: [], pods: [], ...around });
}

/** A pod of one container c, in a state. */
function container(status: object, spec: object = {}, kind = "container"): Parts {
  const [specs, statuses] =
    kind === "init"
      ? ["initContainers", "initContainerStatuses"]
      : ["containers", "containerStatuses"];
  return {
    spec: { nodeName: "node-1", [specs]: [{ name: "c", image: "nginx:nope", ...spec }] },
    status: { phase: "Running", [statuses]: [{ name: "c", ready: false, ...status }] },
  };
}

const BACK_OFF = {
  waiting: {
    reason: "CrashLoopBackOff",
    message: "back-off 20s restarting failed container=c pod=web-1_default(u)",
  },
};
const ended = (more: object = {}) => ({
  terminated: { exitCode: 7, reason: "Error", startedAt: at(4), finishedAt: at(2), ...more },
});
const RUNNING = { running: { startedAt: at(60) } };

test("a crash loop: the code, how often, when it starts next, and its last words", () => {
  const pod = container({ restartCount: 2, state: BACK_OFF, lastState: ended() });
  expect(why(pod, { lastWords: () => "boom\n" })).toMatchObject({
    state: "failing",
    sentence:
      "Container c ended with code 7, the third time; next start in 18s; last words: “boom”.",
    line: "kubectl logs web-1 -c c --previous",
  });
  expect(why(pod)?.crashed).toEqual({
    pod: "web-1",
    namespace: "default",
    container: "c",
    previous: true,
    restarts: 2,
  });
});

test("the next start is left out where nobody has told when it is", () => {
  const waiting = { reason: "CrashLoopBackOff", message: "back-off, of which nobody knows" };
  const told = why(container({ restartCount: 1, state: { waiting }, lastState: ended() }));
  expect(told?.sentence).toBe("Container c ended with code 7, the second time.");
});

test("a wait that is over, and one that has not begun", () => {
  const over = { terminated: { exitCode: 7, finishedAt: at(25) } };
  expect(why(container({ restartCount: 1, state: BACK_OFF, lastState: over }))?.sentence).toBe(
    "Container c ended with code 7, the second time; next start any moment now.",
  );
  const error = container({ restartCount: 1, state: ended() });
  expect(why(error)?.sentence).toBe(
    "Container c ended with code 7, the second time; it is started again, each time after a longer wait.",
  );
  for (const policy of [{ restartPolicy: "Never" }, { restartPolicyRules: [] }]) {
    const own = container({ restartCount: 1, state: ended() }, policy);
    expect(why(own)?.sentence).toBe("Container c ended with code 7, the second time.");
  }
});

const killed = event("Killing", "Container c failed liveness probe, will be restarted", {
  lastTimestamp: at(3),
});

test.each([
  [
    "code 127",
    container({ restartCount: 0, state: ended({ exitCode: 127 }) }),
    [],
    "Container c ended with code 127 (its command is not there); it is started again, each time after a longer wait.",
    "kubectl logs web-1 -c c",
  ],
  [
    "out of memory",
    container(
      {
        restartCount: 1,
        state: BACK_OFF,
        lastState: ended({ exitCode: 137, reason: "OOMKilled" }),
      },
      { resources: { limits: { memory: "64Mi" } } },
    ),
    [],
    "Container c wanted more memory than its limit of 64Mi and was killed (OOMKilled), the second time; next start in 18s.",
    "kubectl logs web-1 -c c --previous",
  ],
  [
    "a liveness probe that has killed it",
    container({
      restartCount: 1,
      ready: true,
      state: RUNNING,
      lastState: ended({ exitCode: 137 }),
    }),
    [killed],
    "Container c was ended because its liveness probe failed; it runs again.",
    "kubectl logs web-1 -c c --previous",
  ],
  [
    "an init container",
    container({ restartCount: 0, state: ended({ exitCode: 1 }) }, {}, "init"),
    [],
    "Init container c ended with code 1; it is started again, each time after a longer wait.",
    "kubectl logs web-1 -c c",
  ],
  [
    "an image that is not found",
    container({
      state: {
        waiting: {
          reason: "ImagePullBackOff",
          message:
            'Back-off pulling image "nginx:nope": ErrImagePull: rpc error: code = NotFound desc = no such tag',
        },
      },
    }),
    [],
    "The image nginx:nope of container c cannot be pulled: no such tag; the node tries again, each time later.",
    "kubectl describe pod web-1",
  ],
  [
    "a pull secret that is not there",
    container({ state: { waiting: { reason: "ErrImagePull", message: "denied" } } }),
    [
      event(
        "FailedToRetrieveImagePullSecret",
        "Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.",
      ),
    ],
    "The image nginx:nope of container c cannot be pulled: denied; its pull secret regcred is not there.",
    "kubectl describe pod web-1",
  ],
  [
    "no name of an image",
    container(
      { state: { waiting: { reason: "InvalidImageName", message: "x" } } },
      { image: "UPPER" },
    ),
    [],
    "“UPPER” of container c is no name of an image.",
    "kubectl describe pod web-1",
  ],
  [
    "a ConfigMap that is not there",
    container({
      state: {
        waiting: { reason: "CreateContainerConfigError", message: 'configmap "conf" not found' },
      },
    }),
    [],
    "Container c cannot be made: the ConfigMap “conf” is not there.",
    "kubectl get configmaps",
  ],
  [
    "a key that a Secret does not have",
    container({
      state: {
        waiting: {
          reason: "CreateContainerConfigError",
          message: "couldn't find key pw in Secret default/db",
        },
      },
    }),
    [],
    "Container c cannot be made: the Secret “db” has no key “pw”.",
    "kubectl describe secret db",
  ],
  [
    "a readiness probe",
    container({ started: true, state: RUNNING }, { readinessProbe: {} }),
    [event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500")],
    "The readiness probe of container c fails (HTTP probe failed with statuscode: 500): no Service sends it requests.",
    "kubectl describe pod web-1",
  ],
  [
    "a startup probe",
    container({ started: false, state: RUNNING }, { startupProbe: {}, readinessProbe: {} }),
    [event("Unhealthy", "Startup probe failed: no")],
    "The startup probe of container c fails (no): it counts as not started, and is ended if that goes on.",
    "kubectl describe pod web-1",
  ],
  [
    "evicted",
    {
      spec: { nodeName: "node-2" },
      status: {
        phase: "Failed",
        reason: "Evicted",
        message: "The node was low on resource: memory.",
      },
    },
    [],
    "The pod was evicted: The node was low on resource: memory.",
    "kubectl describe node node-2",
  ],
  [
    "a volume's ConfigMap",
    { spec: {}, status: { phase: "Pending", startTime: at(5) } },
    [
      event(
        "FailedMount",
        'MountVolume.SetUp failed for volume "conf" : configmap "gone" not found',
      ),
    ],
    "Its containers wait for the volume “conf”: the ConfigMap “gone” is not there.",
    "kubectl get configmaps",
  ],
  [
    "a finalizer",
    { metadata: { deletionTimestamp: at(60), finalizers: ["example.com/hold"] } },
    [],
    "It was deleted 60s ago and waits for the finalizer example.com/hold: whoever put it there has to take it away.",
    "kubectl get pod web-1 -o jsonpath='{.metadata.finalizers}'",
  ],
  [
    "a kubelet that does not answer",
    { metadata: { deletionTimestamp: at(60) }, spec: { nodeName: "node-2" } },
    [],
    "It should have ended 60s ago, and the kubelet of node-2 has not said that it has.",
    "kubectl get node node-2",
  ],
] as const)("%s", (_what, parts, events, sentence, line) => {
  expect(why(parts, { events })).toMatchObject({ sentence, line });
});

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

const labels = { app: "web" };
const crashing = object({
  ...container({ restartCount: 2, state: BACK_OFF, lastState: ended() }),
  metadata: {
    name: "web-1",
    labels,
    ownerReferences: [{ kind: "ReplicaSet", name: "web-5d", controller: true }],
  },
});
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
