import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { fitsHigh, originOf, placeOf, sceneOf, stays, STATIONS } from "./scene.ts";

const step = (kind: string, component: string, more: Partial<TraceStep> = {}): TraceStep => ({
  id: 1,
  at: 0,
  kind,
  component,
  chapter: "etcd",
  ...more,
});

describe("the scene", () => {
  test("stands as there is room: high on a phone and beside an object, wide else", () => {
    expect(fitsHigh({ width: 390, height: 600 })).toBe(true);
    expect(fitsHigh({ width: 380, height: 344 })).toBe(true);
    expect(fitsHigh({ width: 700, height: 280 })).toBe(false);
    // Of a command that only looks no object grows: as little more height is no reason to be another drawing.
    expect(fitsHigh({ width: 738, height: 431 })).toBe(false);
    expect(fitsHigh({ width: 738, height: 700 })).toBe(true);
  });

  test("slowly it is as it happens where that and the object that grows have room, one above the other", () => {
    // The middle of a window of 1440 by 900 beside guide and inspector has too few lines left for the object.
    expect(stays({ width: 738, height: 430 })).toBeUndefined();
    expect(stays({ width: 738, height: 800 })).toBe(288);
    // A wide one is as high as leaves the object its room.
    expect(stays({ width: 1220, height: 640 })).toBe(400);
    expect(stays({ width: 500, height: 800 })).toBeUndefined();
  });

  test("has a place for every node, and says how many more there are", () => {
    const scene = sceneOf(["node-2", "node-10", "node-1"], []);
    expect([...scene.places.keys()].filter((id) => id.startsWith("node "))).toEqual([
      "node node-1",
      "node node-2",
      "node node-10",
    ]);
    const many = sceneOf(
      Array.from({ length: 50 }, (_, i) => `n-${i}`),
      [],
    );
    expect(many.places.get("more nodes")?.name).toBe("and 44 more nodes");
    const on = (node: string) => placeOf(step("cri.RunPodSandbox", "kubelet", { node }), many).id;
    expect([on("n-3"), on("n-40")]).toEqual(["node n-3", "more nodes"]);
    const runs = step("cri.StartContainer", "kubelet", { id: 1, node: "n-40" });
    const told = sceneOf(
      Array.from({ length: 50 }, (_, i) => `n-${i}`),
      [runs],
    );
    expect(placeOf(runs, told).id).toBe("node n-40");
    expect([...told.places.keys()].filter((id) => id.startsWith("node "))).toEqual(
      [0, 1, 2, 3, 4, 40].map((i) => `node n-${i}`),
    );
  });

  test("a batch happens where the controller is whose work it is part of", () => {
    const heard = step("controllers.informed", "kube-controller-manager", { id: 1 });
    const looked = step("controllers.reconcile", "kube-controller-manager", {
      id: 5,
      cause: 1,
      details: { controller: "garbage-collector-controller" },
    });
    const work = step("controllers.reconcile", "kube-controller-manager", {
      id: 6,
      cause: 1,
      details: { controller: "replicaset-controller" },
    });
    const batch = step("controllers.batch", "kube-controller-manager", { id: 7, cause: 6 });
    const request = step("apiserver.request", "kube-apiserver", { id: 8, cause: 7 });
    const put = step("etcd.put", "etcd", { id: 9, cause: 8 });
    const scene = sceneOf(["node-1"], [heard, looked, work, batch, request, put]);
    expect([...scene.places.keys()].filter((id) => id.startsWith("controller "))).toEqual([
      "controller replicaset controller",
      "controller garbage-collector controller",
      "controller kube-controller-manager",
    ]);
    // What an informer has heard is drawn at whoever wrote because of it.
    expect(placeOf(heard, scene).id).toBe("controller replicaset controller");
    expect(placeOf(batch, scene).id).toBe("controller replicaset controller");
    // Prepared, validated and refused, or not, at one station, before the next.
    for (const kind of ["registry.created", "admission.validating"])
      expect(placeOf(step(kind, "kube-apiserver", { id: 99 }), scene).id).toBe("validation");
  });

  test.each([false, true])(
    "stands within its frame, nothing on top of something else; narrow: %j",
    (narrow) => {
      const steps = ["a", "b", "c", "d"].map((component) => step("x.y", component));
      for (const count of [0, 1, 3, 6, 50]) {
        const nodes = Array.from({ length: count }, (_, i) => `node-${i}`);
        const scene = sceneOf(nodes, steps, narrow);
        const places = [...scene.places.values()];
        for (const a of places) {
          expect(a.x - a.width / 2).toBeGreaterThanOrEqual(0);
          expect(a.x + a.width / 2).toBeLessThanOrEqual(scene.width);
          expect(a.y + a.height / 2).toBeLessThanOrEqual(scene.height);
          for (const b of places) {
            if (a === b) continue;
            const apart =
              Math.abs(a.x - b.x) >= (a.width + b.width) / 2 ||
              Math.abs(a.y - b.y) >= (a.height + b.height) / 2;
            expect(apart, `${a.id} and ${b.id}`).toBe(true);
          }
        }
      }
    },
  );

  test("draws the controllers that wrote something rather than those that only looked", () => {
    const steps = ["first", "second", "a", "b", "c"].map((component, i) =>
      step("controllers.reconcile", component, { id: i + 1 }),
    );
    for (const cause of [1, 2]) {
      steps.push(step("apiserver.request", "kube-apiserver", { id: 10 + cause, cause }));
      steps.push(step("etcd.put", "etcd", { id: 20 + cause, cause: 10 + cause }));
    }
    steps.push(step("apiserver.request", "kube-apiserver", { id: 13, cause: 3 })); // it only read
    const { places } = sceneOf([], steps);
    expect([...places.keys()].filter((id) => id.startsWith("controller "))).toEqual([
      "controller a",
      "controller second",
      "controller first",
    ]);
    expect(places.get("more controllers")?.name).toBe("and 2 more controllers");
  });

  test("what a node's data path has heard of is drawn at that node", () => {
    const heard = step("controllers.informed", "client-go", { id: 1 });
    const leads = ["node-2", "node-3"].map((node, i) =>
      step("network.service", "service proxy", { id: 5 + i, cause: 1, node }),
    );
    const scene = sceneOf(["node-1", "node-2", "node-3"], [heard, ...leads]);
    expect(placeOf(heard, scene).id).toBe("node node-2");
  });

  test("what an informer has heard is at who wrote because of it, not at who wrote because of something else", () => {
    const hears = (id: number, cause: number) =>
      step("controllers.informed", "kube-controller-manager", { id, cause });
    const work = (id: number, cause: number, name: string) =>
      step("controllers.reconcile", "kube-controller-manager", {
        id,
        cause,
        details: { controller: `${name}-controller` },
      });
    const writes = (id: number, cause: number) => [
      step("apiserver.request", "kube-apiserver", { id, cause }),
      step("etcd.put", "etcd", { id: id + 1, cause: id }),
    ];
    const heard = hears(2, 1);
    const steps = [
      heard,
      ...[work(3, 2, "garbage-collector"), work(4, 2, "namespace")],
      ...[...writes(5, 4), hears(7, 6), work(8, 7, "garbage-collector"), ...writes(9, 8)],
    ];
    expect(placeOf(heard, sceneOf([], steps)).name).toBe("namespace controller");
  });

  test("what the API server's own controllers have heard is at the API server", () => {
    const heard = step("controllers.informed", "kube-apiserver", { id: 1 });
    const details = { queue: "crdEstablishing" };
    const work = step("controllers.reconcile", "kube-apiserver", { id: 2, cause: 1, details });
    const scene = sceneOf([], [heard, work]);
    expect(placeOf(heard, scene).id).toBe("authentication");
    expect(placeOf(heard, scene)).toBe(placeOf(work, scene));
  });

  test("kube-controller-manager's controllers stand in its frame, and what is none of theirs at its name", () => {
    const work = (id: number, name: string) =>
      step("controllers.reconcile", "kube-controller-manager", {
        id,
        details: { controller: `${name}-controller` },
      });
    const heard = step("controllers.informed", "kube-controller-manager", { id: 9 });
    for (const narrow of [false, true]) {
      const own = [work(1, "deployment"), work(2, "replicaset"), work(3, "endpointslice"), heard];
      const scene = sceneOf([], own, narrow);
      const within = ({
        x,
        y,
        width,
        height,
      }: {
        x: number;
        y: number;
        width: number;
        height: number;
      }) => {
        const frame = scene.manager ?? { x: 0, y: 0, width: 0, height: 0 };
        return (
          x - width / 2 >= frame.x &&
          x + width / 2 <= frame.x + frame.width &&
          y - height / 2 >= frame.y &&
          y + height / 2 <= frame.y + frame.height
        );
      };
      const places = [...scene.places.values()];
      for (const place of places)
        expect(within(place), place.id).toBe(place.id.startsWith("controller "));
      expect(placeOf(heard, scene).name).toBe("kube-controller-manager");
      // Somebody else's stands outside of it.
      const beside = sceneOf(
        [],
        [...own.slice(0, 2), step("x.y", "my-operator", { id: 5 })],
        narrow,
      );
      const box = beside.places.get("controller my-operator");
      const edge = beside.manager && {
        right: beside.manager.x + beside.manager.width,
        bottom: beside.manager.y + beside.manager.height,
      };
      expect(box && edge && (box.x > edge.right || box.y > edge.bottom)).toBe(true);
      // Nothing but others, or nobody yet: no frame.
      expect(sceneOf([], [step("x.y", "my-operator")], narrow).manager?.width).toBeUndefined();
      expect(sceneOf([], [], narrow).manager).toBeUndefined();
    }
  });

  test("draws who does the step that is looked at, of more controllers than have room", () => {
    const many = ["a", "b", "c", "d", "e"].map((name, i) =>
      step("queue.added", name, { id: i + 1 }),
    );
    const asks = step("apiserver.request", "kube-apiserver", { id: 9, cause: 5 });
    const steps = [...many, asks];
    const known = new Map(steps.map((one) => [one.id, one]));
    const from = (at?: TraceStep) => originOf(asks, known, sceneOf([], steps, false, at)).id;
    expect(from()).toBe("more controllers");
    expect(from(asks)).toBe("controller e");
  });

  test("has a place for every step: nothing happens off stage", () => {
    const steps = [
      step("kubectl.request", "kubectl"),
      step("apiserver.request", "kube-apiserver"),
      step("etcd.put", "etcd"),
      step("queue.added", "deployment-controller"),
      step("scheduler.bind", "kube-scheduler"),
      step("cri.RunPodSandbox", "kubelet", { node: "node-1" }),
      step("cri.RunPodSandbox", "kubelet", { node: "node-of-another-day" }),
      step("new.thing", "somebody-new"),
      step("new.thing", ""),
    ];
    const scene = sceneOf(["node-1"], steps.slice(0, 6));
    for (const one of steps) expect(scene.places.has(placeOf(one, scene).id)).toBe(true);
    expect(steps.slice(0, 6).map((one) => placeOf(one, scene).id)).toEqual([
      "kubectl",
      "authentication",
      "etcd",
      "controller deployment-controller",
      "scheduler",
      "node node-1",
    ]);
  });

  test("has a station for every kind of step of the API server, and a request comes in at the first", () => {
    // Each line of it begins with a kind's name, before its variant.
    const lines = readFileSync("core/trace/places.txt", "utf8").match(/^[^\t\n/]+/gm) ?? [];
    const kinds = [...new Set(lines)];
    const server = /^(apiserver|authentication|authorization|admission|validation|registry)\./;
    const scene = sceneOf(["node-1"], []);
    const stations: readonly string[] = STATIONS;
    const first = [];
    for (const kind of kinds.filter((name) => server.test(name))) {
      const one = step(kind, "kube-apiserver");
      const at = placeOf(one, scene).id;
      expect(stations, kind).toContain(at);
      if (at === "authentication") first.push(kind);
      const from = stations.indexOf(originOf(one, new Map(), scene).id);
      expect(from, `${kind} goes back`).toBeLessThanOrEqual(stations.indexOf(at));
    }
    expect(first).toEqual([
      "authentication.accepted",
      "authentication.refused",
      "apiserver.request",
    ]);
  });

  test("another scheduler is another box, at which its pods' steps happen, and no controller", () => {
    let id = 0;
    const of = (name: string, kind: string, profile?: string) =>
      step(`scheduler.${kind}`, "kube-scheduler", {
        id: ++id,
        object: { resource: "pods", namespace: "default", name },
        details: profile ? { profile } : {},
      });
    // As it happens, an attempt is told after its parts.
    const attempt = (name: string, profile?: string) => [
      of(name, "queued", profile),
      of(name, "filter"),
      of(name, "attempt", profile),
      of(name, "bind"),
    ];
    const steps = [...attempt("web"), ...attempt("a", "mine")];
    const scene = sceneOf(["node-1"], steps);
    const at = (told: readonly TraceStep[], drawn: typeof scene) =>
      told.map((one) => placeOf(one, drawn).id);
    expect(at(steps, scene)).toEqual([
      ...Array<string>(4).fill("scheduler"),
      ...Array<string>(4).fill("scheduler mine"),
    ]);
    expect([...scene.places.keys()].filter((name) => name.startsWith("controller "))).toEqual([
      "controller kube-controller-manager",
    ]);
    // Of more than two the one that is looked at is drawn, and how many more there are.
    const third = attempt("b", "theirs");
    const all = [...steps, ...third];
    const last = sceneOf(["node-1"], all);
    expect(at(third, last)).toEqual(Array(4).fill("scheduler theirs"));
    expect(at(steps.slice(-1), last)).toEqual(["more schedulers"]);
    expect(at(steps.slice(-1), sceneOf(["node-1"], all, false, steps.at(-1)))).toEqual([
      "scheduler mine",
    ]);
    // What is not of this command has no box of its own.
    expect(at(third, sceneOf(["node-1"], []))).toEqual(Array(4).fill("scheduler"));
    expect(sceneOf(["node-1"], all).places.get("more schedulers")?.name).toBe(
      "and 1 more scheduler",
    );
  });

  test("turns an invalid object back at validation, and a name that is taken at the storage", () => {
    const scene = sceneOf([], []);
    const at = (kind: string) => placeOf(step(kind, "kube-apiserver"), scene).id;
    expect(at("validation.refused")).toBe("validation");
    expect(at("registry.exists")).toBe("storage");
  });

  test("leads a step from the place of its cause", () => {
    const scene = sceneOf(["node-1"], [step("queue.added", "rs")]);
    const cause = step("etcd.watched", "etcd");
    const told = step("queue.added", "rs", { id: 2, cause: 1 });
    expect(originOf(told, new Map([[1, cause]]), scene).id).toBe("watch cache");
    expect(originOf(told, new Map(), scene).id).toBe("controller rs");
    expect(originOf(step("etcd.put", "etcd"), new Map(), scene).id).toBe("storage");
    // The scheduler asks for a Binding: to no node does it go by itself.
    const bind = step("scheduler.bind", "kube-scheduler", { details: { node: "node-1" } });
    const asked = step("apiserver.request", "kube-apiserver", { id: 2, cause: 1 });
    expect(placeOf(bind, scene).id).toBe("scheduler");
    expect(originOf(asked, new Map([[1, bind]]), scene).id).toBe("scheduler");
  });
});
