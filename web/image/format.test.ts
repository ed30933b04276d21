import { describe as group, expect, test } from "vitest";
import { Damaged, describe, differing, PAGE, read, sumOf, write, type File } from "./format.ts";

class MemoryFile implements File {
  bytes = new Uint8Array(0);
  read(into: Uint8Array, { at }: { at: number }): number {
    const part = this.bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  }
  write(from: Uint8Array, { at }: { at: number }): number {
    if (this.bytes.length < at + from.length) this.truncate(at + from.length);
    this.bytes.set(from, at);
    return from.length;
  }
  truncate(size: number): void {
    const bytes = new Uint8Array(size);
    bytes.set(this.bytes.subarray(0, size));
    this.bytes = bytes;
  }
  getSize(): number {
    return this.bytes.length;
  }
  flush(): void {
    // always
  }
}

const PAGES = 40;

/** A memory of which some pages are as they began, some are zero, and some are others. */
function memories() {
  const fresh = new ArrayBuffer(30 * PAGE);
  const memory = new ArrayBuffer(PAGES * PAGE);
  new Uint8Array(fresh).fill(7, 0, 4 * PAGE);
  new Uint8Array(memory).fill(7, 0, 2 * PAGE);
  const words = new Uint32Array(memory);
  for (let page = 5; page < 25; page++) words[(page * PAGE) / 4 + page] = page * 0x01010101;
  words[(38 * PAGE) / 4] = 1;
  return { fresh, memory };
}

const about = {
  serial: 3,
  at: 0,
  build: "b",
  cluster: "c",
  config: "{}",
  files: {},
  state: {
    ...{ memory: PAGES * PAGE, globals: {}, values: [], counts: [], free: [] },
    ...{ resumed: 1, taken: 2, steady: 0, timers: { ids: [], next: 1 } },
  },
};

function saved() {
  const { fresh, memory } = memories();
  const file = new MemoryFile();
  const bytes = write(file, about, memory, fresh);
  return { fresh, memory, file, bytes };
}

/** What comes of reading it. */
function readAgain(file: File, fresh: ArrayBuffer): ArrayBuffer | undefined {
  const found = describe(file);
  if (!found) return undefined;
  const memory = new ArrayBuffer(PAGES * PAGE);
  new Uint8Array(memory).set(new Uint8Array(fresh));
  read(file, found, memory);
  return memory;
}

const same = (a: ArrayBuffer, b: ArrayBuffer) => Buffer.from(a).equals(Buffer.from(b));

test("only the pages that differ from a fresh program's are in it, in pieces", () => {
  const { fresh, memory } = memories();
  expect(differing(memory, fresh)).toEqual([
    { first: 2, count: 2 }, // began as something and are zero
    { first: 5, count: 16 },
    { first: 21, count: 4 },
    { first: 38, count: 1 },
  ]);
});

test("there and back", () => {
  const { fresh, memory, file, bytes } = saved();
  expect(bytes).toBe(file.getSize());
  const again = readAgain(file, fresh);
  expect(again && same(again, memory)).toBe(true);
  expect(describe(file)?.serial).toBe(3);
});

group("an image that is not as it was written is none", () => {
  const { fresh, memory, file } = saved();
  const attempt = (bytes: Uint8Array) => {
    const other = new MemoryFile();
    other.bytes = bytes as Uint8Array<ArrayBuffer>;
    try {
      return readAgain(other, fresh);
    } catch (error) {
      expect(error).toBeInstanceOf(Damaged);
      return undefined;
    }
  };

  test("cut off anywhere", () => {
    for (let at = 0; at < file.bytes.length; at += at < 2000 ? 1 : 9973) {
      expect(attempt(file.bytes.slice(0, at))).toBeUndefined();
    }
  });

  test("a flipped bit anywhere", () => {
    for (let at = 0; at < file.bytes.length; at += at < 2000 ? 1 : 9973) {
      const bytes = file.bytes.slice();
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      const got = attempt(bytes);
      // What stands between the head's words and its end means nothing.
      if (got) expect(same(got, memory)).toBe(true);
    }
  });

  test("its head was never written", () => {
    const bytes = file.bytes.slice();
    bytes.fill(0, 0, 64);
    expect(attempt(bytes)).toBeUndefined();
  });
});

test("any changed word changes the sum", () => {
  const bytes = new Uint8Array(64).map((_, i) => i * 7);
  const sums = new Set([sumOf(bytes)]);
  for (let bit = 0; bit < 512; bit++) {
    const other = bytes.slice();
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    sums.add(sumOf(other));
  }
  expect(sums.size).toBe(513);
});
