import { describe, expect, it } from "vitest";
import type { KubeObject, Pod, Row } from "../kube/types.ts";
import {
  ABOVE_RESOURCES,
  linesOf,
  only,
  ownerOf,
  standingOver,
  storeysOf,
  upper,
  type Lists,
} from "./storeys.ts";

const meta = (uid: string, more: object = {}) => ({
  uid,
  name: uid,
  namespace: "default",
  resourceVersion: "1",
  ...more,
});
const by = (uid: string) => ({
  ownerReferences: [{ kind: "x", name: uid, uid, controller: true }],
});

function pod(uid: string, owner: string, labels = {}): Row<Pod> {
  const object = {
    metadata: meta(uid, { ...by(owner), labels }),
    spec: { containers: [] },
    status: {},
  };
  return { object, cells: {} };
}

function lists(some: Partial<Record<keyof Lists, KubeObject[]>>): Lists {
  return Object.fromEntries(ABOVE_RESOURCES.map((one) => [one, some[one] ?? []])) as never;
}

const slot = (row: Row<Pod>) => ({ uid: row.object.metadata.uid, row, state: "running" as const });

const web = lists({
  deployments: [
    { metadata: meta("web"), spec: { replicas: 2 }, status: { readyReplicas: 1 } } as KubeObject,
  ],
  replicasets: [
    { metadata: meta("web-1", by("web")), spec: { replicas: 0 } } as KubeObject,
    { metadata: meta("web-2", by("web")), spec: { replicas: 2 } } as KubeObject,
    { metadata: meta("web-0", by("web")), spec: { replicas: 0 } } as KubeObject,
  ],
  services: [
    { metadata: meta("svc"), spec: { selector: { app: "web" } } } as KubeObject,
    { metadata: meta("all"), spec: {} } as KubeObject,
    { metadata: { ...meta("kubernetes"), name: "kubernetes" } },
  ],
  daemonsets: [{ metadata: { ...meta("dns"), namespace: "kube-system" } }],
  jobs: [
    { metadata: meta("pi"), spec: { completions: 3 }, status: { succeeded: 2 } } as KubeObject,
  ],
});
const pods = [
  pod("old", "web-1", { app: "web" }),
  pod("new", "web-2", { app: "web" }),
  pod("other", "pi", { app: "pi" }),
];

describe("the storeys of the map", () => {
  it("have what makes pods, and ReplicaSets that have some or want some", () => {
    const { tops, sets, more } = storeysOf(web, pods.map(slot));
    expect(tops.map(({ name, ready, wanted }) => [name, ready, wanted])).toEqual([
      ["web", 1, 2],
      ["pi", 2, 3],
      ["all", 0, undefined],
      ["svc", 0, undefined],
    ]);
    expect(sets.map(({ name, pods }) => [name, pods.map(({ uid }) => uid)])).toEqual([
      ["web-1", ["old"]],
      ["web-2", ["new"]],
    ]);
    expect(more).toBe(0);
  });

  it("leave out what is too much, and say how much", () => {
    const deployments = Array.from({ length: 100 }, (_, i) => ({ metadata: meta(`d${i}`) }));
    const { tops, more } = storeysOf(lists({ deployments }), []);
    expect([tops.length, more]).toEqual([40, 60]);
  });

  it("are the upper one alone above a crowd", () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ metadata: meta(`d${i}`) }));
    const replicasets = many.map(({ metadata }) => ({ metadata: meta(`${metadata.uid}-1`) }));
    const both = storeysOf(lists({ deployments: many, replicasets }), []);
    expect([both.tops.length, both.sets.length, both.more]).toEqual([40, 40, 20]);
    const { tops, sets, more } = upper(both);
    expect([tops.length, sets.length, more]).toEqual([40, 0, 10]);
  });

  const lines = (uid: string) =>
    linesOf(uid, web, pods)
      .map((pair) => pair.join(">"))
      .sort();
  it("are joined by owners and selectors, above and below what is selected", () => {
    expect(lines("web")).toEqual(["web-1>old", "web-2>new", "web>web-0", "web>web-1", "web>web-2"]);
    expect(lines("web-2")).toEqual(["web-2>new", "web>web-2"]);
    expect(lines("new")).toEqual(["svc>new", "web-2>new", "web>web-2"]);
    expect(lines("svc")).toEqual(["svc>new", "svc>old"]);
    expect(lines("all")).toEqual([]);
    expect(lines("nobody")).toEqual([]);
  });

  it("come to an end where owners own each other", () => {
    const circle = lists({
      replicasets: [{ metadata: meta("a", by("b")) }, { metadata: meta("b", by("a")) }],
    });
    expect(linesOf("a", circle, []).length).toBeLessThanOrEqual(2);
  });
});

describe("a part of the storeys", () => {
  const names = (part: ReturnType<typeof only>) =>
    [...part.tops, ...part.sets].map(({ name }) => name);
  const all = storeysOf(web, pods.map(slot));

  it("is what stands over its pods", () => {
    const over = standingOver(pods.slice(1, 2).map(slot), web);
    expect(names(only(all, { over }))).toEqual(["web", "svc", "web-2"]);
    expect(names(only(all, { over: standingOver([], web) }))).toEqual([]);
  });

  it("is what is in its namespace", () => {
    expect(names(only(all, { namespace: "default" }))).toContain("web");
    expect(names(only(all, { namespace: "shop" }))).toEqual([]);
  });

  it("is found by the key of a column by owner", () => {
    expect(ownerOf("deployment/web", web)).toMatchObject({ resource: "deployments", uid: "web" });
    expect(ownerOf("shop/deployment/web", web)).toBeUndefined();
    expect(ownerOf("job/pi", web)?.uid).toBe("pi");
    expect(ownerOf("constructor/web", web)).toBeUndefined();
  });
});
