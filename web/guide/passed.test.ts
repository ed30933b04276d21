import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { isLast, passedBefore, stopsOf } from "./passed.ts";

const chapters = ["kubectl", "authorization", "etcd", "initializers", "controllers", "wrap-up"].map(
  (name) => ({ name, title: name, component: "c" }),
);
const lit = (...names: string[]) =>
  new Map(names.map((name, i) => [name, { after: i, until: i, steps: 2 + i }]));

test("a chapter says which were passed by on the way from the one before", () => {
  const came = lit("kubectl", "authorization", "etcd", "controllers");
  const stops = new Set(came.keys());
  expect(passedBefore(chapters, 4, stops, came)).toEqual([{ at: 3, steps: 0 }]);
  for (const at of [0, 1, 2]) expect(passedBefore(chapters, at, stops, came)).toEqual([]);
  // One that was passed by has nobody to say it to.
  expect(passedBefore(chapters, 3, stops, came)).toEqual([]);
});

test("one at which the story does not stop, though steps are there, is said to be so", () => {
  const came = lit("kubectl", "authorization", "etcd", "controllers");
  const stops = new Set(["kubectl", "authorization", "controllers"]);
  expect(passedBefore(chapters, 4, stops, came)).toEqual([
    { at: 2, steps: 4 },
    { at: 3, steps: 0 },
  ]);
});

test("the last chapter that a command comes to is known, if there are others behind it", () => {
  const last = (stops: readonly string[], came = lit(...stops)) =>
    chapters.map((_, at) => isLast(chapters, at, new Set(stops), came)).indexOf(true);
  expect(last(["kubectl", "authorization"])).toBe(1);
  // A request that was refused ends in a chapter behind it, at which nothing stops.
  expect(last(["kubectl", "authorization"], lit("kubectl", "authorization", "etcd"))).toBe(1);
  expect(last([])).toBe(-1);
  // The last of all has none behind it, and one whose container runs goes on to it.
  expect(last(["kubectl", "wrap-up"])).toBe(-1);
  expect(last(["kubectl"], lit("kubectl", "wrap-up"))).toBe(-1);
});

test("a story stops where a step opens its chapter: a request that goes around others opens none", () => {
  const step = (id: number, kind: string, chapter: string): TraceStep => ({
    id,
    at: id,
    kind,
    component: "c",
    chapter,
  });
  const told = [step(1, "kubectl.command", "kubectl"), step(2, "apiserver.request", "etcd")];
  expect([...stopsOf(told)]).toEqual(["kubectl"]);
});
