import { expect, test } from "vitest";
import type { Resource } from "./discovery.ts";
import { findNamed, resourceNamed } from "./named.ts";
import type { KubeObject, Row } from "./types.ts";

function resource(
  group: string,
  name: string,
  kind: string,
  more: Partial<Resource> = {},
): Resource {
  return {
    group,
    version: "v1",
    name,
    kind,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ["list"],
    subresources: [],
    ...more,
  };
}

const RESOURCES = [
  resource("", "pods", "Pod", { shortNames: ["po"] }),
  resource("", "nodes", "Node", { namespaced: false }),
  resource("apps", "deployments", "Deployment", { shortNames: ["deploy"] }),
];

function row(name: string, namespace?: string): Row<KubeObject> {
  const metadata = { name, uid: name, resourceVersion: "1", ...(namespace ? { namespace } : {}) };
  return { object: { metadata }, cells: {} };
}

function known(items: KubeObject[] = []) {
  const asked: string[] = [];
  return {
    asked,
    resources: RESOURCES,
    pods: [row("a", "default"), row("twice", "x"), row("twice", "y")],
    nodes: [row("node-1")],
    fetch: (path: string) => {
      asked.push(path);
      return Promise.resolve(Response.json({ items }));
    },
  };
}

test.each(["po", "pod", "pods", "Pod"])("%s are pods", (word) => {
  expect(resourceNamed(word, RESOURCES)?.name).toBe("pods");
});

test("a group tells kinds apart", () => {
  expect(resourceNamed("deployment.apps", RESOURCES)?.kind).toBe("Deployment");
  expect(resourceNamed("deployment.example.com", RESOURCES)).toBeUndefined();
  expect(resourceNamed("constructor", RESOURCES)).toBeUndefined();
});

test("pods and nodes are found in what the page has", async () => {
  const on = known();
  expect(await findNamed({ kind: "pod", name: "a" }, on)).toEqual({
    group: "",
    version: "v1",
    resource: "pods",
    namespace: "default",
    name: "a",
  });
  expect(await findNamed({ kind: "node", name: "node-1", namespace: "x" }, on)).toMatchObject({
    resource: "nodes",
    name: "node-1",
  });
  expect(on.asked).toEqual([]);
});

test("what is not there, or twice, leads nowhere", async () => {
  const on = known();
  expect(await findNamed({ kind: "pod", name: "b" }, on)).toBeUndefined();
  expect(await findNamed({ kind: "pod", name: "twice" }, on)).toBeUndefined();
  expect(await findNamed({ kind: "pod", name: "twice", namespace: "y" }, on)).toMatchObject({
    namespace: "y",
  });
  expect(await findNamed({ kind: "nothing", name: "a" }, on)).toBeUndefined();
});

test("the API is asked for objects of other kinds", async () => {
  const on = known([row("nginx", "web").object]);
  expect(await findNamed({ kind: "deploy", name: "nginx" }, on)).toMatchObject({
    group: "apps",
    namespace: "web",
  });
  expect(on.asked).toEqual(["/apis/apps/v1/deployments?fieldSelector=metadata.name%3Dnginx"]);
  expect(await findNamed({ kind: "deploy", name: "nginx", namespace: "x" }, on)).toBeUndefined();
});
