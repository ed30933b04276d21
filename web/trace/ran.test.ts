import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { commandsOf } from "./ran.ts";

function command(id: number, at: number, line: string, session = "here"): TraceStep {
  const kind = "kubectl.command";
  return { id, at, component: "kubectl", kind, chapter: "kubectl", details: { line, session } };
}

const ids = (line: string, began: number, ended?: number) =>
  commandsOf({ line, session: "here", began, ...(ended === undefined ? {} : { ended }) }, [
    command(1, 1000, "kubectl create deployment nginx"),
    command(2, 1500, "kubectl get pods"),
    command(3, 1600, "kubectl describe pod x"),
    command(4, 9000, "kubectl get pods"),
    command(5, 1000, "kubectl create deployment nginx", "another terminal"),
    command(6, 1500, "kubectl get pods", ""),
  ]).map(({ id }) => id);

test("a line's commands are those that began while it ran", () => {
  expect(ids("kubectl create deployment nginx", 990, 1020)).toEqual([1]);
  expect(ids("k get pods -w", 1400)).toEqual([2, 4]);
  expect(ids("kubectl get pods", 1400, 1700)).toEqual([2]);
});

test("what another terminal, or the page, ran meanwhile is not its own", () => {
  expect(ids("kubectl describe pod x", 1400, 1700)).toEqual([3]);
  expect(ids("kubectl get pods; kubectl describe pod x", 1400, 1700)).toEqual([2, 3]);
});

test("a line that only runs a file may run anything", () => {
  expect(ids("sh all.sh", 900, 1700)).toEqual([1, 2, 3]);
  expect(ids("ls", 2000, 2100)).toEqual([]);
});
