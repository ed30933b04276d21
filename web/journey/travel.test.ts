import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { step } from "../trace/steps.testing.ts";
import { sceneOf, STATIONS } from "./scene.ts";
import { Travel, type Trip } from "./travel.ts";

/** A request of kubectl's in the order in which its steps are told: what is around others ends after them. */
const asked = step(2, "kubectl.request", { component: "kubectl", cause: 1, took: 40 });
const request = step(3, "apiserver.request", { component: "kube-apiserver", cause: 2, took: 30 });
const authentication = step(4, "authentication.accepted", { cause: 3 });
const admission = step(5, "admission.mutating", { cause: 3, took: 500 });
const put = step(6, "etcd.put", { component: "etcd", cause: 3, at: 510 });
const watched = step(7, "etcd.watched", { component: "etcd", cause: 6, at: 511 });
const heard = step(8, "kubelet.syncPod", { cause: 7, at: 512, node: "node-1" });

const scene = sceneOf(["node-1"], []);

/** Takes steps as they come, each at its time, and gives the trips. */
function taken(...comes: readonly (readonly [now: number, ...steps: TraceStep[]])[]): Trip[] {
  const travel = new Travel();
  const known = new Map<number, TraceStep>();
  return comes.flatMap(([now, ...fresh]) => {
    for (const one of fresh) known.set(one.id, one);
    return travel.take(fresh, now, known, scene);
  });
}

/** The places that a dot comes to. */
function places({ points }: Trip): string[] {
  const found = points.flatMap(({ x, y }) =>
    [...scene.places.values()].filter((place) => place.x === x && place.y === y),
  );
  return found.map(({ id }) => id).filter((id, i, all) => id !== all[i - 1]);
}

describe("what is said as it happens", () => {
  const command = step(1, "kubectl.command", { at: 0 });
  const exit = step(9, "kubectl.exit", { component: "kubectl", cause: 1, at: 520 });
  const told = [command, asked, request, authentication, admission, put, exit];
  const known = new Map(told.map((one) => [one.id, one]));

  test("is a request once its dot sets out, its parts as it comes there, and then what began later", () => {
    const travel = new Travel();
    travel.take([command], 0, known, scene);
    // What a request is made of is told before the request.
    travel.take([authentication, admission, put], 0, known, scene);
    expect(travel.lastSaid([command, authentication, admission, put], 0)).toBe(command);
    const [trip] = travel.take([request, asked, exit], 10, known, scene);
    if (!trip) throw new Error("nothing moves");
    const sets = 10 + trip.delay;
    const end = sets + trip.lasts;
    const said = [sets, sets + 60, sets + 530, end - 1, end].map(
      (now) => travel.lastSaid(told, now)?.id,
    );
    expect(said).toEqual([request.id, authentication.id, admission.id, admission.id, exit.id]);
    expect(travel.rests).toBe(end);
  });

  test("does not wait for a request that goes on, as a watch does", () => {
    const travel = new Travel();
    travel.take([command, authentication, exit], 0, known, scene);
    expect(travel.lastSaid([command, authentication, exit], 0)).toBe(exit);
    expect(travel.lastSaid([command, authentication], 0)).toBe(command);
    travel.clear();
    expect(travel.lastSaid([command, authentication], 0)).toBe(authentication);
  });
});

describe("what moves", () => {
  test("is one dot for a request, through all stations to etcd, and longer where that took longer", () => {
    const trips = taken([0, authentication, admission, put], [10, request], [20, asked]);
    const [trip, ...more] = trips;
    if (!trip) throw new Error("nothing moves");
    expect(more).toEqual([]);
    expect(places(trip)).toEqual(["kubectl", ...STATIONS, "etcd"]);
    expect(trip.step).toBe(request);
    expect(trip.offsets).toHaveLength(trip.points.length);
    expect([...trip.offsets].sort((a, b) => a - b)).toEqual(trip.offsets);
    const when = (id: string) => {
      const { x, y } = scene.places.get(id) ?? { x: 0, y: 0 };
      return trip.lasts * (trip.offsets[trip.points.findIndex((p) => p.x === x && p.y === y)] ?? 0);
    };
    // Five ways take 60 ms each, that to admission as long as its plugins took, within bounds.
    expect(when("authorization") - when("authentication")).toBeCloseTo(60);
    expect(when("admission") - when("authorization")).toBeCloseTo(400);
    expect(trip.lasts).toBeLessThan(800);
  });

  test("begins when its cause has arrived, which is told after it", () => {
    const all = [authentication, put, watched, heard];
    expect(taken([0, ...all])).toEqual([]);
    const trips = taken([0, ...all], [10, request], [20, asked]);
    expect(trips.map((one) => places(one).at(-1))).toEqual(["etcd", "watch cache", "node node-1"]);
    const [first, second, third] = trips;
    if (!first || !second || !third) throw new Error("nothing moves");
    expect(second.delay).toBe(first.delay + first.lasts);
    expect(third.delay).toBeLessThanOrEqual(800);
    expect(third.delay).toBeGreaterThanOrEqual(second.delay);
  });

  test("does not wait for ever for what is not told", () => {
    const [trip] = taken([0, watched], [100], [299], [300]);
    expect(trip && places(trip)).toEqual(["etcd", "watch cache"]);
    expect(taken([0, put], [200]).length).toBe(0);
    expect(taken([0, put], [301]).map(places)).toEqual([["storage", "etcd"]]);
  });

  test("turns back where the request was refused", () => {
    const refused = step(6, "admission.refused", { cause: 3 });
    const [trip] = taken([0, authentication, admission, refused, request, asked]);
    const way = ["kubectl", "authentication", "authorization", "admission"];
    expect(trip && places(trip)).toEqual([...way, ...way.slice(0, -1).reverse()]);
  });

  test("goes back with its answer to who asked, the same way, and what it wrote does not wait for that", () => {
    const answered = { ...request, details: { verb: "create", code: 201 } };
    const all = [authentication, admission, put, watched];
    const trips = taken([0, ...all], [10, answered], [20, asked]);
    const [trip, told] = trips;
    if (!trip || !told) throw new Error("nothing moves");
    const way = ["kubectl", ...STATIONS, "etcd"];
    expect(places(trip)).toEqual([...way, ...way.slice(0, -1).reverse()]);
    expect(trip.code).toBe("201");
    // Six ways back.
    expect(trip.lasts - trip.there).toBe(240);
    expect(told.delay).toBe(trip.delay + trip.there);
    const { x, y } = scene.places.get("etcd") ?? { x: 0, y: 0 };
    const at = trip.points.findLastIndex((point) => point.x === x && point.y === y);
    expect((trip.offsets[at] ?? 0) * trip.lasts).toBeCloseTo(trip.there);
    expect(trip.offsets.at(-1)).toBe(1);
    // What has no answer stays where it came to.
    const [silent] = taken([0, ...all], [10, request], [20, asked]);
    expect(silent).toMatchObject({ code: "", lasts: silent?.there });
  });

  test("goes where a read is answered from", () => {
    const authorization = step(5, "authorization.allowed", { cause: 3 });
    const from = (place: string) => {
      const details = { handler: "List", from: place, items: 3 };
      const answer = step(6, "apiserver.handler", { cause: 3, details });
      const [trip] = taken([0, authentication, authorization, answer, request, asked]);
      return trip && places(trip).slice(-2);
    };
    // Nobody admits or validates it.
    expect(from("watch cache")).toEqual(["authorization", "watch cache"]);
    expect(from("etcd")).toEqual(["authorization", "etcd"]);
  });

  test("draws a Binding's line to the node, once that is stored", () => {
    const bind = step(2, "scheduler.bind", { details: { node: "node-1" } });
    const binding = { ...request, object: { resource: "pods", subresource: "binding" } };
    const [trip] = taken([0, bind, put, binding]);
    const node = scene.places.get("node node-1");
    expect(trip && places(trip).at(0)).toBe("scheduler");
    expect(trip?.binds.at(-1)).toEqual({ x: (node?.x ?? 0) - (node?.width ?? 0) / 2, y: node?.y });
    const [refused] = taken([0, bind, binding]);
    expect(refused?.binds).toEqual([]);
  });

  test("is bounded: what never gets its request is forgotten", () => {
    const travel = new Travel();
    const known = new Map<number, TraceStep>();
    for (let id = 10; id < 20_000; id++)
      travel.take([step(id, "etcd.put", { cause: id + 100_000 })], id, known, scene);
    expect(travel.waits).toBe(true);
    expect(travel.take([], 50_000, known, scene).length).toBeLessThanOrEqual(300);
    expect(travel.waits).toBe(false);
  });
});
