/*
 * An image of a program's memory as a file: 64 bytes of head, a description in JSON, and the pages that differ from
 * those of a program that has just been made. The head is written when all else is on the disk: without it there is
 * no image.
 */
import type { State } from "./state.ts";

/** The least that is written or left out, and that WebAssembly's memory grows by, in bytes. */
export const PAGE = 64 << 10;
/** How many pages have a checksum together. */
const TOGETHER = 16;
const HEAD = 64;
const MAGIC = 0x7461626d;
/** Goes up with each change of what a file or a state means. */
const FORMAT = 1;

/** Bytes of what describes an image, at most. */
const MOST_TEXT = 32 << 20;

/** What it takes to have a state go on. */
interface Resumable {
  /** Go's functions, by their numbers: what is called first, and what is told how taking an image ended. */
  resumed: number;
  taken: number;
  /** Where the program's monotonic clock stood, in milliseconds. */
  steady: number;
  /** Its timer events (web/worker/timers.ts). */
  timers: { ids: number[]; next: number };
}

export interface Description {
  format: number;
  /** Of two images the one with the higher number counts. */
  serial: number;
  /** When it was taken, in milliseconds since 1970. */
  at: number;
  /** What program it is of: it goes on in no other. */
  build: string;
  cluster: string;
  /** What the page wanted of its cluster, as JSON. */
  config: string;
  /** The cluster's files that a running one does not write to all the time, with their sizes. */
  files: Record<string, number>;
  state: State & Resumable;
  /** What is in the file, in order: `count` pages from page `first` on. */
  pieces: { first: number; count: number; sum: number }[];
}

/** Of FileSystemSyncAccessHandle, what is used. */
export interface File {
  read(into: Uint8Array, options: { at: number }): number;
  write(from: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
}

/** A sum that any change of one word changes. `bytes` has whole words. */
export function sumOf(bytes: Uint8Array): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i + 1 < words.length; i += 2) {
    a = Math.imul(a ^ (words[i] ?? 0), 0x01000193);
    b = Math.imul(b ^ (words[i + 1] ?? 0), 0x01000193);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  return (a ^ Math.imul(b, 0x85ebca6b)) >>> 0;
}

/** The pages of `memory` that are not as `fresh` has them; beyond that, those that are not zero. */
export function differing(
  memory: ArrayBuffer,
  fresh: ArrayBuffer,
): { first: number; count: number }[] {
  const pieces: { first: number; count: number }[] = [];
  const words = PAGE / 8;
  const mine = new BigUint64Array(memory);
  const theirs = new BigUint64Array(fresh);
  for (let page = 0; page * PAGE < memory.byteLength; page++) {
    let differs = false;
    for (let i = page * words; i < (page + 1) * words && !differs; i++) {
      differs = mine[i] !== (theirs[i] ?? 0n);
    }
    if (!differs) continue;
    const last = pieces.at(-1);
    if (last && last.first + last.count === page && last.count < TOGETHER) last.count++;
    else pieces.push({ first: page, count: 1 });
  }
  return pieces;
}

/** Writes an image whole; returns its bytes. Throws what the file throws. */
export function write(
  file: File,
  about: Omit<Description, "pieces" | "format">,
  memory: ArrayBuffer,
  fresh: ArrayBuffer,
): number {
  const pages = (first: number, count: number) =>
    new Uint8Array(memory, first * PAGE, count * PAGE);
  const pieces = differing(memory, fresh).map((piece) => ({
    ...piece,
    sum: sumOf(pages(piece.first, piece.count)),
  }));
  const description: Description = { format: FORMAT, ...about, pieces };
  const text = padded(new TextEncoder().encode(JSON.stringify(description)));
  if (text.length > MOST_TEXT) throw new Error("there is too much to say of the image");
  file.truncate(0);
  put(file, text, HEAD);
  let at = HEAD + text.length;
  for (const { first, count } of pieces) {
    put(file, pages(first, count), at);
    at += count * PAGE;
  }
  file.flush();
  const head = new Uint32Array(HEAD / 4);
  head.set([MAGIC, FORMAT, text.length, sumOf(text), about.serial]);
  head[HEAD / 4 - 1] = sumOf(new Uint8Array(head.buffer, 0, HEAD - 8));
  put(file, new Uint8Array(head.buffer), 0);
  file.flush();
  return at;
}

function put(file: File, bytes: Uint8Array, at: number): void {
  if (file.write(bytes, { at }) !== bytes.length) throw new Error("not all of it was written");
}

function padded(text: Uint8Array): Uint8Array {
  const all = new Uint8Array(Math.ceil(text.length / 8) * 8).fill(0x20);
  all.set(text);
  return all;
}

/** What is wrong with an image. */
export class Damaged extends Error {}

/** Reads what an image says of itself; undefined where none was completed. Throws Damaged. */
export function describe(file: File): Description | undefined {
  const head = new Uint32Array(HEAD / 4);
  const bytes = new Uint8Array(head.buffer);
  if (file.read(bytes, { at: 0 }) !== HEAD || head.every((word) => word === 0)) return undefined;
  const [magic, format, length = 0, sum] = head;
  if (magic !== MAGIC || head[HEAD / 4 - 1] !== sumOf(bytes.subarray(0, HEAD - 8))) {
    throw new Damaged("its head is damaged");
  }
  if (format !== FORMAT) throw new Damaged("it is of another version");
  if (length > MOST_TEXT) throw new Damaged("it says too much");
  const text = new Uint8Array(length);
  if (file.read(text, { at: HEAD }) !== length || sumOf(text) !== sum) {
    throw new Damaged("its description is damaged");
  }
  const description = JSON.parse(new TextDecoder().decode(text)) as Description;
  let size = HEAD + length;
  for (const { count } of description.pieces) size += count * PAGE;
  if (file.getSize() !== size) throw new Damaged("it is cut off");
  return description;
}

/** Puts an image's pages into a fresh program's memory, which is large enough; returns its bytes. Throws Damaged. */
export function read(file: File, { pieces }: Description, memory: ArrayBuffer): number {
  let at = file.getSize();
  for (const { count } of pieces) at -= count * PAGE;
  let bytes = 0;
  for (const { first, count, sum } of pieces) {
    if ((first + count) * PAGE > memory.byteLength)
      throw new Damaged("it has pages beyond its memory");
    const into = new Uint8Array(memory, first * PAGE, count * PAGE);
    if (file.read(into, { at }) !== into.length) throw new Damaged("it is cut off");
    if (sumOf(into) !== sum) throw new Damaged("a part of it is not as it was written");
    at += into.length;
    bytes += into.length;
  }
  return bytes;
}
