import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused as step } from "../trace/steps.testing.ts";
import { story } from "./story.ts";

const pod = (name: string) => ({ object: { resource: "pods", name } });

/** A command whose controller makes pods, beside one that only looks. */
function command(pods: number): TraceStep[] {
  const steps = [
    step(1, 0, "kubectl.command"),
    step(2, 1, "kubectl.request"),
    step(3, 2, "apiserver.request"),
    step(4, 3, "authentication.accepted"),
    step(5, 3, "etcd.put", { object: { resource: "deployments", name: "nginx" } }),
    step(6, 5, "controllers.reconcile", { details: { queue: "deployment" } }),
    step(7, 5, "controllers.reconcile", { details: { queue: "garbage_collector_graph_changes" } }),
    step(8, 7, "apiserver.request", { details: { verb: "get" } }),
  ];
  for (let i = 0; i < pods; i++) {
    const id = 100 + 10 * i;
    steps.push(
      step(id, 6, "apiserver.request", pod(`p${i}`)),
      step(id + 1, id, "authentication.accepted"),
      step(id + 2, id, "etcd.put", pod(`p${i}`)),
      step(id + 3, id + 2, "scheduler.attempt", { ...pod(`p${i}`), details: { node: "node-1" } }),
      step(id + 4, id + 3, "scheduler.filter", pod(`p${i}`)),
      step(id + 5, id + 3, "scheduler.bind", pod(`p${i}`)),
      step(id + 6, id + 5, "etcd.put", { object: { resource: "events", name: "e" } }),
    );
  }
  steps.push(step(900, 1, "kubectl.exit"));
  return steps;
}

const kinds = (steps: readonly TraceStep[]) => steps.map(({ id, kind }) => `${id} ${kind}`);

describe("what is told slowly", () => {
  test("is the way to what was written, and whom it asked; not who only looked", () => {
    expect(kinds(story(command(1)))).toEqual([
      "1 kubectl.command",
      "2 kubectl.request",
      "3 apiserver.request",
      "4 authentication.accepted",
      "5 etcd.put",
      "6 controllers.reconcile",
      "100 apiserver.request",
      "102 etcd.put",
      "103 scheduler.attempt",
      "104 scheduler.filter",
      "105 scheduler.bind",
      "900 kubectl.exit",
    ]);
  });

  test("has the step that turned a command back, in which way ever", () => {
    const steps = (last: string) => [
      step(1, 0, "kubectl.command"),
      step(2, 1, "kubectl.request"),
      step(3, 2, "apiserver.request"),
      step(4, 3, last),
    ];
    for (const kind of ["authentication.refused", "validation.refused", "registry.exists"]) {
      expect(kinds(story(steps(kind))).at(-1)).toBe(`4 ${kind}`);
    }
  });

  test("has what is alike once, but each binding", () => {
    const told = story(command(50));
    const count = (kind: string) => told.filter((one) => one.kind === kind).length;
    expect(count("scheduler.bind")).toBe(50);
    expect(count("scheduler.filter")).toBe(1);
    expect(told.length).toBe(12 + 49);
  });

  test("has the last status that a controller wrote, however often it did", () => {
    const steps = command(0);
    const object = { resource: "deployments", subresource: "status", name: "nginx" };
    for (const [id, cause] of [
      [20, 6],
      [30, 6],
      [40, 5],
    ] as const) {
      const by = step(id, cause, "controllers.reconcile", { details: { queue: "deployment" } });
      steps.push(
        by,
        step(id + 1, id, "apiserver.request", { object }),
        step(id + 2, id + 1, "etcd.put"),
      );
    }
    const told = story(steps.sort((a, b) => a.id - b.id));
    expect(told.filter(({ kind }) => kind === "etcd.put").map(({ id }) => id)).toEqual([5, 42]);
  });

  test.each([
    ["exec", ["cri.Exec"]],
    ["log", ["kubelet.logs", "cri.ContainerStatus"]],
  ] as const)(
    "of what reaches into a pod (%s) has the way to it, and not how it was found",
    (sub, into) => {
      const asks = (id: number, subresource?: string) => [
        step(id, 1, "kubectl.request"),
        step(id + 1, id, "apiserver.request", {
          object: { resource: "pods", ...(subresource && { subresource }) },
        }),
        step(id + 2, id + 1, "authorization.allowed"),
      ];
      const steps = [
        step(1, 0, "kubectl.command"),
        ...asks(10),
        step(13, 11, "apiserver.handler", { details: { from: "etcd" } }),
        ...asks(20, sub),
        ...into.map((kind, i) => step(23 + i, 21 + 2 * i, kind, { ...pod("web"), node: "node-1" })),
        step(90, 1, "kubectl.exit"),
      ];
      expect(kinds(story(steps))).toEqual([
        "1 kubectl.command",
        "20 kubectl.request",
        "21 apiserver.request",
        "22 authorization.allowed",
        ...into.map((kind, i) => `${23 + i} ${kind}`),
        "90 kubectl.exit",
      ]);
    },
  );

  test("of the scheduler's way to a node has what decided it, and which plugins refused", () => {
    const scheduled = (...points: readonly (readonly [kind: string, details: object])[]) =>
      story([
        ...command(0).slice(0, 5),
        step(20, 5, "scheduler.attempt", pod("web")),
        ...points.map(([kind, details], i) => step(21 + i, 20, `scheduler.${kind}`, { details })),
      ])
        .filter(({ id }) => id > 20)
        .map(({ kind }) => kind.replace("scheduler.", ""));
    const done = { code: "Success" };
    const passed = [
      ["prefilter", {}],
      ["permit", done],
      ["reserve", done],
    ] as const;
    expect(scheduled(...passed, ["prebind", { code: "Skip" }])).toEqual(["reserve"]);
    expect(scheduled(...passed, ["prebind", { code: "Error" }])).toEqual(["reserve", "prebind"]);
    expect(scheduled(["prefilter", { refused: { plugin: "p" } }])).toEqual(["prefilter"]);
  });

  test("has the moment from which pods are led to a Service, and where they are led to at last", () => {
    const slice = { resource: "endpointslices", namespace: "default", name: "web-a" };
    const leads = (id: number, cause: number, node: string) =>
      step(id, cause, "network.endpoints", { object: slice, node });
    const steps = [
      ...command(0).slice(0, 5),
      step(20, 5, "controllers.reconcile", { details: { queue: "endpoint_slice" } }),
      step(21, 20, "apiserver.request", { object: slice }),
      step(22, 21, "etcd.put", { object: slice }),
      leads(23, 22, "node-1"),
      leads(24, 22, "node-2"),
      step(30, 20, "apiserver.request", { object: slice }),
      step(31, 30, "etcd.put", { object: slice }),
      leads(32, 31, "node-1"),
      leads(33, 31, "node-2"),
    ];
    const told = story(steps).filter(({ kind }) => kind === "network.endpoints");
    expect(told.map(({ id }) => id)).toEqual([23, 32]);
  });

  test("ends with the refusal, where there is one", () => {
    const steps = command(0).slice(0, 3);
    steps.push(step(4, 3, "authorization.forbidden"), step(5, 1, "kubectl.exit"));
    expect(kinds(story(steps)).slice(-2)).toEqual(["4 authorization.forbidden", "5 kubectl.exit"]);
  });

  test("of nothing, and of steps that are their own causes, is found all the same", () => {
    expect(story([])).toEqual([]);
    const odd = [step(1, 1, "etcd.put"), step(2, 3, "etcd.put"), step(3, 2, "etcd.put")];
    expect(story(odd).length).toBeGreaterThan(0);
  });

  test("has the way through a registry only if that does something of its own, and where it comes to the store", () => {
    const through = (hooks: unknown) => [
      step(1, 0, "kubectl.command"),
      step(2, 1, "kubectl.request"),
      step(3, 2, "apiserver.request"),
      step(4, 3, "registry.stored", { details: { hooks } }),
      step(5, 3, "registry.created"),
      step(6, 3, "admission.validating"),
      step(7, 3, "etcd.put", { object: { resource: "services", name: "web" } }),
    ];
    const told = (hooks: unknown) => story(through(hooks)).map(({ id }) => id);
    expect(told([])).toEqual([1, 2, 3, 5, 6, 7]);
    expect(told([{ point: "BeforeCreate", func: "a" }, { point: "BeginCreate" }])).toEqual([
      1, 2, 3, 5, 6, 7,
    ]);
    expect(told(["BeginCreate"])).toEqual([1, 2, 3, 5, 6, 4, 7]);
    expect(told([{ point: "BeginCreate", func: "allocate" }])).toEqual([1, 2, 3, 5, 6, 4, 7]);
  });

  test("of a command that only looks has what it asks, and beside a write not what was only looked at", () => {
    const get = [
      step(1, 0, "kubectl.command"),
      step(2, 1, "kubectl.request"),
      step(3, 2, "apiserver.request", { details: { verb: "list" } }),
      step(4, 3, "authentication.accepted"),
      step(5, 3, "authorization.allowed"),
      step(9, 1, "kubectl.exit"),
    ];
    expect(story(get).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 9]);
    const wrote = [
      step(6, 1, "kubectl.request"),
      step(7, 6, "apiserver.request", { details: { verb: "create" } }),
      step(8, 7, "etcd.put", pod("p")),
    ];
    expect(story([...get, ...wrote]).map(({ id }) => id)).toEqual([1, 6, 7, 8, 9]);
  });

  test("of a command that only looks has who answered it, where the server says so", () => {
    const asks = [
      step(1, 0, "kubectl.command"),
      step(2, 1, "kubectl.request"),
      step(3, 2, "apiserver.request", { details: { verb: "create" } }),
      step(4, 3, "authorization.allowed"),
      step(5, 3, "apiserver.handler", { details: { handler: "Create", moments: [] } }),
    ];
    expect(story(asks).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    const put = step(6, 3, "etcd.put", pod("p"));
    expect(story([...asks, put]).map(({ id }) => id)).toEqual([1, 2, 3, 4, 6]);
  });

  test("has a pod's report again when it waits for something else", () => {
    const report = (id: number, container: string) => [
      step(id, 102, "kubelet.status", {
        ...pod("p"),
        node: "n",
        details: { containers: [container] },
      }),
      step(id + 1, id, "apiserver.request", {
        object: { resource: "pods", subresource: "status" },
      }),
      step(id + 2, id + 1, "etcd.put", pod("p")),
    ];
    const told = story([
      ...command(1),
      ...report(200, "p: waiting: ContainerCreating, 0 restarts"),
      ...report(210, "p: waiting: ContainerCreating, 0 restarts"),
      ...report(220, "p: waiting: ErrImagePull, 0 restarts"),
    ]);
    const reports = told.filter(({ kind }) => kind === "kubelet.status");
    expect(reports.map(({ id }) => id)).toEqual([200, 220]);
  });

  test("mounts a volume once, and not at a sync's next try", () => {
    const failed = { ...pod("p"), details: { error: "not found" } };
    const told = story([
      ...command(1),
      step(200, 102, "kubelet.syncPod", pod("p")),
      step(201, 200, "kubelet.volume", pod("p")),
      step(202, 200, "cri.PullImage", failed),
      step(210, 202, "kubelet.syncPod", pod("p")),
      step(211, 210, "kubelet.volume", pod("p")),
      step(212, 210, "cri.PullImage", failed),
    ]);
    const volumes = told.filter(({ kind }) => kind === "kubelet.volume");
    expect(volumes.map(({ id }) => id)).toEqual([201]);
    expect(told.filter(({ kind }) => kind === "cri.PullImage").length).toBe(2);
  });

  test("has a write that came too late, and the next try that did not", () => {
    const gone = (id: number, succeeded: boolean) =>
      step(id, 200, "etcd.delete", { ...pod("p"), details: { succeeded } });
    const told = story([
      ...command(1),
      step(200, 102, "apiserver.request", { ...pod("p"), details: { verb: "delete" } }),
      gone(201, false),
      gone(202, true),
      gone(203, true),
    ]);
    const tries = told.filter(({ kind }) => kind === "etcd.delete");
    expect(tries.map(({ id }) => id)).toEqual([201, 202]);
  });

  test("has no event that is refused, unless somebody typed it", () => {
    const refused = (id: number, cause: number) => [
      step(id, cause, "apiserver.request", { object: { resource: "events" } }),
      step(id + 1, id, "admission.refused", { object: { resource: "events" } }),
    ];
    const told = story([...command(1), ...refused(200, 102), ...refused(300, 2)]);
    expect(told.filter(({ kind }) => kind === "admission.refused").map(({ id }) => id)).toEqual([
      301,
    ]);
  });

  test("has what is tried again and again twice, by whatever name, and what it comes to at last", () => {
    const item = { queue: "replicaset", item: "default/web" };
    const tried = (id: number, cause: number, message = `pods "web-${id}" is forbidden`) => [
      step(id, cause, "controllers.reconcile", { details: item }),
      step(id + 1, id, "apiserver.request", pod(`web-${id}`)),
      step(id + 2, id + 1, "admission.refused", { ...pod(`web-${id}`), details: { message } }),
    ];
    const steps = [
      ...command(1),
      ...[...tried(200, 5), ...tried(210, 200), ...tried(220, 210), ...tried(230, 220)],
      ...tried(240, 230, "for another reason"),
    ];
    expect(kinds(story(steps)).filter((said) => /^2\d\d /.test(said))).toEqual([
      "200 controllers.reconcile",
      "201 apiserver.request",
      "202 admission.refused",
      "210 controllers.reconcile",
      "211 apiserver.request",
      "212 admission.refused",
      "242 admission.refused",
    ]);
  });

  test("has each batch of pods, not only the first", () => {
    const made = (id: number, pod: string) => [
      step(id, 6, "controllers.batch", { details: { size: id } }),
      step(id + 1, id, "apiserver.request", { object: { resource: "pods", name: pod } }),
      step(id + 2, id + 1, "etcd.put", { object: { resource: "pods", name: pod } }),
    ];
    const told = story([...command(0).slice(0, 6), ...made(20, "a"), ...made(30, "b")]);
    expect(told.filter(({ kind }) => kind === "controllers.batch").map(({ id }) => id)).toEqual([
      20, 30,
    ]);
  });
});
