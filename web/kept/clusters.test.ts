import { expect, test } from "vitest";
import { rename } from "./clusters.ts";
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
