import { expect, test } from "vitest";
import { FakeCluster } from "../dev/fake-cluster.ts";
import { FakeEtcd } from "../dev/fake-etcd.ts";
import type { Methods } from "../rpc/protocol.ts";
import { Etcd, type EtcdClient } from "./etcd.ts";

/** A worker that is asked for the store only. */
function over(fake: FakeEtcd, asked: unknown[] = []): Etcd {
  const answers = {
    etcdKeys: (params: Methods["etcdKeys"]["params"]) => fake.keys(params),
    etcdObject: (params: Methods["etcdObject"]["params"]) => fake.object(params),
    etcdHistory: (params: Methods["etcdHistory"]["params"]) => fake.history(params),
    etcdWatchers: () => fake.watchers(),
  };
  const client = {
    call: (method: keyof typeof answers, params: never) => {
      asked.push([method, params]);
      return { result: Promise.resolve(answers[method](params)) };
    },
  };
  return new Etcd(client as unknown as EtcdClient);
}

test("keys are a tree, a page at a time", async () => {
  const cluster = new FakeCluster();
  cluster.addNamespaces("default", "kube-system");
  const etcd = over(new FakeEtcd(cluster));
  const top = await etcd.keys("");
  expect(top.entries.map((e) => [e.name, e.directory])).toEqual([["/", true]]);
  const all = await etcd.keys("/registry/");
  expect(all.entries).toContainEqual(
    expect.objectContaining({ name: "/registry/namespaces/", directory: true, keys: 2 }),
  );
  const names: string[] = [];
  for (let more = true; more;) {
    const page = await etcd.keys("/registry/", names.at(-1), 1);
    names.push(...page.entries.map((entry) => entry.name));
    more = page.more;
  }
  expect(names).toEqual(all.entries.map((entry) => entry.name));
});

test("a Secret's values come when they are asked for, and not before", async () => {
  const asked: unknown[] = [];
  const etcd = over(new FakeEtcd(new FakeCluster()), asked);
  const key = "/registry/secrets/default/login";
  const hidden = await etcd.object(key);
  expect(hidden.withheld).toBe(true);
  expect(hidden.text).not.toContain("c2VjcmV0");
  expect(asked).toEqual([["etcdObject", { key }]]);
  expect((await etcd.object(key, { secrets: true })).text).toContain("c2VjcmV0");
});
