import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { Versions } from "./versions.ts";

const put = (id: number, name: string): TraceStep => ({
  id,
  at: id,
  kind: "etcd.put",
  component: "etcd",
  chapter: "etcd",
  object: { resource: "pods", name },
  details: { key: `/registry/pods/default/${name}`, revision: id },
});

test("what a story is about is read once, and is there when etcd has forgotten it", async () => {
  const asked: number[] = [];
  let compacted = false;
  const versions = new Versions({
    object: (_key, { revision, ...how }) => {
      // What is kept here is shown unasked.
      expect(how).toEqual({ format: "json", cut: true });
      asked.push(revision);
      return compacted || revision === 3
        ? Promise.reject(new Error("compacted"))
        : Promise.resolve({ text: String(revision) } as never);
    },
  });
  const steps = [put(1, "a"), put(2, "b"), put(3, "a"), put(4, "a")];
  await versions.read(steps, [put(9, "a")]);
  expect(asked).toEqual([1, 3, 4]);
  compacted = true;
  const how = { revision: 4, format: "json", cut: true } as const;
  expect((await versions.object("/registry/pods/default/a", how)).text).toBe("4");
  await versions.read(steps, [put(9, "a")]);
  expect(asked).toEqual([1, 3, 4, 3]);
});

test("it holds so many and so much, and the oldest go first", async () => {
  const asked: number[] = [];
  const versions = new Versions({
    object: (_key, { revision }) => {
      asked.push(revision);
      return Promise.resolve({ text: "x".repeat(1 << 20) } as never);
    },
  });
  const read = (revision: number) => versions.object("/k", { revision, format: "json", cut: true });
  for (const revision of [1, 2, 3, 4, 5, 5, 1]) await read(revision);
  expect(asked).toEqual([1, 2, 3, 4, 5, 1]);
});
