import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import {
  caused,
  chapterOf,
  commands,
  done,
  justHappened,
  lastTelling,
  reached,
  top,
} from "./told.ts";
import { earlierLike, firstLike } from "./proof.ts";

/** Steps with the tree that they make. */
class Told {
  readonly steps = new Map<number, TraceStep>();

  add(cause: number, kind: string, chapter = "etcd", details?: unknown): number {
    const id = this.steps.size + 1;
    const step = { id, at: id * 10, component: "c", kind, chapter, details };
    this.steps.set(id, cause === 0 ? step : { ...step, cause });
    return id;
  }

  tree(id: number): { step: TraceStep; depth: number }[] {
    const walk = (step: TraceStep, depth: number): { step: TraceStep; depth: number }[] => [
      { step, depth },
      ...[...this.steps.values()]
        .filter(({ cause, id }) => cause === step.id && id > step.id)
        .flatMap((next) => walk(next, depth + 1)),
    ];
    const root = this.steps.get(id);
    return root ? walk(root, 0) : [];
  }
}

test("a command that only looks does not hide the one before it that wrote", () => {
  const told = new Told();
  expect(lastTelling(told)).toBeUndefined();
  const look = told.add(0, "kubectl.command", "kubectl");
  expect(lastTelling(told)?.id).toBe(look);
  const create = told.add(0, "kubectl.command", "kubectl");
  told.add(create, "etcd.put");
  told.add(0, "kubectl.command", "kubectl");
  expect(lastTelling(told)?.id).toBe(create);
  expect(commands(told.steps).length).toBe(3);
});

test("what Tab asks kubectl is no command that was typed", () => {
  const told = new Told();
  const get = told.add(0, "kubectl.command", "kubectl", { line: "kubectl get pods" });
  told.add(0, "kubectl.command", "kubectl", { line: "kubectl __complete get po" });
  expect(commands(told.steps).map(({ id }) => id)).toEqual([get]);
});

test("a refusal is what just happened until somebody goes on", () => {
  const told = new Told();
  const now = () => justHappened(told, commands(told.steps))?.id;
  told.add(0, "kubectl.command", "kubectl");
  expect(now()).toBeUndefined();
  const create = told.add(0, "kubectl.command", "kubectl");
  told.add(create, "etcd.put");
  const refused = told.add(0, "kubectl.command", "kubectl");
  told.add(refused, "kubectl.refused", "kubectl");
  expect(now()).toBe(refused);
  told.add(0, "kubectl.command", "kubectl");
  expect(now()).toBe(create);
});

test("the chapters that a command has come to, and the first step of each kind", () => {
  const told = new Told();
  const create = told.add(0, "kubectl.command", "kubectl");
  const first = told.add(create, "etcd.put");
  told.add(first, "etcd.put");
  const steps = caused(told, create);
  expect([...reached(steps, 10)]).toEqual([
    ["kubectl", { after: 0, until: 0, steps: 1 }],
    ["etcd", { after: 10, until: 20, steps: 2 }],
  ]);
  expect(firstLike(steps, "etcd.put")?.id).toBe(first);
  expect(firstLike(steps, "etcd.put", "pods")).toBeUndefined();
  const late = { kind: "kubelet.event", details: { reason: "DeadlineExceeded" } };
  const events = [{ kind: "kubelet.event", details: { reason: "Pulled" } }, late] as TraceStep[];
  expect(firstLike(events, "kubelet.event", "DeadlineExceeded")).toBe(late);
  const role = { kind: "controllers.informed", details: { type: "v1.RoleBinding" } } as TraceStep;
  expect(firstLike([role], "controllers.informed", "RoleBinding")).toBe(role);
  expect(firstLike([role], "controllers.informed", "Role")).toBeUndefined();
  expect(top(told.steps, 3)).toBe(create);
});

test("the report of a pod that is ready is none of those before it", () => {
  const reports = ["Pending", "Pending", "Running"].map((phase, at) => ({
    kind: "kubelet.status",
    details: { phase, conditions: ["PodScheduled=True", `Ready=${at === 2 ? "True" : "False"}`] },
  })) as unknown as TraceStep[];
  const [first, , ready] = reports;
  expect(firstLike(reports, "kubelet.status")).toBe(first);
  expect(firstLike(reports, "kubelet.status", "Ready")).toBe(ready);
  expect(firstLike(reports.slice(0, 2), "kubelet.status", "Ready")).toBeUndefined();
  const odd = [{ kind: "kubelet.status", details: { conditions: "Ready=True" } }] as TraceStep[];
  expect(firstLike(odd, "kubelet.status", "Ready")).toBeUndefined();
});

test("a request is in its chapter when what it goes around has been, and the last one when a container runs", () => {
  const told = new Told();
  const create = told.add(0, "kubectl.command", "kubectl");
  const request = told.add(create, "apiserver.request");
  told.add(request, "authentication.accepted", "authentication");
  const start = told.add(request, "cri.StartContainer", "startup");
  const steps = caused(told, create).map((step) => ({ ...step, took: 25 }));
  const chapters = reached(steps, steps[0]?.at ?? 0);
  const after = (name: string) => chapters.get(name)?.after ?? -1;
  expect(after("etcd")).toBeGreaterThan(after("authentication"));
  const started = steps.find(({ id }) => id === start);
  expect(after("wrap-up")).toBe((started?.at ?? 0) - (steps[0]?.at ?? 0) + 25);
  expect(reached(steps.slice(0, 2), 0).has("wrap-up")).toBe(false);
});

test("what a controller does within a request is admission's, and Controllers begin behind the write", () => {
  const told = new Told();
  const create = told.add(0, "kubectl.command", "kubectl");
  const request = told.add(create, "apiserver.request");
  const validating = told.add(request, "admission.validating", "admission");
  // Of the API server's own quota controller.
  const quota = told.add(validating, "controllers.reconcile", "controllers");
  told.add(quota, "controllers.read", "controllers");
  const put = told.add(request, "etcd.put");
  const informed = told.add(put, "controllers.informed", "controllers");
  const sync = told.add(informed, "controllers.reconcile", "controllers");
  told.add(put, "controllers.reconcile", "controllers");
  const chapters = reached(caused(told, create), 10);
  expect(chapters.get("admission")).toEqual({ after: 20, until: 40, steps: 3 });
  expect(chapters.get("controllers")).toEqual({ after: 60, until: 80, steps: 3 });
  const step = (id: number) => caused(told, id)[0] ?? expect.fail();
  const of = (id: number) => chapterOf(step(id), told.steps);
  expect([of(quota), of(sync), of(put)]).toEqual(["admission", "controllers", "etcd"]);
  // One that is caused by none that is held, or by itself.
  expect(chapterOf({ ...step(quota), cause: quota }, told.steps)).toBe("controllers");
  // Its informer is one like others, and what it hears of is where its work begins.
  const heard = { ...step(quota), component: "kube-scheduler", kind: "controllers.informed" };
  expect(chapterOf(heard, told.steps)).toBe("scheduler");
});

test("the last chapter's figure is when the last container runs, from the first one on", () => {
  const told = new Told();
  const create = told.add(0, "kubectl.command", "kubectl");
  const start = (lasted: number, details?: unknown) => {
    const id = told.add(create, "cri.StartContainer", "startup", details);
    Object.assign(told.steps.get(id) ?? {}, { took: lasted });
    return reached(caused(told, create), 10).get("wrap-up");
  };
  expect(start(5, { error: "no such program" })).toBeUndefined();
  expect(start(80)).toEqual({ after: 100, until: 100, steps: 0 });
  // Began later and was ready first.
  expect(start(5)).toEqual({ after: 100, until: 100, steps: 0 });
  expect(start(70)).toEqual({ after: 110, until: 110, steps: 0 });
  // The steps of one chapter went from the first one's beginning to the end of whichever ended last.
  expect(reached(caused(told, create), 10).get("startup")).toEqual({
    after: 10,
    until: 110,
    steps: 4,
  });
});

test("what an earlier command has proved is found, the last of them first", () => {
  const told = new Told();
  const first = told.add(0, "kubectl.command");
  const put = told.add(first, "etcd.put");
  const start = told.add(first, "cri.StartContainer");
  const next = told.add(told.add(0, "kubectl.command"), "etcd.put");
  told.add(0, "etcd.watched");
  expect(earlierLike(told, "etcd.put")?.id).toBe(next);
  expect(earlierLike(told, "cri.StartContainer")?.id).toBe(start);
  // No command's.
  expect(earlierLike(told, "etcd.watched")).toBeUndefined();
  const node = told.add(0, "etcd.put");
  told.add(node, "network.ways");
  const ways = told.add(node, "network.ways");
  expect(earlierLike(told, "network.ways")?.id).toBe(ways);
  expect(put).toBeLessThan(next);
});

test("a command that was refused is told of, as one that wrote", () => {
  const told = new Told();
  told.add(told.add(0, "kubectl.command"), "etcd.put");
  const refused = told.add(0, "kubectl.command");
  told.add(refused, "authorization.forbidden");
  told.add(0, "kubectl.command");
  expect(lastTelling(told)?.id).toBe(refused);
  const invalid = told.add(0, "kubectl.command");
  told.add(invalid, "kubectl.request", "kubectl", { method: "POST", code: 422 });
  const missing = told.add(0, "kubectl.command");
  told.add(missing, "kubectl.request", "kubectl", { method: "GET", code: 404 });
  expect(lastTelling(told)?.id).toBe(invalid);
});

test("what a command came to is its containers, or its own end", () => {
  const told = new Told();
  const create = told.add(0, "kubectl.command");
  expect(done(caused(told, create))).toBe("");
  told.add(create, "kubectl.exit");
  expect(done(caused(told, create))).toBe(" · kubectl ended after 10 ms");
  told.add(create, "cri.StartContainer");
  expect(done(caused(told, create))).toBe(" · a container runs after 20 ms");
  told.add(create, "cri.StartContainer");
  expect(done(caused(told, create))).toBe(" · 2 containers run after 30 ms");
});

test("a command stays before what it caused, whatever the clock of a node says", () => {
  const told = new Told();
  const create = told.add(0, "kubectl.command");
  const pod = told.add(create, "kubelet.pod");
  Object.assign(told.steps.get(pod) ?? {}, { at: 3 });
  expect(caused(told, create).map(({ id }) => id)).toEqual([create, pod]);
});

test("how many containers run is said with the end of the last one, whichever began first", () => {
  const told = new Told();
  const create = told.add(0, "kubectl.command");
  Object.assign(told.steps.get(told.add(create, "cri.StartContainer")) ?? {}, { took: 70 });
  told.add(create, "cri.StartContainer");
  expect(done(caused(told, create))).toBe(" · 2 containers run after 80 ms");
});

test("a step that says it caused itself, or is caused by a later one, ends nothing", () => {
  const told = new Told();
  told.add(1, "a.b");
  told.add(3, "a.b");
  told.add(2, "a.b");
  expect(top(told.steps, 1)).toBe(1);
  expect(top(told.steps, 3)).toBe(2);
});

test("what a claim is about is found by whom it names, what it took off, its container or its path", () => {
  const told = new Told();
  const add = (kind: string, details: unknown) => told.add(0, kind, undefined, details);
  const ids = [
    add("authorization.allowed", { asked: [{ name: "Node" }, { name: "RBAC" }] }),
    add("authorization.allowed", { asked: [{ name: "Node" }] }),
    add("authentication.accepted", { user: "kubernetes-admin" }),
    add("authentication.accepted", { takenOff: ["Authorization"] }),
    add("cri.CreateContainer", { container: "first" }),
    add("apiserver.request", { path: "/healthz" }),
    add("apiserver.request", { path: 7, asked: {}, takenOff: "Authorization" }),
  ];
  const steps = [...told.steps.values()];
  const like = (kind: string, of: string) => firstLike(steps, kind, of)?.id;
  expect([
    like("authorization.allowed", "Node"),
    like("authentication.accepted", "Authorization"),
    like("cri.CreateContainer", "first"),
    like("apiserver.request", "healthz"),
    like("apiserver.request", "Authorization"),
  ]).toEqual([ids[1], ids[3], ids[4], ids[5], undefined]);
});
