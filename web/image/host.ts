/*
 * What the Go program asks for an image of itself (wasm/image_js.go). It is taken between two events, while every
 * goroutine rests, as one copy; a Worker of its own compares and writes it.
 */
import { startWorker } from "../cluster/start-worker.ts";
import type { MemoryImage } from "../rpc/protocol.ts";
import { messageOf } from "../rpc/reason.ts";
import type { WorkerInit } from "../worker/init.ts";
import type { Timers } from "../worker/timers.ts";
import { dropImages, filesOf, folderOf, sameFiles } from "./folder.ts";
import { Room } from "./room.ts";
import { stateOf, type Running } from "./state.ts";
import { DROPPED, forPeople } from "./reasons.ts";
import { Nameless, type Known } from "./values.ts";
import type { WriteOrder, Written } from "./writer.ts";

/** What Go finds as `tabernetesHost.image`. */
export interface ImageHost {
  /** Why the cluster was started anew although its memory is kept; "" if there was nothing to go on from. */
  why: string;
  /** Go's functions: what is called first in a program that goes on, and what is told how taking ended. */
  offer(resumed: unknown, taken: (why: string) => void): void;
  /** Makes room for the copy, while the program runs. */
  prepare(): Promise<void>;
  take(): void;
  /** Go never takes one. */
  cannot(why: string): void;
  /** Deletes what there is, and what is being written. */
  drop(): Promise<void>;
  /** Go does not go on from this image. The program ends at its next look at the clock. */
  refuse(why: string): void;
}

/** What is known of images in this Worker, for tests and whoever looks: `tabernetesImage` there. */
export interface ImageReport {
  taken: number;
  written: number;
  /** The serial of the one that the program went on from. */
  from?: number;
  /** Bytes of the last one, and what the copy and the writing took in milliseconds. */
  bytes?: number;
  copied?: number;
  wrote?: number;
  /** How many JavaScript values its program held, each of which has a name by which it is made again. */
  named?: number;
  /** Why there is none; undefined while there is. */
  why?: string;
  /** What the page is told. */
  told: Pick<MemoryImage, "kept" | "failed">;
}

export interface Taking {
  go: Running;
  known: Known;
  init: WorkerInit;
  module: WebAssembly.Module;
  build: string;
  steady: () => number;
  timers: Pick<Timers, "waiting">;
  why: string;
  report: ImageReport;
  /** Tells the page what the report has for it. */
  tell: () => void;
}

/** Why a device's memory is too short for a second copy of the program's; "" if it is not. */
export function shortOf(gigabytes: number | undefined): string {
  return gigabytes !== undefined && gigabytes < 4 ? "this machine has too little memory" : "";
}

/** Why a program has too much memory, in bytes, for an image of it; "" if it has not. */
export function tooMuch(bytes: number): string {
  return bytes > MOST
    ? `it has ${Math.round(bytes / 1e6)} MB of memory, and ${Math.round(MOST / 1e6)} are kept at most`
    : "";
}

/** Why the browser's storage is too short for an image of so many bytes beside the last one; "" if it is not. */
export function shortStorage(bytes: number, { quota = 0, usage = 0 }: StorageEstimate): string {
  return quota - usage < 2 * bytes
    ? `the browser's storage for this page is short: ${Math.round((2 * bytes) / 1e6)} MB are to be free, and ${Math.round((quota - usage) / 1e6)} are`
    : "";
}

/** Of the most that a program's memory may have, in bytes. */
const MOST = 640 << 20;

export class TakingImages implements ImageHost {
  why: string;
  refused: string | undefined;
  readonly #by: Taking;
  #resumed: unknown;
  #taken: (why: string) => void = () => undefined;
  #writing: Worker | undefined;
  readonly #room = new Room();
  #dropped = false;
  #serial = Date.now();

  constructor(by: Taking, offered?: { resumed: unknown; taken: (why: string) => void }) {
    this.#by = by;
    this.why = by.why;
    if (offered) this.offer(offered.resumed, offered.taken);
  }

  offer(resumed: unknown, taken: (why: string) => void): void {
    this.#resumed = resumed;
    this.#taken = taken;
  }

  async prepare(): Promise<void> {
    const { buffer } = this.#by.go.mem;
    if (buffer.byteLength <= MOST) await this.#room.make(buffer);
  }

  take(): void {
    setTimeout(() => {
      this.#take().then(
        () => this.#taken(""),
        (error: unknown) => {
          const why = messageOf(error);
          this.#failed(why);
          this.#taken(why);
        },
      );
    });
  }

  cannot(why: string): void {
    this.#failed(why, true);
  }

  async drop(): Promise<void> {
    this.#dropped = true;
    this.#writing?.terminate();
    this.#writing = undefined;
    this.#failed(DROPPED);
    delete this.#by.report.told.kept;
    this.#by.tell();
    await dropImages(this.#by.init.config.keep ?? "");
  }

  refuse(why: string): void {
    this.refused = why;
  }

  /** Notes why there is no newer image, and tells the page. */
  #failed(why: string, lasts = false): void {
    const { report, tell } = this.#by;
    report.why = why;
    report.told.failed = { at: Date.now(), why: forPeople(why), ...(lasts && { lasts }) };
    tell();
  }

  async #take(): Promise<void> {
    const { go, known, init, module, build, steady, timers, report, tell } = this.#by;
    const cluster = init.config.keep ?? "";
    if (this.#writing) throw new Error("the last one is still being written");
    const size = go.mem.buffer.byteLength;
    const short =
      shortOf((navigator as { deviceMemory?: number }).deviceMemory) ||
      tooMuch(size) ||
      shortStorage(size, await navigator.storage.estimate());
    if (short) throw new Error(short);
    const folder = await folderOf(cluster);
    const files = await filesOf(folder);
    const began = performance.now();
    // From here to the copy nothing else runs.
    const resumed = known.functions.get(this.#resumed as object);
    const taken = known.functions.get(this.#taken);
    if (resumed === undefined || taken === undefined)
      throw new Nameless("a program that was not made here");
    const state = stateOf(go, known);
    const memory = this.#room.copy(go.mem.buffer);
    const at = Date.now();
    const clock = steady();
    const { waiting } = timers;
    report.copied = performance.now() - began;
    report.named = state.values.filter(Boolean).length;
    if (!sameFiles(files, await filesOf(folder))) throw new Error("its files changed meanwhile");
    report.taken++;
    const order: WriteOrder = {
      cluster,
      module,
      memory,
      about: {
        serial: ++this.#serial,
        at,
        build,
        cluster,
        config: JSON.stringify(init.config),
        files,
        state: { ...state, resumed, taken, steady: clock, timers: waiting },
      },
    };
    const writer = startWorker(new URL(init.imageUrl), "image");
    this.#writing = writer;
    const began2 = performance.now();
    const end = (done: Written) => {
      writer.terminate();
      if (this.#writing === writer) this.#writing = undefined;
      report.wrote = performance.now() - began2;
      if (done.why !== undefined) {
        this.#failed(done.why);
        console.warn(`no image of the cluster's memory was kept: ${done.why}`);
        return;
      }
      delete report.why;
      report.written++;
      report.bytes = done.bytes ?? 0;
      report.told = { kept: { at, bytes: report.bytes } };
      tell();
      if (this.#dropped) void this.drop().catch(() => undefined);
    };
    writer.onmessage = ({ data }: MessageEvent<Written>) => end(data);
    writer.onerror = (event) => end({ why: event.message || "its script could not be loaded" });
    writer.postMessage(order, [memory]);
  }
}
