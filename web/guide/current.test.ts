import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import type { Block } from "./chapter.ts";
import { claimsOf, current } from "./current.ts";

const step = (id: number, kind: string, cause = 0): TraceStep => ({
  id,
  at: id * 10,
  component: "c",
  kind,
  chapter: "etcd",
  ...(cause ? { cause } : {}),
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

/** A request of a controller's sync, and what the server does for it. */
const sync = step(1, "controllers.reconcile");
const request = step(2, "apiserver.request", 1);
const accepted = step(3, "authentication.accepted", 2);
const put = step(4, "etcd.put", 2);
const watched = step(5, "etcd.watched", 4);
const other = step(6, "scheduler.attempt");
const all = [sync, request, accepted, put, watched, other];

const marked = (told: TraceStep, here: boolean, ...kinds: string[]) =>
  current(
    kinds.map((kind) => ({ kind })),
    all,
    told,
    here,
  );

test("now is the claim whose step is told, or that of what it is a part of or came of", () => {
  expect(marked(put, true, "etcd.put", "controllers.reconcile")).toBe(put);
  // The nearest one.
  expect(marked(accepted, true, "controllers.reconcile", "apiserver.request")).toBe(request);
  expect(marked(accepted, true, "controllers.reconcile")).toBe(sync);
  // What is done for a request is done for its write.
  expect(marked(request, true, "controllers.reconcile", "etcd.put")).toBe(put);
});

test("of what is done one after the other for the same, now is the last that was passed", () => {
  expect(marked(put, true, "authentication.accepted")).toBe(accepted);
  expect(marked(accepted, true, "etcd.watched", "controllers.reconcile")).toBe(sync);
});

test("nothing is now where what is told has nothing to do with the chapter's claims", () => {
  expect(marked(other, true, "etcd.put", "controllers.reconcile")).toBeUndefined();
  expect(marked(accepted, false, "controllers.reconcile")).toBeUndefined();
  expect(marked(put, false, "etcd.put")).toBe(put);
});
