import { expect, test } from "vitest";
import { Boxes } from "./boxes.ts";

const at = (boxes: Boxes, names: string, wrote = "", command = 1) => [
  ...boxes.of(command, of(names), new Set(of(wrote))),
];
const of = (names: string) =>
  names
    .split(" ")
    .filter(Boolean)
    .map((name) => KNOWN[name] ?? `${name} controller`);
const KNOWN: Readonly<Record<string, string>> = {
  d: "deployment controller",
  r: "replicaset controller",
  g: "garbage-collector controller",
  e: "endpointslice controller",
  p: "endpoints controller",
  mine: "my-operator",
};
const boxes = (names: string) =>
  names.split(" ").map((name) => (name === "_" ? undefined : of(name)[0]));

test("a controller keeps its box while others come, and who only looked gives it to who writes", () => {
  const all = new Boxes();
  expect(at(all, "g")).toEqual(boxes("_ _ g"));
  expect(at(all, "g d", "d")).toEqual(boxes("d _ g"));
  expect(at(all, "g d n", "d")).toEqual(boxes("d n g"));
  expect(at(all, "g d n r", "d r")).toEqual(boxes("d r g"));
  expect(at(all, "g d n r e", "d r e")).toEqual(boxes("d r e"));
  // There is no room for one more.
  expect(at(all, "g d n r e x", "d r e x")).toEqual(boxes("d r e"));
});

test("who looked first and writes later stays where it is", () => {
  const all = new Boxes();
  expect(at(all, "d")).toEqual(boxes("d _ _"));
  expect(at(all, "d r", "r d")).toEqual(boxes("d r _"));
});

test("a controller has the same box with every command, whoever came before it, and on every page", () => {
  const commands = [
    ["g d r", "d r"],
    ["g e p d r", "p e d r"],
    ["p e g", "e"],
    ["g", ""],
    ["d r g", "g"],
    ["x g", "x"],
    ["r d g x", "r d"],
  ] as const;
  const places = new Map<string, Set<number>>();
  for (const order of [commands, [...commands].reverse()]) {
    const all = new Boxes();
    order.forEach(([names, wrote], i) => {
      at(all, names, wrote, i).forEach((name, to) => {
        if (name) places.set(name, (places.get(name) ?? new Set()).add(to));
      });
    });
  }
  const of = (name: string) => [...(places.get(`${name} controller`) ?? [])];
  expect([of("deployment"), of("replicaset"), of("endpointslice")]).toEqual([[0], [1], [2]]);
  expect(of("garbage-collector")).toEqual([2]);
});

test("of two who share a place and both write the same one has it, whoever came first", () => {
  expect(at(new Boxes(), "g e p", "g e p")).toEqual(boxes("g p e"));
  const all = new Boxes();
  at(all, "g", "g");
  expect(at(all, "g e p", "g e p")).toEqual(boxes("g p e"));
});

test("one that nobody knows keeps the box that it had first, while the page is open", () => {
  const all = new Boxes();
  expect(at(all, "g x", "x", 1)).toEqual(boxes("_ x g"));
  expect(at(all, "x", "x", 2)).toEqual(boxes("_ x _"));
  // A Deployment's way has its places: whoever stood in one of them and only looks is counted.
  expect(at(all, "x d r g", "", 3)).toEqual(boxes("d r g"));
});

test("who is not kube-controller-manager's stands at the end", () => {
  const all = new Boxes();
  expect(at(all, "mine d r", "mine d r")).toEqual(["d", "r", "mine"].map((name) => of(name)[0]));
});

test("who does what is looked at has the box of one who only looked, and the others stay", () => {
  const all = new Boxes();
  const wrote = new Set(of("d r"));
  const stand = at(all, "g d r x", "d r");
  expect(stand).toEqual(boxes("d r g"));
  expect(all.withActing(stand, of("x"), wrote)).toEqual(boxes("d r x"));
  expect(all.withActing(stand, of("x g"), wrote)).toEqual(boxes("d x g"));
  expect(all.withActing(stand, of("d"), wrote)).toEqual(stand);
});

test("who has been drawn once stays at its place, at rest, as long as nobody who acts needs that", () => {
  const all = new Boxes();
  const rest = (names: string, wrote = "", command = 1) =>
    all.withResting(at(all, names, wrote, command));
  expect(rest("")).toEqual(boxes("_ _ _"));
  expect(rest("d r", "d r", 2)).toEqual(boxes("d r _"));
  expect(rest("g", "g", 3)).toEqual(boxes("d r g"));
  // Another command has its places, and none for who rests there.
  expect(rest("namespace p", "namespace p", 4)).toEqual(boxes("namespace p g"));
  expect(rest("", "", 5)).toEqual(boxes("d r g"));
  expect(all.withResting(all.withActing(at(all, "x", "", 6), of("x"), new Set()))).toEqual(
    boxes("d r x"),
  );
  // Who is not kube-controller-manager's may be gone.
  const other = new Boxes();
  other.withResting(at(other, "mine d", "mine d", 1));
  expect(other.withResting(at(other, "", "", 2))).toEqual(boxes("d _ _"));
});
