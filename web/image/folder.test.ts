import { afterEach, expect, test, vi } from "vitest";
import { fileSystem, type Files } from "../kept/fake-storage.ts";
import { dropImages, filesOf, folderOf } from "./folder.ts";
import { write, type File } from "./format.ts";
import { Anew, findImage, resume, type Found } from "./resume.ts";

afterEach(() => void vi.unstubAllGlobals());

function storage(cluster: Files, busy?: { times: number }): Files {
  const files = { tabernetes: { c: cluster } };
  vi.stubGlobal("navigator", { storage: { getDirectory: fileSystem(files, busy) } });
  return cluster;
}

const about = {
  ...{ serial: 1, at: 0, build: "b", cluster: "c", config: `{"nodes":3}`, files: {} },
  state: {
    ...{ memory: 0, globals: {}, values: [], counts: [], free: [] },
    ...{ resumed: 1, taken: 2, steady: 0, timers: { ids: [], next: 1 } },
  },
};

/** An image of nothing, as a file. */
function image(serial: number): Uint8Array {
  let bytes = new Uint8Array(0);
  const file = {
    write(from: Uint8Array, { at }: { at: number }) {
      const all = new Uint8Array(Math.max(bytes.length, at + from.length));
      all.set(bytes);
      all.set(from, at);
      bytes = all;
      return from.length;
    },
    truncate: () => undefined,
    flush: () => undefined,
  } as unknown as File;
  write(file, { ...about, serial }, new ArrayBuffer(0), new ArrayBuffer(0));
  return bytes;
}

test("an image is deleted whole, with the note that it was tried, and nothing else is", async () => {
  const busy = { times: 2 };
  const cluster = storage({ keys: 3, "image-0": 5, "image-1": 6, "image-tried": 0 }, busy);
  await dropImages("c");
  expect(cluster).toEqual({ keys: 3 });
  await dropImages("another"); // there is none
});

test("images are no part of the files that an image is compared by", async () => {
  storage({
    keys: 3,
    "image-0": 5,
    "image-tried": 0,
    "checkpoints-2": 5,
    lock: 0,
    "journal-1": 9,
    revisions: 8,
  });
  expect(await filesOf(await folderOf("c"))).toEqual({ keys: 3, "journal-1": -1, revisions: -1 });
});

test("of two images the newer one counts", async () => {
  storage({ "image-0": image(8), "image-1": image(7) });
  expect((await findImage("c"))?.about.serial).toBe(8);
});

test("what is left of an image that was never completed does not count", async () => {
  storage({ "image-0": image(7), "image-1": image(8).fill(0, 0, 64) });
  expect((await findImage("c"))?.about.serial).toBe(7);
});

test("an image that was tried once, and whose program ended at once, is not tried again", async () => {
  storage({ "image-0": image(7), "image-tried": 0 });
  await expect(findImage("c")).rejects.toThrow(
    new Anew("the last time that it was tried, it ended at once"),
  );
});

test.each([
  ["another version", { build: "a newer one" }, "it is of another version of Tabernetes"],
  ["another cluster", { keep: "d" }, "it is another cluster's"],
  ["other settings", { nodes: 5 }, "the settings are others"],
])("an image of %s is not gone on from, and its file is closed", async (_what, other, why) => {
  const { build = "b", ...change } = other as { build?: string };
  const config = { nodes: 3, keep: "c", ...change };
  let closed = 0;
  const found = {
    about: { ...about, config: JSON.stringify({ nodes: 3, keep: "c" }), pieces: [], format: 1 },
    file: { close: () => closed++ },
  } as unknown as Found;
  const begun = vi.fn();
  const by = { found, build, init: { config }, begin: begun } as unknown;
  await expect(resume(by as Parameters<typeof resume>[0])).rejects.toThrow(new Anew(why));
  expect(closed).toBe(1);
  expect(begun).not.toHaveBeenCalled();
});
