import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import type { Block } from "./chapter.ts";
import { claimsOf, current } from "./current.ts";

const step = (id: number, kind: string, took = 0): TraceStep => ({
  id,
  at: id * 10,
  took,
  component: "c",
  kind,
  chapter: "etcd",
});

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

test("now is the claim whose step is told, or the last one that was passed in its chapter", () => {
  const request = step(1, "apiserver.request", 65);
  const put = step(3, "etcd.put");
  const watched = step(5, "etcd.watched");
  const claims = [watched, request, put].map(({ kind }) => ({ kind }));
  const steps = [request, put, watched, step(9, "etcd.put")];
  expect(current(claims, steps, put, true)).toBe(put);
  expect(current(claims, steps, step(4, "x.y"), true)).toBe(put);
  expect(current(claims, steps, step(6, "x.y"), true)).toBe(watched);
  // It has ended, and the answer with it.
  expect(current(claims, steps, step(8, "x.y"), true)).toBe(request);
  expect(current(claims, steps, step(0, "x.y"), true)).toBeUndefined();
});

test("nothing is now where another chapter's step is told, but that step itself", () => {
  const put = step(3, "etcd.put");
  expect(current([{ kind: "etcd.put" }], [put], step(4, "x.y"), false)).toBeUndefined();
  expect(current([{ kind: "etcd.put" }], [put], put, false)).toBe(put);
});
