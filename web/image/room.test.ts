import { expect, test } from "vitest";
import { Room } from "./room.ts";

const MEMORY = 9 << 20;

function memoryOf(first: number): ArrayBuffer {
  const bytes = new Uint8Array(MEMORY);
  bytes[0] = first;
  bytes[MEMORY - 1] = 7;
  return bytes.buffer;
}

test("a copy is of the moment that it is taken at, and its own", async () => {
  const room = new Room();
  const memory = memoryOf(1);
  let turns = 0;
  await room.make(memory, () => {
    turns++;
    return Promise.resolve();
  });
  expect(turns).toBe(3);
  new Uint8Array(memory)[0] = 2;
  const first = room.copy(memory);
  new Uint8Array(memory)[0] = 3;
  // Nothing was prepared for this one.
  const second = room.copy(memory);
  expect([new Uint8Array(first)[0], new Uint8Array(second)[0]]).toEqual([2, 3]);
  expect([first.byteLength, new Uint8Array(first)[MEMORY - 1]]).toEqual([MEMORY, 7]);
});

test("a memory that has grown since is copied whole all the same", async () => {
  const room = new Room();
  await room.make(memoryOf(1));
  const grown = new Uint8Array(MEMORY + 65536).fill(5).buffer;
  expect(new Uint8Array(room.copy(grown)).every((byte) => byte === 5)).toBe(true);
  const memory = memoryOf(1);
  await room.make(memory, () => {
    structuredClone(memory, { transfer: [memory] });
    return Promise.resolve();
  });
  expect(new Uint8Array(room.copy(memoryOf(4)))[0]).toBe(4);
});
