import { expect, test, vi } from "vitest";
import { Store } from "../state/store.ts";
import { SelectedObject } from "./selected-object.ts";
import type { Selection } from "./selection.ts";

/** An apiserver that has pods by their names, and whose watches say what `send` has them say. */
function server(...names: string[]) {
  const watches: ReadableStreamDefaultController<Uint8Array>[] = [];
  const asked: string[] = [];
  const line = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  const table = (pods: string[]) => ({
    kind: "Table",
    metadata: { resourceVersion: "1" },
    columnDefinitions: [{ name: "Name" }],
    rows: pods.map((name) => ({
      cells: [name],
      object: { metadata: { name, uid: `uid-${name}` } },
    })),
  });
  const fetch = (path: string) => {
    const { searchParams } = new URL(path, "http://tab");
    const name = (searchParams.get("fieldSelector") ?? "").replace("metadata.name=", "");
    if (!searchParams.has("watch")) {
      asked.push(name);
      return Promise.resolve(Response.json(table(names.filter((one) => one === name))));
    }
    return Promise.resolve(
      new Response(new ReadableStream<Uint8Array>({ start: (c) => void watches.push(c) })),
    );
  };
  return { asked, fetch, send: (event: unknown) => watches.at(-1)?.enqueue(line(event)), table };
}

function over(...names: string[]) {
  const { asked, fetch, send, table } = server(...names);
  const selection = new Store<Selection | undefined, Selection | undefined>(
    (_, to) => to,
    undefined,
  );
  const changed = vi.fn();
  const object = new SelectedObject({ fetch, selection, changed });
  const select = (name: string) => {
    selection.dispatch(name ? { kind: "pod", namespace: "default", name, uid: "" } : undefined);
    return object.select();
  };
  return { asked, changed, object, select, selection, send, table };
}

test("one object is followed at a time, and what marks it in the views is told", async () => {
  const { asked, changed, object, select, selection } = over("a", "b");
  expect(object.select()).toBe(false);
  expect(select("a")).toBe(true);
  expect(select("a")).toBe(false);
  await vi.waitFor(() => expect(object.row?.object.metadata.name).toBe("a"));
  expect(selection.state?.uid).toBe("uid-a");
  expect(object).toMatchObject({ synced: true, deleted: false, problem: "" });
  expect(changed).toHaveBeenCalled();
  expect(select("b")).toBe(true);
  expect(object.row).toBeUndefined();
  await vi.waitFor(() => expect(object.row?.object.metadata.name).toBe("b"));
  expect(select("")).toBe(true);
  expect(object.place).toBeUndefined();
  expect(asked).toEqual(["a", "b"]);
});

test("what is deleted, or never was, is told; what was known stays", async () => {
  const { object, select, send, table } = over("a");
  select("a");
  await vi.waitFor(() => expect(object.row).toBeDefined());
  send({ type: "DELETED", object: table(["a"]) });
  await vi.waitFor(() => expect(object.deleted).toBe(true));
  expect(object.row?.object.metadata.name).toBe("a");
  select("never");
  await vi.waitFor(() => expect(object.synced).toBe(true));
  expect(object).toMatchObject({ deleted: true, row: undefined });
  object.dispose();
});

test("whose element was elsewhere follows it again", async () => {
  const { asked, object, select } = over("a");
  select("a");
  await vi.waitFor(() => expect(object.row).toBeDefined());
  object.dispose();
  expect(object.select()).toBe(true);
  await vi.waitFor(() => expect(asked).toEqual(["a", "a"]));
  object.dispose();
});
