import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { grown, type GrowthNeeds } from "./growth.ts";
import type { How } from "./versions.ts";

const object = { group: "apps", resource: "deployments", namespace: "default", name: "nginx" };

function step(id: number, kind: string, more: Partial<TraceStep> = {}): TraceStep {
  return { id, at: id, component: "c", kind, chapter: "etcd", ...more };
}

const sent = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "nginx", labels: { "example.com/app": "nginx" } },
  spec: {
    replicas: 3,
    template: { spec: { containers: [{ image: "nginx", env: "(not kept)" }] } },
  },
};

const steps: TraceStep[] = [
  step(1, "kubectl.command", { component: "kubectl" }),
  step(2, "kubectl.object", { cause: 1, details: { name: "nginx", object: sent } }),
  step(3, "kubectl.request", { cause: 1, component: "kubectl" }),
  step(4, "apiserver.request", { cause: 3, object, details: { verb: "create" } }),
  step(5, "apiserver.decoded", { cause: 4, object, brief: true }),
  step(6, "admission.mutating", {
    cause: 4,
    object,
    details: {
      plugins: [
        { name: "LimitRanger" },
        {
          name: "Webhook",
          changed: [
            { path: '.metadata.annotations["a.b/c"]', after: "no: yes" },
            { path: ".spec.template.spec.containers[1]", after: { name: "sidecar" } },
          ],
        },
      ],
    },
  }),
  step(7, "registry.created", {
    cause: 4,
    object,
    details: { changed: [{ path: ".metadata.uid", after: "u-1" }] },
  }),
  step(8, "etcd.put", { cause: 4, object, details: { revision: 700, key: "/registry/x" } }),
  step(9, "controllers.reconcile", { cause: 8, component: "deployment-controller" }),
  step(10, "apiserver.request", {
    cause: 9,
    object: { ...object, subresource: "status" },
    details: { verb: "update" },
  }),
  step(11, "etcd.put", { cause: 10, object, details: { revision: 701, key: "/registry/x" } }),
];

const on: GrowthNeeds = {
  trace: {
    steps: new Map(),
    details: (id) =>
      Promise.resolve(
        step(id, "apiserver.decoded", {
          details: { sent, changed: [{ path: ".spec.paused", after: false }] },
        }),
      ),
  },
  etcd: {
    object: (_key, { revision }) =>
      Promise.resolve({
        text: JSON.stringify({
          ...sent,
          metadata: { name: "nginx", uid: "u-1", managedFields: [1] },
          spec: { replicas: 3, template: { spec: { containers: [{ env: "(not kept)" }] } } },
          status: { observedGeneration: revision },
        }),
      } as never),
  },
};

const drawn = async (until: number) => {
  const step = steps[until - 1];
  const found = step && (await grown(on, steps, step));
  return found?.lines.map(({ text, by, fresh }) => `${fresh ? "+" : " "} ${by} | ${text}`);
};

test("each field has who set it, and what a step has set is fresh", async () => {
  expect(await drawn(2)).toEqual([
    "+ kubectl | apiVersion: apps/v1",
    "+ kubectl | kind: Deployment",
    "+ kubectl | metadata:",
    "+ kubectl |   name: nginx",
    "+ kubectl |   labels:",
    "+ kubectl |     example.com/app: nginx",
    "+ kubectl | spec:",
    "+ kubectl |   replicas: 3",
    "+ kubectl |   template:",
    "+ kubectl |     spec:",
    "+ kubectl |       containers:",
    "+ kubectl |       - env: (not kept)",
    "+ kubectl |         image: nginx",
  ]);
  expect((await drawn(5))?.filter((line) => line.startsWith("+"))).toEqual([
    "+ defaults |   paused: false",
  ]);
  expect((await drawn(6))?.filter((line) => line.startsWith("+"))).toEqual([
    "+ Webhook |   annotations:",
    '+ Webhook |     a.b/c: "no: yes"',
    "+ Webhook |       - name: sidecar",
  ]);
  const stored = await drawn(8);
  expect(stored).toContain('+ etcd |   resourceVersion: "700"');
  expect(stored).toContain("  the server's registry |   uid: u-1");
});

test("a later revision is whose request wrote it", async () => {
  const later = await drawn(11);
  expect(later).toContain("+ deployment-controller |   observedGeneration: 701");
  const last = steps[10];
  const found = last && (await grown(on, steps, last));
  const marks = new Map(found?.lines.map(({ by, mark }) => [by, mark]));
  expect(Object.fromEntries(marks)).toMatchObject({
    kubectl: "asked",
    etcd: "none",
    "deployment-controller": "later",
  });
  expect(later).toContain("  kubectl |       - env: (not kept)");
  expect(later?.join("\n")).not.toContain("managedFields");
});

test("of a version, too, nothing is asked for that the trace withholds, and what was there is said", async () => {
  const canary = "CANARY";
  /** As the store has it, and as it is given to who asks for it cut (core/apiserver/etcdview, TestCutAsTrace). */
  const version = (secret: string) => ({
    metadata: { name: "nginx", annotations: { note: secret } },
    spec: { clientSecret: secret, args: [secret], path: `/?${secret}` },
  });
  const asked: How[] = [];
  const store: GrowthNeeds = {
    ...on,
    etcd: {
      object: (_key, how) => {
        asked.push(how);
        const { cut } = how as { cut?: boolean };
        return Promise.resolve({
          text: JSON.stringify(version(cut ? "(not kept)" : canary)),
        } as never);
      },
    },
  };
  const last = steps.at(-1);
  const found = last && (await grown(store, steps, last));
  const texts = found?.lines.map(({ text }) => text.trim()) ?? [];
  expect(texts.join("\n")).not.toContain(canary);
  expect(texts).toEqual(
    expect.arrayContaining([
      "note: (not kept)",
      "clientSecret: (not kept)",
      "- (not kept)",
      "path: /?(not kept)",
    ]),
  );
  // As it was created, and as it is at last.
  expect(asked.map(({ cut }) => cut)).toEqual([true, true]);
});

test("a version keeps whose a value is that was withheld before", async () => {
  const spec = { containers: [{ name: "c", args: ["(not kept)"] }] };
  const lines = await authors([{ spec }, { spec }, { spec: { ...spec, nodeName: "node-1" } }]);
  expect(lines).toContain("replicaset-controller |     - (not kept)");
});

test("a version that etcd has forgotten is said to be missing, and what it changed is nobody's", async () => {
  const forgets = {
    ...on,
    etcd: {
      object: (key: string, how: How) =>
        how.revision === 701 ? Promise.reject(new Error("compacted")) : on.etcd.object(key, how),
    },
  };
  const more = [
    ...steps,
    step(12, "apiserver.request", {
      cause: 9,
      object: { ...object, subresource: "status" },
      details: { verb: "update" },
    }),
    step(13, "etcd.put", { cause: 12, object, details: { revision: 702, key: "/registry/x" } }),
  ];
  const [at11, at13] = [more[10], more[12]];
  if (!at11 || !at13) throw new Error("steps");
  const before = await grown(forgets, more, at11);
  expect(before?.forgotten).toBe(1);
  expect(before?.lines.find(({ text }) => text.includes("resourceVersion"))).toMatchObject({
    text: '  resourceVersion: "701"',
    by: "etcd",
  });
  const after = await grown(forgets, more, at13);
  expect(after?.lines.find(({ text }) => text.includes("observedGeneration"))?.by).toBe(
    "not known",
  );
});

const pod = { version: "v1", resource: "pods", namespace: "default", name: "nginx-1" };

/** A pod that is created, and written twice more: by a Binding and by its kubelet. */
const podSteps: TraceStep[] = [
  step(1, "controllers.reconcile", { component: "replicaset-controller" }),
  step(2, "apiserver.request", { cause: 1, object: pod, details: { verb: "create" } }),
  step(3, "etcd.put", { cause: 2, object: pod, details: { revision: 1, key: "/registry/p" } }),
  step(4, "scheduler.bind", { component: "kube-scheduler", object: pod }),
  step(5, "apiserver.request", {
    cause: 4,
    object: { ...pod, subresource: "binding" },
    details: { verb: "create" },
  }),
  step(6, "etcd.put", { cause: 5, object: pod, details: { revision: 2, key: "/registry/p" } }),
  step(7, "kubelet.status", { component: "kubelet", node: "node-1", object: pod }),
  step(8, "apiserver.request", {
    cause: 7,
    object: { ...pod, subresource: "status" },
    details: { verb: "patch" },
  }),
  step(9, "etcd.put", { cause: 8, object: pod, details: { revision: 3, key: "/registry/p" } }),
];

/** Who has set each line when the last of the steps had ended, its versions being these. */
async function authors(versions: readonly object[]) {
  const of: GrowthNeeds = {
    trace: on.trace,
    etcd: {
      object: (_key, { revision }) =>
        Promise.resolve({ text: JSON.stringify(versions[revision - 1]) } as never),
    },
  };
  const last = podSteps.at(-1);
  const found = last && (await grown(of, podSteps, last));
  return found?.lines.map(({ text, by }) => `${by} | ${text}`) ?? [];
}

test("what a Binding says is set by the scheduler, and that it is by its Binding", async () => {
  const spec = { containers: [] };
  const bound = { spec: { ...spec, nodeName: "node-1" } };
  const lines = await authors([{ spec }, bound, { ...bound, status: { phase: "Running" } }]);
  expect(lines).toContain("kube-scheduler, by its Binding |   nodeName: node-1");
  expect(lines).toContain("kubelet of node-1 |   phase: Running");
});

test("the lists of a version have the keys that its managedFields name", async () => {
  const of = (...gates: object[]) => ({
    metadata: {
      managedFields: [{ fieldsV1: { "f:gates": { 'k:{"gate":"a"}': {} } } }],
    },
    gates,
  });
  const [a, b] = [
    { gate: "a", type: "x" },
    { gate: "b", type: "x" },
  ];
  const lines = await authors([of(a), of(a), of(b, a)]);
  expect(lines).toContain("kubelet of node-1 | - gate: b");
  expect(lines).toContain("replicaset-controller | - gate: a");
});

test("a Binding that is created is not taken for the pod, whoever created that", async () => {
  const binding = step(6, "apiserver.decoded", {
    cause: 5,
    object: pod,
    details: { sent: { kind: "Binding", target: { name: "node-1" } } },
  });
  const bind = podSteps.filter(({ id }) => id === 4 || id === 5);
  const put = step(7, "etcd.put", {
    cause: 5,
    object: pod,
    details: { revision: 700, key: "/registry/p" },
  });
  const found = await grown(on, [...bind, binding, put], put);
  const texts = found?.lines.map(({ text }) => text) ?? [];
  expect(texts).not.toContain("kind: Binding");
  expect(texts).toContain("kind: Deployment"); // what lies in the store of this test
});

test("what a dry run makes is not what was asked for to make it", async () => {
  const made = step(4, "kubectl.object", { cause: 1, details: { name: "x", dryRun: "client" } });
  const exposed: TraceStep[] = [
    step(1, "kubectl.command", { component: "kubectl" }),
    step(2, "kubectl.request", { cause: 1, component: "kubectl" }),
    step(3, "apiserver.request", { cause: 2, object, details: { verb: "get" } }),
    made,
  ];
  expect(await grown(on, exposed, made)).toBeUndefined();
});

test("an object is on its way until it is stored, and one that is never written is none", async () => {
  const [, asked, put] = podSteps;
  const refused = step(20, "apiserver.request", { cause: 1, object, details: { verb: "get" } });
  if (!asked || !put) throw new Error("steps");
  const onItsWay = "On its way to the API server: not stored yet.";
  // No step holds what was sent.
  expect(await grown(on, podSteps, asked)).toMatchObject({
    name: "pods default/nginx-1",
    lines: [],
    awaited: onItsWay,
  });
  expect(await grown(on, podSteps, put)).toMatchObject({ awaited: "" });
  expect(await grown(on, [...podSteps, refused], refused)).toBeUndefined();
  const stages: (string | undefined)[] = [];
  for (const until of steps.slice(1, 8)) stages.push((await grown(on, steps, until))?.awaited);
  const there = "At the API server: not stored yet.";
  expect(stages).toEqual(["Not sent yet.", onItsWay, onItsWay, there, there, there, ""]);
});

test("a request shows what it carries, before the server has read it; of another one's nothing", async () => {
  const [reconciles, asks, put] = podSteps;
  if (!reconciles || !asks || !put) throw new Error("steps");
  const decoded = step(30, "apiserver.decoded", {
    cause: 2,
    object: pod,
    details: { sent: { kind: "Pod" }, changed: [{ path: ".spec.dnsPolicy", after: "Default" }] },
  });
  const of = async (told: readonly TraceStep[], until: TraceStep) =>
    (await grown(on, told, until))?.lines.map(({ text, by, fresh }) => [text, by, fresh]);
  const told = [reconciles, asks, decoded, put];
  expect(await of(told, asks)).toEqual([["kind: Pod", "replicaset-controller", true]]);
  expect((await of(told, decoded))?.[0]).toEqual(["kind: Pod", "replicaset-controller", false]);
  expect(await of([reconciles, asks, { ...decoded, cause: 9 }, put], asks)).toEqual([]);
});

test("what no told step has written is said to be written meanwhile, where it is seen first", async () => {
  const [reconciles, , put, , , , status, , written] = podSteps;
  if (!reconciles || !put || !status || !written) throw new Error("steps");
  const store: GrowthNeeds = {
    ...on,
    etcd: {
      object: (_key, { revision }) =>
        Promise.resolve({ text: JSON.stringify({ seen: revision }) } as never),
    },
  };
  const at = async (until: TraceStep, told: readonly TraceStep[]) => {
    const found = await grown(store, podSteps, until, told);
    const line = found?.lines.find(({ text }) => text.includes("seen"));
    return [line?.text, line?.meanwhile ? "meanwhile" : line?.fresh, found?.meanwhile];
  };
  const told = [reconciles, put, status, written];
  expect(await at(put, told)).toEqual(["seen: 1", true, ""]);
  const said = "Written meanwhile: revision 2, by kube-scheduler.";
  expect(await at(status, told)).toEqual(["seen: 2", "meanwhile", said]);
  // No version is seen before the step that wrote it.
  expect(await at(written, told)).toEqual(["seen: 3", true, ""]);
  expect(await at(status, podSteps)).toEqual(["seen: 2", false, ""]);
  const both = await grown(store, [...podSteps], written, [put, written]);
  expect(both?.meanwhile).toBe(said);
  const exit = step(10, "kubectl.exit");
  expect((await grown(store, [...podSteps, exit], exit, [put, exit]))?.meanwhile).toBe(
    "Written meanwhile: revisions 2, 3, by kube-scheduler and kubelet of node-1.",
  );
  // Of what was never told of before nothing is new.
  expect((await at(status, [reconciles, status]))[2]).toBe("");
});

test("what the steps of a creation do not tell is the server's, and not whose who writes next", async () => {
  const spec = { containers: [{ name: "c", args: "(not kept)" }] };
  const [reconciles, asks, put, ...later] = podSteps;
  if (!reconciles || !asks || !put) throw new Error("steps");
  const decoded = step(22, "apiserver.decoded", {
    cause: 2,
    object: pod,
    details: { sent: { spec } },
  });
  const told = [reconciles, asks, decoded, put, ...later];
  const stored = {
    metadata: {
      managedFields: [{ fieldsV1: { "f:spec": { "f:containers": { 'k:{"name":"c"}': {} } } } }],
    },
    spec: {
      containers: [
        { name: "sidecar" },
        { name: "c", args: "(not kept)", imagePullPolicy: "Always" },
      ],
      securityContext: {},
    },
  };
  const bound = { ...stored, spec: { ...stored.spec, nodeName: "node-1" } };
  const of = async (until: TraceStep | undefined, forgets = 0) => {
    const versions = [stored, bound, bound];
    const store: GrowthNeeds = {
      trace: on.trace,
      etcd: {
        object: (_key, { revision }) =>
          revision === forgets
            ? Promise.reject(new Error("compacted"))
            : Promise.resolve({ text: JSON.stringify(versions[revision - 1]) } as never),
      },
    };
    const found = until && (await grown(store, told, until));
    const lines = found?.lines.map(({ text, by }) => `${by} | ${text.trim()}`) ?? [];
    return { lines, forgotten: found?.forgotten };
  };
  const made = await of(put);
  expect(made.lines).toEqual(
    expect.arrayContaining([
      "defaults | securityContext: {}",
      "defaults | imagePullPolicy: Always",
      "replicaset-controller | args: (not kept)",
    ]),
  );
  const last = await of(told.at(-1));
  expect(last.lines).toContain("defaults | securityContext: {}");
  expect(last.lines).toContain("kube-scheduler, by its Binding | nodeName: node-1");
  expect(last.forgotten).toBe(0);
  // If etcd has forgotten what was created, nobody can tell the two apart.
  const forgotten = await of(told.at(-1), 1);
  expect(forgotten.lines).toContain("not known | securityContext: {}");
  expect(forgotten.lines).toContain("replicaset-controller | args: (not kept)");
  expect(forgotten.forgotten).toBe(1);
});

test("at a step about no object stands what the told one before it was about, as it is then", async () => {
  const exit = step(7.5, "kubectl.exit", { cause: 1, at: 7.5 });
  const config = step(1.5, "kubectl.config", { cause: 1, at: 1.5 });
  const [command, ...rest] = steps;
  if (!command) throw new Error("steps");
  const all = [command, config, ...rest.slice(0, 6), exit, ...rest.slice(6)];
  const found = await grown(on, all, exit);
  expect(found).toMatchObject({ name: "deployments default/nginx" });
  // It is not stored then: whoever comes back from later sees nothing of that.
  expect(found?.lines.some(({ text }) => text.includes("resourceVersion"))).toBe(false);
  expect(found?.lines.length).toBeGreaterThan(10);
  expect(found?.lines.some(({ fresh }) => fresh)).toBe(false);
  expect(await grown(on, all, config)).toBeUndefined();
  // Told without the steps before it, it is about none.
  expect(await grown(on, all, exit, [exit])).toBeUndefined();
});

test("of an object that was there the command is told to have set only what it changed", async () => {
  const scaled = [
    step(1, "kubectl.command", { component: "kubectl" }),
    step(2, "kubectl.request", { cause: 1, component: "kubectl" }),
    step(3, "apiserver.request", { cause: 2, object, details: { verb: "patch" } }),
    step(4, "etcd.put", { cause: 3, object, details: { key: "/registry/x", succeeded: false } }),
    step(5, "etcd.put", {
      cause: 3,
      object,
      details: { revision: 705, previous: 704, key: "/registry/x" },
    }),
  ];
  const versions = (held: boolean): GrowthNeeds => ({
    ...on,
    etcd: {
      object: (_key, { revision }) =>
        revision === 704 && !held
          ? Promise.reject(new Error("compacted"))
          : Promise.resolve({
              text: JSON.stringify({
                kind: "Deployment",
                metadata: { name: "nginx" },
                spec: { replicas: revision === 704 ? 3 : 5 },
              }),
            } as never),
    },
  });
  const [, , request, , put] = scaled;
  if (!request || !put) throw new Error("steps");
  const lines = async (until: TraceStep, held = true) => {
    const found = await grown(versions(held), scaled, until);
    return [
      found?.awaited,
      found?.forgotten,
      ...(found?.lines ?? []).map(({ text, by }) => `${by}|${text}`),
    ];
  };
  const found = [
    "as it was before|kind: Deployment",
    "as it was before|metadata:",
    "as it was before|  name: nginx",
  ];
  expect(await lines(request)).toEqual([
    "",
    0,
    ...found,
    'as it was before|  resourceVersion: "704"',
    "as it was before|spec:",
    "as it was before|  replicas: 3",
  ]);
  expect(await lines(put)).toEqual([
    "",
    0,
    ...found,
    'etcd|  resourceVersion: "705"',
    "as it was before|spec:",
    "kubectl|  replicas: 5",
  ]);
  // Where that is not held any more nobody is said to have set it.
  expect(await lines(request, false)).toEqual(["What it was before is not held any more.", 0]);
  expect(await lines(put, false)).toContain("not known|  replicas: 5");
});
