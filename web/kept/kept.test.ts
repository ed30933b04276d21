import { expect, test } from "vitest";
import { fileSystem, type Files } from "./fake-storage.ts";
import { forget, forgetAsSaid, forgetAtNextLoad, listKept } from "./kept.ts";

function storage() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

test("what is kept is listed with its size, and deleted", async () => {
  const files: Files = {
    tabernetes: { two: { "journal-1": 5, lock: 0 }, one: { keys: 3 } },
    other: {},
  };
  const root = fileSystem(files);
  expect(await listKept(root)).toEqual([
    { name: "one", bytes: 3 },
    { name: "two", bytes: 5 },
  ]);
  await forget("one", root);
  await forget("one", root);
  expect(Object.keys(files.tabernetes as Files)).toEqual(["two"]);
});

test("what was begun and never completed is no cluster, and goes", async () => {
  const files: Files = {
    tabernetes: { half: { "journal-1": 5, unfinished: 0 }, one: { keys: 3 } },
  };
  expect(await listKept(fileSystem(files))).toEqual([{ name: "one", bytes: 3 }]);
  expect(Object.keys(files.tabernetes as Files)).toEqual(["one"]);
  const running: Files = { tabernetes: { half: { unfinished: 0 } } };
  expect(await listKept(fileSystem(running, { times: 1 }))).toEqual([]);
  expect(Object.keys(running.tabernetes as Files)).toEqual(["half"]);
});

test("a cluster is deleted at the next load, once its Worker has ended", async () => {
  const files: Files = { tabernetes: { cluster: { "journal-1": 5 } } };
  const kept = storage();
  expect(await forgetAsSaid(kept, fileSystem(files), 0)).toBe("");
  forgetAtNextLoad("cluster", kept);
  expect(await forgetAsSaid(kept, fileSystem(files, { times: 3 }), 0)).toBe("");
  expect(files.tabernetes).toEqual({});
  expect(kept.getItem("tabernetes.forget")).toBe(null);
});

test("what another tab holds is not deleted, and that is said", async () => {
  const files: Files = { tabernetes: { cluster: { "journal-1": 5 } } };
  const kept = storage();
  forgetAtNextLoad("cluster", kept);
  expect(await forgetAsSaid(kept, fileSystem(files, { times: 1000 }), 0)).toContain(
    "could not be deleted: busy",
  );
  expect(files.tabernetes).toEqual({ cluster: { "journal-1": 5 } });
});
