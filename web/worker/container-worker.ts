import { decode, encode, FROM, text, TO, type Start } from "../container/message.ts";

/** Where a container's Worker has been begun. */
export interface Place {
  onmessage: ((event: MessageEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  postMessage(data: unknown, transfer: Transferable[]): void;
  terminate(): void;
}

/** What is said of a Worker that failed, as an ErrorEvent would. */
export interface Failure {
  readonly message: string;
  preventDefault(): void;
}

/**
 * A container's Worker, as the program knows it (wasm/jsx/worker_js.go), wherever it runs: that is looked for when it
 * is told its module. Questions whether it listens are answered for it until then.
 */
export class ContainerWorker {
  onmessage: ((event: Pick<MessageEvent, "data">) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  onerror: ((failure: Failure) => void) | null = null;
  /** Its process has ended, which no Worker of the browser's says. */
  onclose: ((event: object) => void) | null = null;
  readonly number: number;
  readonly #find: (worker: ContainerWorker, module: string) => Promise<Place | undefined>;
  readonly #waiting: [Uint8Array, Transferable[]][] = [];
  #place: Place | undefined;
  #ended = false;

  /** `find` begins it for a module; what it says itself (`fail`, `close`) it need not answer. */
  constructor(
    number: number,
    find: (worker: ContainerWorker, module: string) => Promise<Place | undefined>,
  ) {
    this.number = number;
    this.#find = find;
  }

  postMessage(data: Uint8Array<ArrayBuffer>, transfer: Transferable[]): void {
    if (this.#place) {
      this.#place.postMessage(data, transfer);
      return;
    }
    const { kind, id, data: told } = decode(data);
    if (kind === FROM.ping) {
      // Not at once: the program that asks has not come back yet.
      queueMicrotask(() => this.onmessage?.({ data: encode(TO.pong, id) }));
      return;
    }
    this.#waiting.push([data, transfer]);
    if (kind === FROM.start) void this.#begin((JSON.parse(text(told)) as Start).module);
  }

  terminate(): void {
    this.#ended = true;
    this.#place?.terminate();
  }

  /** Its browser says that it cannot run. */
  fail(message: string): void {
    if (!this.#ended) this.onerror?.({ message, preventDefault: () => undefined });
  }

  /** The process that it ran in has ended. */
  close(): void {
    if (!this.#ended) this.onclose?.({});
  }

  async #begin(module: string): Promise<void> {
    let place: Place | undefined;
    try {
      place = await this.#find(this, module);
    } catch (error) {
      this.fail(String(error));
    }
    if (!place) return;
    if (this.#ended) {
      place.terminate();
      return;
    }
    place.onmessage = (event) => this.onmessage?.(event);
    place.onmessageerror = (event) => this.onmessageerror?.(event);
    this.#place = place;
    for (const [data, transfer] of this.#waiting.splice(0)) place.postMessage(data, transfer);
  }
}
