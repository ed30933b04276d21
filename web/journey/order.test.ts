import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { inOrder } from "./order.ts";

const step = (id: number, at: number, kind: string, cause = 0): TraceStep => ({
  id,
  at,
  kind,
  component: "c",
  chapter: "etcd",
  ...(cause ? { cause } : {}),
});

const ids = (steps: readonly TraceStep[]) => inOrder(steps).map(({ id }) => id);

/** Two requests that are under way at once; the first one writes last. */
const CROSSED = [
  step(1, 0, "kubectl.command"),
  step(10, 1, "apiserver.request", 1),
  step(11, 2, "authentication.accepted", 10),
  step(20, 3, "apiserver.request", 1),
  step(12, 4, "admission.mutating", 10),
  step(21, 5, "authentication.accepted", 20),
  step(22, 6, "etcd.put", 20),
  step(23, 7, "etcd.watched", 22),
  step(13, 8, "etcd.put", 10),
  step(14, 9, "etcd.watched", 13),
];

describe("the order in which a command is told", () => {
  test("has each request in one piece, where it writes", () => {
    expect(ids(CROSSED)).toEqual([1, 20, 21, 22, 23, 10, 11, 12, 13, 14]);
  });

  test("is the same whatever the order in which the steps came, and that of what is ordered already", () => {
    const [first, ...rest] = CROSSED;
    if (!first) throw new Error("a test's steps are missing");
    expect(ids([first, ...rest.reverse()])).toEqual(ids(CROSSED));
    const ordered = inOrder(CROSSED);
    expect(inOrder(ordered)).toBe(ordered);
    expect(ids([...ordered])).toEqual(ids(CROSSED));
  });

  test("has a request that writes nothing where the last of its parts began", () => {
    const refused = [
      step(1, 0, "kubectl.command"),
      step(10, 1, "apiserver.request", 1),
      step(30, 2, "kubelet.status", 1),
      step(11, 3, "admission.refused", 10),
      step(31, 4, "kubelet.status", 1),
    ];
    expect(ids(refused)).toEqual([1, 30, 10, 11, 31]);
  });

  test("has what a request asks of others, a webhook's request too, not before it, and what comes after its write later", () => {
    const steps = [
      step(1, 0, "kubectl.command"),
      step(10, 1, "apiserver.request", 1),
      step(20, 2, "apiserver.request", 10),
      step(21, 3, "authorization.allowed", 20),
      step(30, 4, "kubelet.status", 1),
      step(11, 5, "etcd.put", 10),
      step(40, 6, "kubelet.status", 1),
      step(12, 7, "apiserver.audit", 10),
    ];
    expect(ids(steps)).toEqual([1, 30, 10, 20, 21, 11, 40, 12]);
  });

  test("has a name that was found taken before what is read to say so", () => {
    const steps = [
      step(1, 0, "kubectl.command"),
      step(10, 1, "apiserver.request", 1),
      step(11, 2, "admission.validating", 10),
      step(12, 3, "registry.exists", 10),
      step(13, 4, "etcd.put", 10),
    ];
    expect(ids(steps)).toEqual([1, 10, 11, 13, 12]);
  });

  test("has the way through a registry where it comes to the write, and a clock that is behind ends nothing", () => {
    const steps = [
      step(1, 5, "kubectl.command"),
      step(10, 1, "apiserver.request", 1),
      step(11, 2, "registry.stored", 10),
      step(12, 3, "admission.validating", 10),
      step(13, 4, "etcd.put", 10),
    ];
    expect(ids(steps)).toEqual([1, 10, 12, 11, 13]);
    expect(inOrder([])).toEqual([]);
  });
});
