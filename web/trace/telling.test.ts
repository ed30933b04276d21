import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { Store } from "../state/store.ts";
import { Telling } from "./telling.ts";

const NGINX = "kubectl create deployment nginx --image=nginx";
const NOTHING = "kubectl create deployment nothing";

/** A cluster's trace, and a terminal in which lines are run. */
class Stage {
  readonly steps = new Map<number, TraceStep>();
  readonly version = new Store<number, "more">((old) => old + 1, 0);
  readonly telling = new Telling(this);

  tree(id: number) {
    return [...this.steps.values()]
      .filter((step) => step.id === id || step.cause === id)
      .map((step) => ({ step, depth: step.id === id ? 0 : 1 }));
  }

  /** Runs a line, which writes unless it is said what else it does. */
  run(line: string, does = "etcd.put"): number {
    const at = this.steps.size * 1000;
    const run = { line, session: "main", began: at, ended: at + 200 };
    this.telling.ran(run);
    return this.command(line, does);
  }

  /** What a line runs. */
  command(line: string, does = "etcd.put"): number {
    const at = this.steps.size * 1000;
    const id = this.steps.size + 1;
    const details = { line: line.trim(), session: "main" };
    const kind = "kubectl.command";
    this.steps.set(id, { id, at, component: "kubectl", kind, chapter: "kubectl", details });
    this.steps.set(id + 1, { id: id + 1, at, cause: id, component: "c", kind: does, chapter: "c" });
    this.version.dispatch("more");
    return id;
  }

  press(line: string, does?: string): number {
    this.telling.pressed(line);
    return this.run(line, does);
  }

  get told() {
    return this.telling.command?.id;
  }
}

test("what is typed is told; a box of the guide runs beside it", () => {
  const stage = new Stage();
  expect(stage.told).toBeUndefined();
  const nginx = stage.run(NGINX);
  expect(stage.told).toBe(nginx);
  const nothing = stage.press(NOTHING, "kubectl.refused");
  expect(stage.told).toBe(nginx);
  expect(stage.telling.later?.id).toBe(nothing);
  stage.press("kubectl delete pods -l app=nginx\nkubectl get pods");
  expect(stage.told).toBe(nginx);
  const scale = stage.run("kubectl scale deployment nginx --replicas=2");
  expect(stage.told).toBe(scale);
  expect(stage.telling.later).toBeUndefined();
});

test("a box that is pressed is one run of its line; the same line typed is told", () => {
  const stage = new Stage();
  const nginx = stage.run(NGINX);
  stage.telling.pressed(NOTHING);
  stage.run(`  ${NOTHING} `, "kubectl.refused");
  expect(stage.told).toBe(nginx);
  const typed = stage.run(NOTHING, "kubectl.refused");
  expect(stage.told).toBe(typed);
});

test("where nothing was typed the first box that did something is told", () => {
  const stage = new Stage();
  stage.press("kubectl get pods", "kubectl.exit");
  const first = stage.press("kubectl create namespace small");
  stage.press("kubectl run huge --image=nginx");
  expect(stage.told).toBe(first);
});

test("what is chosen is told until something is typed, or for as long as it is replayed", () => {
  const stage = new Stage();
  const nginx = stage.run(NGINX);
  const scale = stage.run("kubectl scale deployment nginx --replicas=2");
  stage.telling.choose(nginx);
  expect(stage.told).toBe(nginx);
  stage.press("kubectl run huge --image=nginx");
  stage.run("kubectl get pods", "kubectl.exit");
  expect(stage.told).toBe(nginx);
  stage.telling.choose(undefined);
  expect(stage.told).toBe(scale);
  stage.telling.choose(nginx);
  const web = stage.run("kubectl create deployment web --image=nginx");
  expect(stage.told).toBe(web);
  stage.telling.hold(nginx);
  const other = stage.run("kubectl create deployment other --image=nginx");
  expect(stage.told).toBe(nginx);
  stage.telling.release();
  expect(stage.told).toBe(other);
});

test("what is not held any more is told no longer", () => {
  const stage = new Stage();
  const nginx = stage.run(NGINX);
  const web = stage.run("kubectl create deployment web --image=nginx");
  stage.telling.choose(nginx);
  stage.steps.delete(nginx);
  expect(stage.told).toBe(web);
});

test("of a line with several commands the first that did something is told, and the others are known", () => {
  const stage = new Stage();
  const before = stage.run(NGINX);
  const run: { line: string; session: string; began: number; ended?: number } = {
    line: "kubectl get pods; kubectl delete pod a --wait=false; kubectl delete pod b --wait=false",
    session: "main",
    began: stage.steps.size * 1000,
  };
  stage.telling.ran(run);
  stage.command("kubectl get pods", "kubectl.exit");
  expect(stage.told).toBe(before);
  const a = stage.command("kubectl delete pod a --wait=false", "etcd.delete");
  expect(stage.told).toBe(a);
  const b = stage.command("kubectl delete pod b --wait=false", "etcd.delete");
  run.ended = stage.steps.size * 1000;
  expect(stage.told).toBe(a);
  expect(stage.telling.line.map(({ id }) => id)).toEqual([a, b]);
  // One of them that is chosen stays, and the next line begins anew.
  stage.telling.choose(b);
  expect(stage.told).toBe(b);
  expect(stage.telling.line.map(({ id }) => id)).toEqual([a, b]);
  const scale = stage.run("kubectl scale deployment nginx --replicas=2");
  expect(stage.told).toBe(scale);
  expect(stage.telling.line.map(({ id }) => id)).toEqual([scale]);
});

test("of a line whose first command was turned back the next one is told", () => {
  const stage = new Stage();
  const line = `${NOTHING}; ${NGINX}`;
  stage.telling.ran({ line, session: "main", began: 0, ended: 9000 });
  const refused = stage.command(NOTHING, "kubectl.refused");
  expect(stage.told).toBe(refused);
  expect(stage.command(NGINX)).toBe(stage.told);
});
