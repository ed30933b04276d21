import { describe, expect, test } from "vitest";
import type { Placement } from "../kube/placement.ts";
import type { Node, Pod, Row } from "../kube/types.ts";
import { bytes, fullness, quantity, usage } from "./capacity.ts";
import { formatGrouping, groupingSaid, groupOf, labelsOf, parseGrouping } from "./grouping.ts";
import { groupsOf } from "./groups.ts";
import { cellAt, hit, hitTile, layOut, layOutTiles, sizeClass, tileAt } from "./layout.ts";

function pod(name: string, more: Partial<Pod["metadata"]> = {}, spec = {}): Row<Pod> {
  return {
    cells: {},
    object: {
      metadata: { name, namespace: "default", uid: name, resourceVersion: "1", ...more },
      spec: { containers: [{ name: "c", image: "i" }], ...spec },
      status: {},
    },
  };
}

describe("groups", () => {
  const owned = (kind: string, name: string, hash?: string) =>
    pod("p", {
      ownerReferences: [{ kind, name, controller: true }],
      ...(hash ? { labels: { "pod-template-hash": hash, app: "web" } } : {}),
    });

  test.each([
    ["node", pod("p", {}, { nodeName: "n1" }), "n1"],
    ["node", pod("p"), ""],
    ["namespace", pod("p", { namespace: "team" }), "team"],
    ["owner", pod("p"), ""],
    ["owner", owned("ReplicaSet", "web-7d4f", "7d4f"), "deployment/web"],
    ["owner", owned("ReplicaSet", "web-7d4f"), "replicaset/web-7d4f"],
    ["owner", owned("StatefulSet", "db"), "statefulset/db"],
  ] as const)("by %s", (by, row, group) => {
    expect(groupOf(row, { by })).toBe(group);
  });

  test("by label, and an owner in another namespace", () => {
    expect(groupOf(owned("ReplicaSet", "web-1", "1"), { by: "label", label: "app" })).toBe("web");
    expect(groupOf(pod("p"), { by: "label", label: "app" })).toBe("");
    const other = owned("Job", "j");
    other.object.metadata.namespace = "team";
    expect(groupOf(other, { by: "owner" })).toBe("team/job/j");
  });

  test("the address keeps the grouping", () => {
    const label = { by: "label", label: "app.kubernetes.io/name" } as const;
    expect(parseGrouping(formatGrouping(label))).toEqual(label);
    expect(parseGrouping({ by: "label" })).toEqual({ by: "node" });
    expect(parseGrouping({ by: "moon" })).toEqual({ by: "node" });
    expect(groupingSaid("label:a:b")).toEqual({ by: "label", label: "a:b" });
    expect(groupingSaid("moon")).toEqual({ by: "node" });
    expect(formatGrouping({ by: "node" })).toEqual({ by: "", label: "" });
  });

  test("a node that there is no more is gone, and nothing is known of its pods", () => {
    const slot = { uid: "a", row: pod("a"), state: "running" as const };
    const placement = new Map([["n1", [slot]]]) as unknown as Placement;
    const seen = (listed: boolean) =>
      groupsOf(placement, [], { by: "node" }, listed).map((g) => [
        g.key,
        g.gone,
        g.slots[0]?.state,
      ]);
    expect(seen(true)[0]).toEqual(["n1", true, "unknown"]);
    // Before the nodes are listed it may only not be known yet.
    expect(seen(false)[0]).toEqual(["n1", false, "running"]);
  });

  test("labels of most pods come first", () => {
    const rows = [
      pod("a", { labels: { app: "x", tier: "t" } }),
      pod("b", { labels: { app: "y" } }),
    ];
    expect(labelsOf(rows)).toEqual(["app", "tier"]);
  });
});

describe("capacity", () => {
  test.each([
    ["4", 4],
    ["250m", 0.25],
    ["8Gi", 8 * 2 ** 30],
    ["129M", 129e6],
    ["1e3", 1000],
    ["1.5", 1.5],
    ["100n", 1e-7],
    ["", 0],
    ["many", 0],
  ])("%s is %d", (text, n) => expect(quantity(text)).toBeCloseTo(n, 12));

  test("a node's pods count their containers, or their largest init container", () => {
    const node: Row<Node> = {
      cells: {},
      object: {
        metadata: { name: "n1", uid: "n1", resourceVersion: "1" },
        spec: {},
        status: { capacity: { cpu: "8" }, allocatable: { cpu: "4", memory: "1Gi", pods: "10" } },
      },
    };
    const asks = (cpu: string) => ({ name: "c", image: "i", resources: { requests: { cpu } } });
    const ended = pod("d", {}, { nodeName: "n1", containers: [asks("4")] });
    ended.object.status.phase = "Succeeded";
    const of = usage(
      [node],
      [
        pod("a", {}, { nodeName: "n1", containers: [asks("500m"), asks("1")] }),
        pod("b", {}, { nodeName: "n1", containers: [asks("100m")], initContainers: [asks("2")] }),
        pod("c", {}, { containers: [asks("3")] }),
        ended,
      ],
    ).get("n1");
    expect(of?.cpu).toEqual({ requested: 3.5, of: 4 });
    expect(of?.pods).toEqual({ requested: 2, of: 10 });
    expect(of && fullness(of)).toBe(0.875);
  });

  test("bytes", () => {
    expect([bytes(2 ** 33), bytes(1.5 * 2 ** 20), bytes(0)]).toEqual(["8Gi", "1.5Mi", "0"]);
  });
});

describe("layout", () => {
  const space = { width: 1000, height: 500, tiles: true };
  const groups = (counts: number[]) => counts.map((count, i) => ({ key: `g${i}`, count }));

  test("every place of every group is its own, inside its block, and found again", () => {
    const counts = [0, 13, 110, 70];
    const layout = layOut(groups(counts), { ...space, tiles: false });
    const seen = new Set<string>();
    layout.blocks.forEach((block, g) => {
      for (let i = 0; i < (counts[g] ?? 0); i++) {
        const at = cellAt(layout, block, i);
        seen.add(`${at.x},${at.y}`);
        expect(at.y + layout.cell).toBeLessThanOrEqual(block.y + block.height);
        expect(hit(layout, at.x + 1, at.y + 1)).toEqual({ key: block.key, i });
      }
      expect(hit(layout, block.x + 1, block.y + 1)).toEqual({ key: block.key, i: -1 });
    });
    expect(seen.size).toBe(193);
    expect(hit(layout, 5000, 1)).toBeUndefined();
  });

  test("one more pod moves nothing until its size class is full", () => {
    const before = layOut(groups([20, 60, 60]), space);
    expect(layOut(groups([21, 60, 61]), space)).toEqual(before);
    expect(sizeClass(60)).toBe(sizeClass(50));
    expect(sizeClass(62)).toBe(62);
  });

  test("many pods get small cells that fit; too many scroll", () => {
    const many = layOut(groups(Array<number>(100).fill(100)), space);
    expect(many.cell).toBeGreaterThanOrEqual(5);
    expect(layOut(groups([30, 30, 30]), space).cell).toBe(16);
    expect(layOut(groups(Array<number>(400).fill(110)), space).height).toBeGreaterThan(500);
    for (const block of many.blocks) expect(block.x + block.width).toBeLessThanOrEqual(1000);
  });

  test("a thousand tiles fit and are found", () => {
    const tiles = layOutTiles(1000, { width: 1000, height: 400 });
    expect(tiles.height).toBeLessThanOrEqual(400);
    for (const i of [0, 1, 57, 999]) {
      const { x, y } = tileAt(tiles, i);
      expect(hitTile(tiles, x + 1, y + 1)).toBe(i);
    }
    expect(hitTile(tiles, 1, 5000)).toBe(-1);
    expect(layOutTiles(3, { width: 300, height: 100 }).side).toBe(48);
  });
});
