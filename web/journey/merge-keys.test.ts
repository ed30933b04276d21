import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KEYS, listKeys, partners } from "./merge-keys.ts";
import { keysOf, Tree, type Json } from "./tree.ts";

test.each<[string, Json[], Json[], (number | undefined)[]]>([
  [
    "a condition before the others",
    [{ type: "Ready", status: "False" }],
    [{ type: "PodScheduled" }, { type: "Ready", status: "True" }],
    [undefined, 0],
  ],
  [
    "a container before the others",
    [{ name: "a" }],
    [{ name: "b" }, { name: "a" }],
    [undefined, 0],
  ],
  [
    "ports of one number, whose protocol is TCP where none is said",
    [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }],
    [
      { containerPort: 53, protocol: "UDP", name: "u" },
      { containerPort: 53, protocol: "TCP", name: "t" },
    ],
    [1, 0],
  ],
  [
    "owners of one name",
    [{ name: "web", uid: "1" }],
    [
      { name: "web", uid: "2" },
      { name: "web", uid: "1" },
    ],
    [undefined, 0],
  ],
  [
    "mounts of one volume",
    [{ name: "v", mountPath: "/a" }],
    [
      { name: "v", mountPath: "/b" },
      { name: "v", mountPath: "/a" },
    ],
    [undefined, 0],
  ],
  ["plain values", ["b", "c"], ["a", "b"], [undefined, 0]],
  [
    "plain values of which some are alike: by place",
    ["a", "a"],
    ["b", "a", "a"],
    [0, 1, undefined],
  ],
  ["what nothing tells apart: by place", [{ x: 1 }], [{ x: 2 }, { x: 1 }], [0, undefined]],
  [
    "keys of which one is there twice: by place",
    [{ type: "InternalIP", address: "1" }],
    [
      { type: "InternalIP", address: "1" },
      { type: "InternalIP", address: "2" },
    ],
    [0, undefined],
  ],
  ["what is no key", [{ type: {} }], [{ type: [] }], [0]],
])("%s", (_what, old, now, found) => {
  expect(partners(old, now)).toEqual(found);
});

test("managedFields say what the key of a list is, however deep it lies", () => {
  const keys = listKeys([
    {
      fieldsV1: {
        "f:spec": {
          "f:containers": {
            'k:{"name":"nginx"}': {
              ".": {},
              "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': {} },
            },
          },
          "f:gates": { 'k:{"gate":"b"}': {}, "v:1": {}, "k:no JSON": {}, "k:[1]": {} },
        },
      },
    },
    { fieldsV1: null },
    "nothing",
  ]);
  expect([...keys]).toEqual([
    ["/spec/containers", ["name"]],
    ["/spec/containers/ports", ["containerPort", "protocol"]],
    ["/spec/gates", ["gate"]],
  ]);
  expect(listKeys("nothing")).toEqual(new Map());
});

/** Who has set each line, when one who is `first` and then another met the two versions. */
function authors(first: Json, second: Json, managedFields?: Json) {
  const tree = new Tree();
  tree.meet(first, "first");
  tree.begin(true);
  tree.meet(second, "second", undefined, listKeys(managedFields));
  return tree.lines().map(({ text, by, fresh }) => `${fresh ? "+" : " "} ${by} | ${text}`);
}

test("a condition keeps its author when another one comes before it", () => {
  const ready = { type: "Ready", status: "False" };
  const scheduled = { type: "PodScheduled", status: "True" };
  expect(
    authors({ status: { conditions: [ready] } }, { status: { conditions: [scheduled, ready] } }),
  ).toEqual([
    "  first | status:",
    "  first |   conditions:",
    '+ second |   - status: "True"',
    "+ second |     type: PodScheduled",
    '  first |   - status: "False"',
    "  first |     type: Ready",
  ]);
});

test("by the key that managedFields name, where the usual ones would say another one", () => {
  const of = (...gates: Json[]) => ({ gates });
  const [a, b] = [
    { gate: "a", type: "x" },
    { gate: "b", type: "x" },
  ];
  const fields = [{ fieldsV1: { "f:gates": { 'k:{"gate":"a"}': {} } } }];
  expect(authors(of(a), of(b, a), fields).map((line) => line.slice(2))).toEqual([
    "first | gates:",
    "second | - gate: b",
    "second |   type: x",
    "first | - gate: a",
    "first |   type: x",
  ]);
});

test("what goes from a list takes nobody else's author with it", () => {
  const tree = new Tree();
  tree.meet({ a: [{ name: "x" }] }, "first");
  tree.set(".a[1]", { name: "y" }, "second");
  tree.set(".a[0]", undefined, "third");
  expect(tree.lines().map(({ text, by }) => `${by} | ${text}`)).toEqual([
    "first | a:",
    "second | - name: y",
  ]);
});

test("a path leads to an element by its key, wherever that stands, or to a new one", () => {
  expect(keysOf('.spec.ports[containerPort=80,protocol="T,]P"]["a.b"][1]')).toEqual([
    "spec",
    "ports",
    new Map<string, Json>([
      ["containerPort", 80],
      ["protocol", "T,]P"],
    ]),
    "a.b",
    "1",
  ]);
  // The server cuts what is long: what is left of such a path would lead elsewhere.
  expect(keysOf('.spec["a.b')).toEqual([]);
  expect(keysOf(".spec.containers[…")).toEqual([]);
  const tree = new Tree();
  tree.meet({ c: [{ name: "x" }, { name: "y", ports: [{ containerPort: 80 }] }] }, "first");
  tree.change(
    [
      { path: '.c[name="z"]', after: { name: "z" } },
      { path: '.c[name="y"].image', after: "i" },
      { path: '.c[name="y"].ports[containerPort=80,protocol="TCP"].protocol', after: "TCP" },
      { path: '.c[name="x"]' },
      { path: '.c[name="nobody"]' },
      { path: '[name="no list"]', after: 1 },
    ],
    "second",
  );
  expect(tree.lines().map(({ text, by }) => `${by} | ${text}`)).toEqual([
    "first | c:",
    "first | - name: y",
    "second |   image: i",
    "first |   ports:",
    "first |   - containerPort: 80",
    "second |     protocol: TCP",
    "second | - name: z",
  ]);
});

test("the trace tells elements apart by the same fields as the page", () => {
  const source = readFileSync("core/apiserver/apitrace/elements.go", "utf8");
  const [, table = ""] = /var listKeys = \[\]\[\]string\{(.*?)\n\}/s.exec(source) ?? [];
  const keys = [...table.matchAll(/\{(.+?)\}/g)].map(
    ([, names = ""]) => JSON.parse(`[${names}]`) as string[],
  );
  expect(keys).toEqual(KEYS);
});
