import { expect, test } from "vitest";
import { namesIn } from "./names.ts";

const say = (text: string, line = "", before: string[] = []) =>
  namesIn(text, { line, before }).map(
    ({ from, to, kind, name, namespace }) =>
      `${text.slice(from, to)}: ${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`,
  );

test("kind and name with a slash", () => {
  expect(say("deployment.apps/nginx created")).toEqual([
    "deployment.apps/nginx: deployment.apps nginx",
  ]);
  expect(say("pod/a condition met, pod/b-1 too.")).toEqual(["pod/a: pod a", "pod/b-1: pod b-1"]);
  expect(say("clusterrole.rbac.authorization.k8s.io/system:node created")).toHaveLength(1);
});

test.each([
  "https://example.com/nginx",
  "/etc/hosts",
  "docker.io/library/nginx:1.27",
  "10.0.0.1/24",
  "2/2 ready",
])("%s is no object's name, or no more than looks like one", (text) => {
  // What is left has to be of a kind that is served, and to be there (web/kube/named.test.ts).
  for (const named of namesIn(text, { line: "", before: [] })) {
    expect(named.kind).toMatch(/\./);
  }
});

const HEAD = "NAME        READY   STATUS    RESTARTS   AGE";

test("the first column of a table whose head and kind are known", () => {
  expect(say("nginx-7d4f  1/1     Running   0          3s", "k get po", [HEAD])).toEqual([
    "nginx-7d4f: po nginx-7d4f",
  ]);
  expect(say("nginx-7d4f  1/1", "kubectl get pods -n web -o wide", [HEAD])).toEqual([
    "nginx-7d4f: pods web/nginx-7d4f",
  ]);
  expect(say(HEAD, "kubectl get pods", [])).toEqual([]);
});

test("with all namespaces the second one, in the namespace of the first", () => {
  const head = "NAMESPACE     NAME    READY";
  expect(say("kube-system   dns     1/1", "kubectl get pods -A", [head])).toEqual([
    "dns: pods kube-system/dns",
  ]);
  expect(say("web   pod/dns   1/1", "kubectl get pods,svc -A", [head])).toEqual([
    "pod/dns: pod web/dns",
  ]);
});

test.each([
  ["kubectl get pods,svc", [HEAD]],
  ["kubectl get all", [HEAD]],
  ["kubectl get pods | sort", [HEAD]],
  ["kubectl get $KIND", [HEAD]],
  ["kubectl describe pods", [HEAD]],
  ["kubectl get pods", []],
  ["kubectl get pods", [HEAD, ""]],
])("nothing is guessed: %s", (line, before) => {
  expect(say("nginx   1/1", line, before)).toEqual([]);
});

test("very long lines are not looked into", () => {
  expect(say(`pod/${"a/".repeat(5000)}`)).toEqual([]);
  expect(say("pod/a ".repeat(300), "", [])).toHaveLength(300);
});
