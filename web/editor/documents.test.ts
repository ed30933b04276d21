import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { resourcesOf } from "../kube/discovery.ts";
import { documentsOf, targetOf } from "./documents.ts";
import { locate, parseField } from "./locate.ts";
import { merge } from "./merge.ts";
import { problemsOf } from "./problems.ts";

const FILE = `# Two of them
apiVersion: v1
kind: Service
metadata:
  name: web
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app.kubernetes.io/name: web}
spec:
  replicas: two
  template:
    spec:
      containers:
      - name: init
        image: busybox
      - name: nginx
        image: nginx
        ports:
        - containerPort: 99999
---
# Nothing here
`;
const resources = resourcesOf({
  items: [
    {
      metadata: { name: "apps" },
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "deployments",
              responseKind: { kind: "Deployment" },
              scope: "Namespaced",
              verbs: ["list"],
            },
          ],
        },
      ],
    },
  ],
});

describe("a list", () => {
  const LIST = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: one
  data:
    text: |
      two
      lines
- apiVersion: v1
  kind: ConfigMapList
  items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}
`;

  test("is what it holds, each in words of its own", () => {
    const documents = documentsOf(LIST);
    expect(documents.map((d) => [d.kind, d.name])).toEqual([
      ["ConfigMap", "one"],
      ["ConfigMap", "two"],
    ]);
    const [one] = documents.map((d) => parse(d.text) as unknown);
    expect(one).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one" },
      data: { text: "two\nlines\n" },
    });
  });

  test("as kubectl prints it in JSON", () => {
    const json = JSON.stringify(
      {
        apiVersion: "v1",
        kind: "List",
        items: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } }],
      },
      undefined,
      4,
    );
    const [pod] = documentsOf(json);
    expect(pod?.name).toBe("p");
    expect(parse(pod?.text ?? "")).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
    });
  });

  test("a problem is found at its place in the file", () => {
    const [one] = documentsOf(LIST);
    if (!one) throw new Error("no document");
    const range = locate(one.yaml, parseField("data.text"));
    expect(LIST.slice(range?.from, range?.to)).toContain("two");
  });

  test("holding nothing is nothing to do", () => {
    expect(documentsOf("apiVersion: v1\nkind: List\nitems: []\n")).toEqual([]);
  });

  test("is whatever has items, as it is to kubectl", () => {
    const [one, ...more] = documentsOf(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: b}}]\n",
    );
    expect([one?.kind, one?.name, more.length]).toEqual(["Secret", "b", 0]);
  });
});

describe("a file of several documents", () => {
  test("those that say something, with what the server needs to know", () => {
    const documents = documentsOf(FILE);
    expect(documents.map((d) => [d.apiVersion, d.kind, d.name])).toEqual([
      ["v1", "Service", "web"],
      ["apps/v1", "Deployment", "web"],
    ]);
    expect(documents[1]?.text.startsWith("apiVersion: apps/v1\nkind")).toBe(true);
  });

  test("names are what kubectl takes for them", () => {
    const text = "metadata: {labels: {app: &a web}, namespace: 2026-11-26, name: *a}\nkind: A\n";
    expect(documentsOf(text)[0]).toMatchObject({ name: "web", namespace: "2026-11-26" });
  });

  test("errors of YAML itself stand where they are in the file", () => {
    const [first, second] = documentsOf("a: 1\n---\nb: 1\nb: 2\nc: [\n");
    expect(first?.errors).toEqual([]);
    expect(second?.errors[0]?.message).toBe("Map keys must be unique");
    expect(second?.errors[0]?.from).toBeGreaterThanOrEqual(9);
  });

  test("where each goes, or why nowhere", () => {
    const target = (text: string) => {
      const [document] = documentsOf(text);
      return document && targetOf(document, resources);
    };
    expect(target("kind: X")).toMatchObject({ problem: "apiVersion is not set" });
    expect(target("apiVersion: apps/v1beta1\nkind: Deployment\n")).toEqual({
      field: "apiVersion",
      problem:
        'no matches for kind "Deployment" in version "apps/v1beta1". The API serves it in apps/v1.',
    });
    const web = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n";
    expect(target(`${web}  generateName: a-\n`)).toMatchObject({ field: "metadata.generateName" });
    expect(target(`${web}  name: a\n`)).toMatchObject({
      place: { namespace: "default", name: "a", resource: "deployments" },
    });
  });
});

describe("a field's place", () => {
  const document = documentsOf(FILE)[1];
  const at = (field: string) => {
    const range = document && locate(document.yaml, parseField(field));
    return range && FILE.slice(range.from, range.to).split("\n")[0];
  };
  test.each([
    ["spec.replicas", "replicas: two"],
    [".spec.replicas", "replicas: two"],
    ["spec.template.spec.containers[1].ports[0].containerPort", "containerPort: 99999"],
    ['.spec.template.spec.containers[name="nginx"].image', "image: nginx"],
    ["metadata.labels[app.kubernetes.io/name]", "app.kubernetes.io/name: web"],
    // Not there: the nearest around it.
    ["spec.selector", "spec"],
    ["spec.template.spec.containers[7].image", "containers"],
    ["", "apiVersion"],
  ])("%s", (field, text) => {
    expect(at(field)).toBe(text);
  });

  test("paths are read as the server writes them", () => {
    expect(
      parseField('spec.containers[name="a.b"].ports[containerPort=80,protocol="TCP"]'),
    ).toEqual([
      "spec",
      "containers",
      { name: "a.b" },
      "ports",
      { containerPort: "80", protocol: "TCP" },
    ]);
  });
});

describe("what the server says", () => {
  const fields = (message: string) => problemsOf({ kind: "Status", message }).map((p) => p.field);
  test("names fields in the message of a decoding error", () => {
    expect(
      fields(
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo", unknown field "spec.replicass"',
      ),
    ).toEqual(["spec.foo", "spec.replicass"]);
    expect(
      fields(
        "failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.replicass: field not declared in schema",
      ),
    ).toEqual([".spec.replicass"]);
    expect(
      fields(
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
      ),
    ).toEqual(["spec.replicas"]);
    expect(fields('namespaces "nope" not found')).toEqual(["metadata.namespace"]);
    expect(fields("etcdserver: request timed out")).toEqual([""]);
  });

  test("names the owner of a field in a conflict", () => {
    const [problem] = problemsOf({
      kind: "Status",
      message: "Apply failed with 1 conflict",
      details: {
        causes: [
          {
            reason: "FieldManagerConflict",
            message: 'conflict with "kubectl-create" using apps/v1',
            field: ".spec.replicas",
          },
        ],
      },
    });
    expect(problem?.owner).toBe("kubectl-create");
    expect(problem?.message).toMatch(/^spec\.replicas is owned by "kubectl-create"/);
  });
});

describe("two people's changes", () => {
  const base = "a: 1\nb: 2\nc: 3\nd: 4\n";
  test("to different lines go together", () => {
    expect(merge(base, "a: 1\nb: 20\nc: 3\nd: 4\n", "a: 1\nb: 2\nc: 3\nd: 40\ne: 5\n")).toEqual({
      text: "a: 1\nb: 20\nc: 3\nd: 40\ne: 5\n",
      conflicts: [],
    });
  });
  test("to the same line: mine stands, and the line is named", () => {
    expect(merge(base, "a: 1\nb: 20\nc: 3\nd: 4\n", "a: 0\nb: 200\nc: 3\nd: 4\n")).toMatchObject({
      text: expect.stringContaining("b: 20\n") as string,
      conflicts: [expect.any(Number)],
    });
  });
  test("that are the same are no conflict; deleted and added lines are kept so", () => {
    const same = "a: 1\nb: 7\nc: 3\nd: 4\n";
    expect(merge(base, same, same)).toEqual({ text: same, conflicts: [] });
    expect(merge(base, "b: 2\nc: 3\nd: 4\n", "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n").text).toBe(
      "b: 2\nc: 3\nd: 4\ne: 5\n",
    );
    expect(merge(base, base, base)).toEqual({ text: base, conflicts: [] });
  });
});
