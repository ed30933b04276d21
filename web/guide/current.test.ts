import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused } from "../trace/steps.testing.ts";
import type { Block } from "./chapter.ts";
import { beginning, claimsOf, current, proving, shift } from "./current.ts";

test("the claims of a chapter are found in all that it is made of", () => {
  const claim = (kind: string) => ({ type: "step", kind, of: ["so"] }) as const;
  const blocks: Block[] = [
    { type: "about", kind: "z.z", of: ["a Deployment"] },
    { type: "paragraph", text: ["It ", { type: "strong", of: [claim("a.a")] }, " is."] },
    { type: "run", line: "kubectl get pods" },
    { type: "list", ordered: true, items: [["first"], [claim("b.b")]] },
    { type: "table", head: [["x"]], rows: [[[claim("c.c")]]] },
  ] as Block[];
  expect(claimsOf(blocks).map(({ kind }) => kind)).toEqual(["a.a", "b.b", "c.c"]);
});

/* A controller's sync with its request, and what else comes of the event. */
const heard = caused(1, 0, "controllers.informed", { chapter: "controllers" });
const sync = caused(2, 1, "controllers.reconcile", { chapter: "controllers" });
const read = caused(3, 2, "controllers.read", { chapter: "controllers" });
const request = caused(4, 2, "apiserver.request");
const accepted = caused(5, 4, "authentication.accepted", { chapter: "authentication" });
const put = caused(6, 4, "etcd.put");
const watched = caused(7, 6, "etcd.watched");
const next = caused(8, 7, "controllers.informed", { chapter: "controllers" });
const another = caused(9, 8, "controllers.reconcile", { chapter: "controllers" });
const status = caused(10, 2, "apiserver.request");
const story = [heard, sync, read, request, accepted, put, watched, next, another, status];

/** What is marked in a text with these claims when a step is told; of kinds, and the step's number where it matters. */
const marked = (now: TraceStep, chapter: string | undefined, ...kinds: string[]) => {
  const claims = kinds.map((kind) => ({ kind }));
  const found = current(claims, { steps: story, story, now, chapter });
  return found && [found.kind, claims.indexOf(found)];
};

test("now is the claim of the step itself, or of the nearest step that it is a part of", () => {
  const claims = ["controllers.informed", "controllers.reconcile", "apiserver.request"];
  expect(marked(sync, "controllers", ...claims)).toEqual(["controllers.reconcile", 1]);
  // The nearest one.
  expect(marked(accepted, "controllers", ...claims)).toEqual(["apiserver.request", 2]);
  expect(marked(watched, "controllers", ...claims)).toEqual(["apiserver.request", 2]);
  expect(marked(accepted, "controllers", "controllers.reconcile")).toEqual([
    "controllers.reconcile",
    0,
  ]);
});

test("what was done before for the same is not what is done now", () => {
  expect(marked(request, "controllers", "controllers.read")).toBeUndefined();
  expect(marked(accepted, "controllers", "etcd.put")).toBeUndefined();
});

test("what somebody heard of is no part of that: their work is their own", () => {
  expect(marked(next, "controllers", "apiserver.request", "controllers.reconcile")).toBeUndefined();
  expect(marked(another, "controllers", "controllers.informed")).toBeUndefined();
});

test("the mark goes down the text, and back to an earlier sentence only for its own step", () => {
  const claims = ["controllers.reconcile", "controllers.read", "apiserver.request"];
  expect(marked(read, "controllers", ...claims)).toEqual(["controllers.read", 1]);
  // A part of the sync, whose sentence has been left.
  expect(marked(status, "controllers", ...claims)).toBeUndefined();
  expect(marked(read, "controllers", "controllers.read", "controllers.reconcile")).toEqual([
    "controllers.read",
    0,
  ]);
});

test("of several claims of one step the first is marked that is not behind", () => {
  const claims = ["controllers.informed", "controllers.reconcile", "controllers.informed"];
  expect(marked(heard, "controllers", ...claims)).toEqual(["controllers.informed", 0]);
  expect(marked(sync, "controllers", ...claims)).toEqual(["controllers.reconcile", 1]);
});

test("a claim rests on the step that is told slowly, if an earlier one like it is not", () => {
  const idle = caused(1, 0, "controllers.reconcile");
  const own = caused(2, 0, "controllers.reconcile");
  const of = { steps: [idle, own] };
  expect(proving({ ...of, story: [own] }, "controllers.reconcile")).toBe(own);
  expect(proving({ ...of, story: [] }, "controllers.reconcile")).toBe(idle);
});

test("where another chapter is read nothing is now but the step itself", () => {
  expect(marked(accepted, undefined, "controllers.reconcile")).toBeUndefined();
  expect(marked(put, undefined, "etcd.put")).toEqual(["etcd.put", 0]);
});

test("a claim comes into sight with its whole paragraph, which is read from its beginning", () => {
  const sight = { top: 100, bottom: 500 };
  const at = (top: number, bottom: number) => ({ top, bottom });
  expect(shift(at(200, 220), at(150, 300), sight)).toBe(0);
  // Its beginning is above the edge, or its end below it.
  expect(shift(at(200, 220), at(60, 300), sight)).toBe(-44);
  expect(shift(at(450, 470), at(400, 560), sight)).toBe(296);
  // It is higher than there is room, with the claim near its beginning, and far from it.
  expect(shift(at(200, 220), at(90, 600), sight)).toBe(-14);
  expect(shift(at(200, 220), at(108, 600), sight)).toBe(0);
  expect(shift(at(800, 820), at(150, 900), sight)).toBe(600);
  expect(shift(at(400, 420), at(-200, 600), sight)).toBe(0);
});

test("a chapter begins with the step that comes to it, and not with a request that is around others", () => {
  const around = caused(1, 0, "apiserver.request");
  const story = [around, caused(2, 1, "etcd.put"), caused(3, 2, "etcd.watched")];
  expect(beginning({ steps: story, story }, "etcd")?.id).toBe(2);
  expect(beginning({ steps: story, story }, "cni")).toBeUndefined();
});
