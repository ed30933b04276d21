import type { FromFrame, ToFrame } from "./frame-wire.ts";

/** What is used here of a frame's scope. */
export interface Scope {
  readonly origin: string;
  readonly parent: unknown;
}

/**
 * Whether a frame may run modules: with an opaque origin, or below nothing but pages of its own. Nobody else is to
 * have a module run with this site's origin.
 */
export function mayRun(scope: Scope, ancestors: Iterable<string> | undefined): boolean {
  if (scope.parent === scope) return false;
  if (scope.origin === "null") return true;
  return ancestors !== undefined && [...ancestors].every((origin) => origin === scope.origin);
}

/** The Workers that were begun in this frame. */
export class Hosted {
  readonly #cluster: MessagePort;
  readonly #start: (number: number) => Worker;
  readonly #readable: (module: string) => Promise<boolean>;
  /** By number; undefined as long as it is looked whether its module may be read. */
  readonly #workers = new Map<number, Worker | undefined>();

  constructor(
    cluster: MessagePort,
    start: (number: number) => Worker,
    readable: (module: string) => Promise<boolean>,
  ) {
    this.#cluster = cluster;
    this.#start = start;
    this.#readable = readable;
    cluster.onmessage = ({ data, ports: [port] }: MessageEvent<ToFrame>) => {
      const { type, number } = data;
      if (type === "ping") this.#say({ type: "pong", number });
      else if (type === "end") this.#end(number);
      else if (port) void this.#begin(number, data.module, port);
    };
  }

  async #begin(number: number, module: string, port: MessagePort): Promise<void> {
    this.#workers.set(number, undefined);
    const readable = await this.#readable(module);
    if (!this.#workers.has(number)) return; // it was ended
    if (!readable) {
      this.#workers.delete(number);
      this.#say({ type: "begun", number, begun: false });
      return;
    }
    let worker: Worker;
    try {
      worker = this.#start(number);
    } catch (error) {
      this.#fail(number, String(error));
      return;
    }
    this.#workers.set(number, worker);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(number, event.message || "its script could not be loaded");
    };
    // It speaks by its port; before it has that it says only that it cannot begin.
    worker.onmessage = () => this.#fail(number, "its scope could not be emptied");
    worker.postMessage(null, [port]);
    this.#say({ type: "begun", number, begun: true });
  }

  #fail(number: number, message: string): void {
    this.#end(number);
    this.#say({ type: "failed", number, message });
  }

  #end(number: number): void {
    this.#workers.get(number)?.terminate();
    this.#workers.delete(number);
  }

  #say(message: FromFrame): void {
    this.#cluster.postMessage(message);
  }
}
