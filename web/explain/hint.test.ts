import { expect, test } from "vitest";
import type { Resource } from "../kube/discovery.ts";
import type { KubeObject, Row } from "../kube/types.ts";
import { hintFor, printsTable, type HintNeeds } from "./hint.ts";

test.each([
  ["kubectl get pods", true],
  ["k get po -n shop", true],
  ["kubectl get pods -o wide", true],
  ["kubectl get pods -owide", true],
  ["kubectl get pods --output=wide", true],
  ["kubectl get pods -o yaml", false],
  ["kubectl get pods -ojson", false],
  ["kubectl get pods -w", false],
  ["kubectl get pods --watch=true", false],
  ["kubectl get pods --no-headers", false],
  ["kubectl get pods | grep web", false],
  ["kubectl get pods > pods.txt", false],
  ["kubectl get pods; kubectl get nodes", false],
  ["for i in 1 2; do kubectl get pods; done", false],
  ["kubectl describe pods", false],
  ["watch kubectl get pods", false],
] as const)("%s prints a table: %s", (line, yes) => {
  expect(printsTable(line)).toBe(yes);
});

const resource = (name: string, kind: string, group = ""): Resource =>
  ({
    group,
    version: "v1",
    name,
    singular: kind.toLowerCase(),
    kind,
    namespaced: name !== "nodes",
    shortNames: [],
    verbs: ["list", "get", "watch"],
    categories: [],
  }) as unknown as Resource;

function row(name: string, status: object): [string, Row<KubeObject>] {
  const metadata = { name, namespace: "default", uid: name, resourceVersion: "1" };
  const object = { apiVersion: "v1", kind: "Pod", metadata, spec: {}, status };
  return [name, { object: object, cells: {} }];
}

const waiting = (reason: string) => ({
  phase: "Pending",
  containerStatuses: [{ name: "c", state: { waiting: { reason } } }],
});

function cluster(asked: string[] = []): HintNeeds {
  const rows = new Map([
    row("well", { phase: "Running", containerStatuses: [{ name: "c", state: { running: {} } }] }),
    row("placed", {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", message: "no" }],
    }),
    row("bad", waiting("InvalidImageName")),
    row("worse", waiting("ErrImageNeverPull")),
    row("oops", {
      phase: "Running",
      containerStatuses: [
        { name: "c", image: "ngnix", imageID: "stand-in://ngnix@sha256:0", state: { running: {} } },
      ],
    }),
  ]);
  const list = { items: [{ metadata: { name: "web", namespace: "default", uid: "s" } }] };
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default", uid: "s" },
    spec: { selector: { app: "web" } },
  };
  const none = { state: { rows: new Map<string, never>() } };
  return {
    catalog: {
      use: () => Promise.resolve([resource("pods", "Pod"), resource("services", "Service")]),
    },
    fetch: (path) => {
      asked.push(path);
      const answer = path.includes("fieldSelector") ? list : service;
      return Promise.resolve(new Response(JSON.stringify(answer)));
    },
    pods: { state: { rows } },
    nodes: none,
    events: none,
  };
}

const HEAD = "NAME     READY   STATUS    RESTARTS   AGE";

test("the first that fails is told, with the command that looks further", async () => {
  const output = [HEAD, "well  1/1  Running", "placed  0/1  Pending", "bad  0/1", "worse  0/1"];
  const asked: string[] = [];
  expect(await hintFor("kubectl get pods", output, cluster(asked))).toBe(
    "pods/bad: “” of container c is no name of an image.\nkubectl describe pod bad",
  );
  expect(asked).toEqual([]);
  expect(await hintFor("kubectl get pods", output.slice(0, 3), cluster())).toMatch(
    /^pods\/placed: /,
  );
});

test("a stand-in is told where nothing else is: to kubectl it is as good as any", async () => {
  const output = [HEAD, "well  1/1  Running", "oops  1/1  Running", "placed  0/1  Pending"];
  expect(await hintFor("kubectl get pods", output.slice(0, 3), cluster())).toBe(
    "pods/oops: The tab does not have the image ngnix. In its place a stand-in runs: it has a shell and its tools, otherwise idles, and listens on no port.\nkubectl describe pod oops",
  );
  expect(await hintFor("kubectl get pods", output, cluster())).toMatch(/^pods\/placed: /);
});

test("nothing is said of what is well, of what is not shown, and in a pipe", async () => {
  expect(await hintFor("kubectl get pods", [HEAD, "well  1/1  Running"], cluster())).toBe("");
  expect(await hintFor("kubectl get pods", ["No resources found."], cluster())).toBe("");
  expect(await hintFor("kubectl get pods | cat", [HEAD, "bad  0/1"], cluster())).toBe("");
  expect(await hintFor("kubectl get pods", [HEAD, "gone  0/1"], cluster())).toBe("");
});

test("the API is asked for what the page does not know, and not for a long table's every row", async () => {
  const asked: string[] = [];
  const output = ["NAME  TYPE  CLUSTER-IP", "web  ClusterIP  10.96.0.7"];
  expect(await hintFor("kubectl get services", output, cluster(asked))).toMatch(
    /^services\/web: Its selector app=web selects nothing: .*\nkubectl get pods --show-labels$/,
  );
  const many = Array.from({ length: 500 }, (_, i) => `web-${i}  ClusterIP`);
  asked.length = 0;
  await hintFor("kubectl get services", [output[0] ?? "", ...many], {
    ...cluster(),
    fetch: (path) => {
      asked.push(path);
      return Promise.resolve(new Response("{}"));
    },
  });
  expect(asked.length).toBe(8);
});
