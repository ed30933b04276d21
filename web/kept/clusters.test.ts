import { expect, test } from "vitest";
import { persist, rename, storageState } from "./clusters.ts";
import { fileSystem, type Files } from "./fake-storage.ts";

test("a cluster that gets another name leaves the image of its memory behind, which is deleted", async () => {
  const journal = new Uint8Array([1, 2]);
  const files: Files = {
    tabernetes: {
      old: { "journal-1": journal, lock: 0, "image-0": 5, "image-1": 6, "image-tried": 0, keys: 3 },
    },
  };
  await rename("old", "new", fileSystem(files));
  expect(files.tabernetes).toEqual({ new: { "journal-1": journal, keys: 3 } });
});

test("the browser is asked to keep what is there, and believed", async () => {
  for (const granted of [true, false]) {
    const answers = () => Promise.resolve(granted);
    expect(await persist({ persist: answers })).toBe(granted);
    expect(
      await storageState({
        persisted: answers,
        estimate: () => Promise.resolve({ usage: 5, quota: 7 }),
      }),
    ).toEqual({ usage: 5, quota: 7, persisted: granted });
  }
  // A browser that has no such question has not promised anything.
  expect(await persist({})).toBe(false);
  expect(await storageState({})).toEqual({ persisted: false });
  await expect(persist({ persist: () => Promise.reject(new Error("no")) })).rejects.toThrow("no");
});
