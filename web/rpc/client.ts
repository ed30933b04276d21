import {
  VERSION,
  type BootStep,
  type EventOf,
  type Fault,
  type MemoryImage,
  type Methods,
  type OrderOf,
  type RpcError,
  type Slept,
  type ToPage,
  type ToWorker,
} from "./protocol.ts";

/** The part of MessagePort the client needs, so that tests can stand in for the worker. */
export interface Port {
  postMessage(message: ToWorker): void;
  onmessage: ((event: MessageEvent<ToPage>) => void) | null;
  close(): void;
}

/** A call that the worker answered with an error, or could not answer at all. */
export class CallError extends Error {
  /** By which it is told from other errors where `instanceof` cannot. */
  override readonly name = "CallError";
  /** What to do about it, when the worker knows. */
  readonly hint: string | undefined;

  constructor(error: RpcError, options?: ErrorOptions) {
    super(error.message, options);
    this.hint = error.hint;
  }
}

/** What a call may be told while it runs. Every handler is optional. */
export interface CallHandlers<E = never> {
  /** What the method tells unasked. */
  event?(event: E): void;
  /** The status line and headers of a `fetch`, before its first byte. */
  head?(head: Extract<ToPage, { type: "head" }>): void;
  /**
   * Output bytes. They count as read when the returned promise settles (at once when there is
   * none); until then they hold the worker back, see WINDOW in the protocol.
   */
  data?(chunk: Uint8Array, stream: "stdout" | "stderr" | "body"): undefined | Promise<void>;
  raw?(on: boolean): void;
  stdin?(): void;
  /** A file is to be edited by a person; resolves with its new text, or undefined. */
  edit?(name: string, text: string): Promise<string | undefined>;
}

/** One call under way. */
export interface Call<R, O = never> {
  /** Settles once, with the worker's answer. */
  readonly result: Promise<R>;
  send(chunk: Uint8Array): void;
  end(): void;
  resize(cols: number, rows: number): void;
  signal(signal: "INT" | "TERM"): void;
  /** Wants something of the call while it runs. */
  order(order: O): void;
  /** Asks the worker to end early; `result` still settles with what the worker answers. */
  cancel(): void;
}

interface Pending {
  /** Somebody waits for its end. */
  awaited: boolean;
  handlers: CallHandlers<unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const FOLLOWING: (keyof Methods)[] = ["trace", "audit", "answered", "measureContainers"];

/** Calls that follow what happens, for as long as anything does: their end is not waited for. */
function follows(method: keyof Methods, params: unknown): boolean {
  if (FOLLOWING.includes(method)) return true;
  const { path } = params as { path?: unknown };
  return method === "fetch" && /[?&](watch|follow)=(true|1)(&|$)/.test(String(path));
}

/** What people are told to do when page and module do not understand each other, unless their page says otherwise. */
const RELOAD =
  "Reload the page. If that does not help, empty the browser's cache for this site and reload.";

/** What people are told when page and module do not understand each other. */
function otherAge(version: number, hint: string): Fault {
  const older =
    version < VERSION ? "module is older than the page" : "page is older than the module";
  return {
    type: "fault",
    component: "page",
    message: `The page and the cluster's module are not of the same age: the ${older} (version ${VERSION} of their protocol here, ${version || "none"} there).`,
    hint,
  };
}

/** Calls to the worker over one MessagePort. */
export class RpcClient {
  readonly #port: Port;
  readonly #otherAge: string;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #awaited = 0;
  #broken: Error | undefined;
  /** The Go program has said which version it speaks. */
  #greeted = false;

  /** Progress of starting; called in the order of arrival. */
  onBoot: ((step: BootStep) => void) | undefined;
  onSlept: ((slept: Slept) => void) | undefined;
  onImage: ((image: MemoryImage) => void) | undefined;
  /** Somebody waits for the worker now, or nobody does any more. Told before the worker is asked. */
  onAwaited: ((awaited: boolean) => void) | undefined;
  /** The cluster cannot go on. Every open call has been rejected by then. */
  onFault: ((fault: Fault) => void) | undefined;

  /** `otherAge` is what to do where the module speaks another version of the protocol. */
  constructor(port: Port, otherAge = RELOAD) {
    this.#port = port;
    this.#otherAge = otherAge;
    port.onmessage = (event) => this.#receive(event.data);
  }

  /** Opens a call. Throws nothing: a broken client answers through `result`. */
  call<M extends keyof Methods>(
    method: M,
    params: Methods[M]["params"],
    handlers: CallHandlers<EventOf<M>> = {},
  ): Call<Methods[M]["result"], OrderOf<M>> {
    const id = this.#nextId++;
    const result = new Promise<Methods[M]["result"]>((resolve, reject) => {
      if (this.#broken) {
        reject(this.#broken);
        return;
      }
      // Which events a method has is the protocol's word; the port carries them untyped.
      const untyped = handlers as CallHandlers<unknown>;
      const awaited = !follows(method, params);
      if (awaited && ++this.#awaited === 1) this.onAwaited?.(true);
      this.#pending.set(id, { awaited, handlers: untyped, resolve: resolve, reject });
      this.#port.postMessage({ type: "call", id, method, params });
    });
    const post = (message: ToWorker) => {
      // A settled call has no end to receive anything.
      if (this.#pending.has(id)) this.#port.postMessage(message);
    };
    return {
      result,
      send: (chunk) => post({ type: "data", id, chunk }),
      end: () => post({ type: "end", id }),
      resize: (cols, rows) => post({ type: "resize", id, cols, rows }),
      signal: (signal) => post({ type: "signal", id, signal }),
      order: (order) => post({ type: "order", id, order }),
      cancel: () => post({ type: "cancel", id }),
    };
  }

  /** Rejects every open call and every later one: the worker is gone. */
  break(error: Error): void {
    if (this.#broken) return;
    this.#broken = error;
    const open = [...this.#pending];
    for (const [id, call] of open) {
      this.#settled(id, call);
      call.reject(error);
    }
  }

  #settled(id: number, { awaited }: Pending): void {
    this.#pending.delete(id);
    if (awaited && --this.#awaited === 0) this.onAwaited?.(false);
  }

  #fail(fault: Fault): void {
    this.break(new CallError(fault));
    this.onFault?.(fault);
  }

  #receive(message: ToPage): void {
    if (message.type === "boot") {
      // The first two steps are the worker's own script; the rest is told by the Go program.
      if (!this.#greeted && message.step !== "download" && message.step !== "compile") {
        this.#greeted = true;
        this.#fail(otherAge(0, this.#otherAge));
        return;
      }
      this.onBoot?.(message);
      return;
    }
    if (message.type === "slept") {
      this.onSlept?.(message);
      return;
    }
    if (message.type === "image") {
      this.onImage?.(message);
      return;
    }
    if (message.type === "fault") {
      this.#fail(message);
      return;
    }
    if (message.type === "hello" || !this.#greeted) {
      this.#greeted = true;
      const version = message.type === "hello" ? message.version : 0;
      if (version !== VERSION) this.#fail(otherAge(version, this.#otherAge));
      if (message.type === "hello" || this.#broken) return;
    }
    const call = this.#pending.get(message.id);
    if (!call) return;
    switch (message.type) {
      case "head":
        call.handlers.head?.(message);
        break;
      case "data": {
        const { id, chunk } = message;
        const ack = () => {
          if (this.#pending.has(id)) {
            this.#port.postMessage({ type: "ack", id, bytes: chunk.byteLength });
          }
        };
        const taken = call.handlers.data?.(chunk, message.stream);
        if (taken) void taken.then(ack, ack);
        else ack();
        break;
      }
      case "raw":
        call.handlers.raw?.(message.on);
        break;
      case "event":
        call.handlers.event?.(message.event);
        break;
      case "stdin":
        call.handlers.stdin?.();
        break;
      case "edit": {
        const { id, ask, name, text } = message;
        const answer = (edited?: string) => {
          if (!this.#pending.has(id)) return;
          this.#port.postMessage({
            type: "edited",
            id,
            ask,
            ...(edited === undefined ? {} : { text: edited }),
          });
        };
        const edited = call.handlers.edit?.(name, text) ?? Promise.resolve(undefined);
        void edited.then(answer, () => answer());
        break;
      }
      case "result":
        this.#settled(message.id, call);
        call.resolve(message.value);
        break;
      case "error":
        this.#settled(message.id, call);
        call.reject(new CallError(message.error));
        break;
    }
  }
}
