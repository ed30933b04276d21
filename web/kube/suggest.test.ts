import { expect, test } from "vitest";
import { suggest } from "./suggest.ts";
import type { Pod, Row } from "./types.ts";

function pod(name: string, owner: string | undefined, namespace = "default"): Row<Pod> {
  const hash = "7d4f9c6b58";
  const metadata = {
    name,
    namespace,
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "2026-11-22T12:00:00Z",
    ...(owner === undefined
      ? {}
      : {
          labels: { "pod-template-hash": hash },
          ownerReferences: [{ kind: "ReplicaSet", name: `${owner}-${hash}`, controller: true }],
        }),
  };
  return { object: { metadata, spec: { containers: [] }, status: {} }, cells: {} };
}

const lines = (...pods: Row<Pod>[]) => suggest(pods).map(({ line }) => line);

test("without pods one begins by creating some", () => {
  expect(lines()[0]).toBe("kubectl create deployment nginx --image=nginx --replicas=3");
});

test("what has been created is not created again", () => {
  const now = lines(pod("nginx-1", "nginx"), pod("nginx-2", "nginx"));
  expect(now.join("\n")).not.toContain("create");
  expect(now).toContain("kubectl scale deployment/nginx --replicas=4");
  expect(now).toContain("kubectl delete pod nginx-1");
  expect(lines(pod("alone", undefined)).join("\n")).not.toContain("create");
});

test("names and namespaces are data", () => {
  const hostile = lines(pod("p; reboot", "x$(reboot)", "a b"));
  expect(hostile).toContain("kubectl describe 'deployment/x$(reboot)' -n 'a b'");
  expect(hostile).toContain("kubectl delete pod 'p; reboot' -n 'a b'");
});
