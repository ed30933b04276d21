import { expect, test } from "vitest";
import { at, event, why, container, BACK_OFF, ended, RUNNING } from "./explained.testing.ts";

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
