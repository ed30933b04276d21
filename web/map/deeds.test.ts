import { describe, expect, it } from "vitest";
import { sh } from "../kube/shell-line.ts";
import type { Node, Pod, Row } from "../kube/types.ts";
import { deedsOf, type Known } from "./deeds.ts";

const node = (name: string, spec = {}): Row<Node> => ({
  object: {
    metadata: { name, uid: name, resourceVersion: "1" },
    spec,
    status: {},
  },
  cells: {},
});
const pod = (name: string, owned: boolean): Row<Pod> => ({
  object: {
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      resourceVersion: "1",
      ...(owned
        ? { ownerReferences: [{ kind: "ReplicaSet", name: "web-1", controller: true }] }
        : {}),
    },
    spec: { containers: [] },
    status: {},
  },
  cells: {},
});
const known: Known = {
  nodes: new Map([
    ["n1", node("n1")],
    ["n2", node("n2", { unschedulable: true })],
    ["real", node("real")],
  ]),
  pods: new Map([
    ["made", pod("made", true)],
    ["bare", pod("bare", false)],
  ]),
  inTab: new Map([
    ["n1", "running"],
    ["n2", "stopped"],
  ]),
};
const lines = (...of: Parameters<typeof deedsOf>) => deedsOf(...of).map(({ line }) => line);

describe("what can be done on the map", () => {
  it("with a node, by whether it is the tab's and runs", () => {
    expect(lines({ kind: "node", name: "n1", uid: "n1" }, known)).toEqual([
      "kubectl cordon n1",
      "kubectl drain n1 --ignore-daemonsets --delete-emptydir-data --force",
      "minikube node stop n1",
      "minikube node delete n1",
      "minikube ssh -n n1 -- sudo poweroff",
    ]);
    expect(lines({ kind: "node", name: "n2", uid: "n2" }, known)).toEqual([
      "kubectl uncordon n2",
      "kubectl drain n2 --ignore-daemonsets --delete-emptydir-data --force",
      "minikube node start n2",
      "minikube node delete n2",
    ]);
    expect(lines({ kind: "node", name: "real", uid: "real" }, known)).toHaveLength(2);
    expect(lines({ kind: "node", name: "none", uid: "none" }, known)).toEqual([]);
  });

  it("asks before something is lost, and not before what comes back", () => {
    const asks = deedsOf({ kind: "node", name: "n1", uid: "n1" }, known).map(
      ({ verb, loses }) => [verb, loses !== undefined] as const,
    );
    expect(asks).toEqual([
      ["Cordon", false],
      ["Drain", true],
      ["Stop", false],
      ["Remove", true],
      ["Shut down", false],
    ]);
  });

  it("with a pod, saying whether another comes", () => {
    const of = (name: string) =>
      deedsOf({ kind: "pod", name, namespace: "shop", uid: name }, known);
    expect(of("made")[0]).toMatchObject({ line: "kubectl delete pod made -n shop" });
    expect(of("made")[0]?.loses).toContain("ReplicaSet web-1 may make another");
    expect(of("bare")[0]?.loses).toContain("nothing makes it again");
    expect(of("left")).toEqual([]);
  });

  it("with what made them, and with nothing that is not on the map", () => {
    const at = (group: string, resource: string) =>
      lines(
        {
          kind: "x",
          name: "web",
          namespace: "default",
          uid: "u",
          place: { group, version: "v1", resource, namespace: "default", name: "web" },
        },
        known,
      );
    expect(at("apps", "deployments")).toEqual([
      "kubectl rollout restart deployment/web",
      "kubectl delete deployment/web",
    ]);
    expect(at("", "services")).toEqual(["kubectl delete service/web"]);
    expect(at("example.org", "deployments")).toEqual([]);
    expect(at("", "configmaps")).toEqual([]);
    expect(at("apps", "constructor")).toEqual([]);
  });

  it("quotes a name that is no name", () => {
    const name = "n1;kubectl create ns pwned";
    const hostile = { ...known, nodes: new Map([[name, node(name)]]) };
    const [cordon] = lines({ kind: "node", name, uid: name }, hostile);
    expect(cordon).toBe(sh`kubectl cordon ${name}`);
    expect(cordon).toContain("'n1;kubectl");
  });
});
