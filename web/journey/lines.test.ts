import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import type { Point } from "./layout.ts";
import { along, bindingTo, route } from "./lines.ts";
import { originOf, placeOf, sceneOf, STATIONS, WATCH_CACHE, type Place } from "./scene.ts";

const step = (id: number, kind: string, component: string, more: Partial<TraceStep> = {}) => ({
  id,
  at: id,
  kind,
  component,
  chapter: "etcd",
  ...more,
});

interface Box {
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const boxOf = ({ id, x, y, width, height }: Place): Box => ({
  name: id,
  left: x - width / 2,
  right: x + width / 2,
  top: y - height / 2,
  bottom: y + height / 2,
});

/** The room that a station's name takes, and what is said of it: letters are 9 units wide at most. */
function words({ id, name, x, y, label }: Place): Box[] {
  if (!label) return [];
  const row = (text: string, at: number, each: number): Box => {
    const wide = text.length * each;
    const from = { start: 0, middle: wide / 2, end: wide }[label.anchor];
    const begin = x + label.dx - from;
    return { name: `"${id}"`, left: begin, right: begin + wide, top: y + at - 12, bottom: y + at };
  };
  const brief = id === "storage" || id === WATCH_CACHE ? "" : "x".repeat(14);
  return [row(name, label.name, 8.6), row(brief, label.small, 8.4)];
}

/** Whether a line between two points goes through a box; along its edge is not through. */
function crosses(a: Point, b: Point, box: Box): boolean {
  for (let i = 0; i <= 400; i++) {
    const x = a.x + ((b.x - a.x) * i) / 400;
    const y = a.y + ((b.y - a.y) * i) / 400;
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
  }
  return false;
}

describe.each([false, true])("the lines of the drawing; narrow: %j", (narrow) => {
  const queued = (id: number, profile: string, name = profile) =>
    step(id, "scheduler.queued", "kube-scheduler", { object: { name }, details: { profile } });
  const actors = [
    ...["a", "b", "c", "d"].map((name, i) => step(i, "x.y", name)),
    ...["mine", "theirs"].map((name, i) => queued(10 + i, name)),
  ];

  test("only kube-apiserver is joined with etcd; who watches is joined with its watch cache", () => {
    const { ways, places } = sceneOf(["node-1", "node-2"], actors, narrow);
    const server: readonly string[] = [...STATIONS, WATCH_CACHE];
    const etcd = ways.filter(({ from, to }) => from === "etcd" || to === "etcd");
    for (const { from, to } of etcd) expect(server).toContain(from === "etcd" ? to : from);
    // One line is drawn there, whichever way it is gone.
    const ends = etcd.map(({ from, points }) => points.at(from === "etcd" ? 0 : -1));
    expect(new Set(ends.map((end) => JSON.stringify(end))).size).toBe(1);
    const watchers = [...places.keys()].filter((id) =>
      /^(node|controller|scheduler|more) |^scheduler$/.test(id),
    );
    expect(ways.filter(({ from }) => from === WATCH_CACHE).map(({ to }) => to)).toEqual(watchers);
  });

  test("whoever asks comes in at the first station, along lines that are drawn", () => {
    const nodes = Array.from({ length: 9 }, (_, i) => `node-${i}`);
    const scene = sceneOf(nodes, actors, narrow);
    const first = scene.places.get(STATIONS[0]);
    if (!first) throw new Error("the drawing has no first station");
    const askers = [...scene.places.values()].filter(({ id }) =>
      /^(node|controller|scheduler|more) |^scheduler$/.test(id),
    );
    for (const asker of askers) {
      const points = route(asker, first, scene);
      expect(points.at(-1)).toEqual({ x: first.x, y: first.y });
      for (const [i, b] of points.entries()) {
        const a = points[i - 1];
        if (a) expect([a.x === b.x, a.y === b.y], asker.id).toContain(true);
      }
      const boxes = [...scene.places.values()].filter((one) => one !== asker && one !== first);
      for (const box of [...boxes.map(boxOf), ...boxes.flatMap(words)])
        for (const [i, b] of points.entries()) {
          const a = points[i - 1];
          if (a) expect(crosses(a, b, box), `${asker.id} through ${box.name}`).toBe(false);
        }
    }
  });

  test("no line goes through a box or words", () => {
    for (const count of [0, 1, 3, 6, 9]) {
      for (const acted of [[], actors.slice(0, 1), [queued(1, "mine")], actors]) {
        const nodes = Array.from({ length: count }, (_, i) => `node-${i}`);
        const { places, ways, title } = sceneOf(nodes, acted, narrow);
        const all = [...places.values()];
        const boxes = [
          ...all.filter(({ shape }) => shape !== "station").map(boxOf),
          ...all.flatMap(words),
          {
            name: "kube-apiserver",
            left: title.x,
            right: title.x + 118,
            top: title.y - 10,
            bottom: title.y,
          },
        ];
        for (const { from, to, points } of ways) {
          points.slice(1).forEach((b, i) => {
            const a = points[i] ?? b;
            for (const box of boxes) {
              expect(crosses(a, b, box), `${from} to ${to} through ${box.name}`).toBe(false);
            }
            for (const place of all) {
              if (place.shape !== "station" || [from, to].includes(place.id)) continue;
              expect(crosses(a, b, boxOf(place)), `${from} to ${to} through ${place.id}`).toBe(
                false,
              );
            }
          });
        }
      }
    }
  });

  test("a revision goes from etcd to the watch cache and from there to those who watch, along the lines", () => {
    const put = step(10, "etcd.put", "etcd");
    const watched = step(11, "etcd.watched", "etcd", { cause: 10 });
    const informed = step(12, "controllers.informed", "kube-controller-manager", { cause: 11 });
    const synced = step(13, "kubelet.syncPod", "kubelet", { cause: 11, node: "node-1" });
    const found = step(14, "kubelet.syncPod", "kubelet", { cause: 10, node: "node-1" });
    const steps = new Map([put, watched, informed, synced, found].map((one) => [one.id, one]));
    const scene = sceneOf(["node-1"], [], narrow);
    const gone = [...steps.values()].map((one) => {
      const [from, to] = [originOf(one, steps, scene), placeOf(one, scene)];
      return [from.id, to.id, route(from, to, scene).length > 2];
    });
    expect(gone).toEqual([
      ["storage", "etcd", true],
      ["etcd", "watch cache", true],
      ["watch cache", "controller kube-controller-manager", true],
      ["watch cache", "node node-1", true],
      // A cause that only the object shows.
      ["watch cache", "node node-1", true],
    ]);
  });

  test.each(["", "mine"])("a Binding's line goes to its node through no box; by %j", (name) => {
    const bind = step(3, "scheduler.bind", "kube-scheduler", { object: { name } });
    const scene = sceneOf(["node-1"], [...actors, bind], narrow);
    const from = placeOf(bind, scene);
    expect(from.name).toBe(name || "kube-scheduler");
    const points = bindingTo(from, "node-1", scene);
    for (const [i, b] of points.entries())
      for (const place of scene.places.values())
        expect(crosses(points[i - 1] ?? b, b, boxOf(place)), place.id).toBe(false);
    expect(bindingTo(from, "node-9", scene)).toEqual([]);
  });

  test("whatever leads from one place to another goes along lines that are drawn", () => {
    const scene = sceneOf(["node-1", "node-2"], [...actors, step(9, "x.y", "e")], narrow);
    const places = [...scene.places.values()];
    const drawn = scene.ways.flatMap(({ points }) =>
      points.slice(1).map((b, i): Box => {
        const a = points[i] ?? b;
        const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
        return { name: "", left, right, top: Math.min(a.y, b.y), bottom: Math.max(a.y, b.y) };
      }),
    );
    const isIn = ({ x, y }: Point, box: Box) =>
      x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    const off: string[] = [];
    for (const from of places) {
      for (const to of places) {
        const points = route(from, to, scene);
        const ends = [boxOf(from), boxOf(to)];
        for (const [i, b] of points.entries()) {
          const a = points[i - 1] ?? b;
          for (let part = 0; part <= 1; part += 1 / 32) {
            const at = { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
            const on = [...drawn, ...ends].some((box) => isIn(at, box));
            if (!on) off.push(`${from.id} to ${to.id} at ${at.x}, ${at.y}`);
          }
        }
      }
    }
    expect(off).toEqual([]);
  });

  test("whoever watches is told by the watch cache, wherever the cause was heard", () => {
    const heard = step(20, "controllers.informed", "kube-controller-manager");
    const reads = (id: number, controller: string) =>
      step(id, "controllers.reconcile", "kube-controller-manager", {
        cause: 20,
        details: { controller },
      });
    const queued = step(23, "scheduler.queued", "kube-scheduler", { cause: 20 });
    const runs = step(24, "kubelet.syncPod", "kubelet", { cause: 21, node: "node-1" });
    const put = step(25, "etcd.put", "etcd");
    const asks = step(26, "apiserver.request", "kube-apiserver", { cause: 25 });
    const own = step(27, "apiserver.request", "kube-apiserver", { cause: 22 });
    const routed = step(28, "apiserver.handler", "kube-apiserver", { cause: 27 });
    const details = { handler: "Get", from: "etcd" };
    const read = step(29, "apiserver.handler", "kube-apiserver", { cause: 27, details });
    const rest = [put, asks, own, routed, read];
    const told = [heard, reads(21, "one"), reads(22, "two"), queued, runs, ...rest];
    const scene = sceneOf(["node-1"], told, narrow);
    const steps = new Map(told.map((one) => [one.id, one]));
    const from = [21, 22, 23, 24, 26, 27, 28, 29].map((id) => {
      const one = steps.get(id);
      return one && originOf(one, steps, scene).id;
    });
    expect(from).toEqual([
      WATCH_CACHE,
      "controller two controller", // it is drawn as the one who has heard
      WATCH_CACHE,
      WATCH_CACHE,
      WATCH_CACHE,
      "controller two controller",
      "authentication",
      "authorization", // nobody admits what is read
    ]);
    // Through the stations, and not around the server.
    const [first, storage] = ["authentication", "storage"].map((id) => scene.places.get(id));
    if (!first || !storage) throw new Error("a place is missing");
    expect(route(first, storage, scene)).toHaveLength(STATIONS.length);
  });

  test("a way back is the same line", () => {
    const scene = sceneOf(["node-1"], [], narrow);
    const [a, b] = [WATCH_CACHE, "node node-1"].map((id) => scene.places.get(id));
    if (!a || !b) throw new Error("a place is missing");
    expect(route(b, a, scene)).toEqual([...route(a, b, scene)].reverse());
  });
});

test("points are as far along a line as they are", () => {
  const at = (x: number, y: number) => ({ x, y });
  expect(along([at(0, 0), at(3, 0), at(3, 1)])).toEqual([0, 0.75, 1]);
  expect(along([at(1, 1), at(1, 1)])).toEqual([0, 0]);
});
