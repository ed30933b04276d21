import type { FromFrame, Lack, Redirect, ToFrame } from "./wire.ts";

/** What a request of the frame is answered with. */
export interface Answer {
  status: number;
  statusText: string;
  headers: [string, string][];
  url: string;
  redirected: boolean;
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface Asked {
  url: string;
  method?: string;
  headers?: [string, string][];
  body?: ArrayBuffer;
  redirect?: Redirect;
  signal?: AbortSignal;
}

interface Waiting {
  head(answer: Extract<ToFrame, { type: "head" }>): void;
  chunk(bytes: Uint8Array<ArrayBuffer>): void;
  end(error?: string): void;
}

/** What a WebSocket is told. */
export interface Told {
  opened(protocol: string): void;
  said(data: string | ArrayBuffer): void;
  took(bytes: number): void;
  closed(code: number, reason: string, clean: boolean): void;
}

/** The page, as the frame reaches it: every request of the document goes this way. */
export class Page {
  readonly #post: (message: FromFrame, transfer?: Transferable[]) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #lacks = new Set<Lack>();
  readonly #sockets = new Map<number, Told>();
  #id = 0;
  onDocument: ((message: Extract<ToFrame, { type: "document" }>) => void) | undefined;

  constructor(port: MessagePort) {
    this.#post = (message, transfer = []) => port.postMessage(message, transfer);
    port.onmessage = ({ data }: MessageEvent<ToFrame>) => this.#receive(data);
  }

  tell(message: FromFrame): void {
    this.#post(message, "body" in message ? [message.body] : []);
  }

  /** Wants a WebSocket, and gives the number under which it is spoken of. */
  socket(url: string, protocols: string[], told: Told): number {
    const id = ++this.#id;
    this.#sockets.set(id, told);
    this.tell({ type: "socket", id, url, protocols });
    return id;
  }

  /** Says once what the document wants and does not get. */
  lacks(what: Lack): void {
    if (this.#lacks.has(what)) return;
    this.#lacks.add(what);
    this.tell({ type: "lacks", what });
  }

  /** Fails with TypeError if there is no answer, as fetch does. */
  ask({ url, method = "GET", headers = [], body, redirect = "follow", signal }: Asked) {
    return new Promise<Answer>((resolve, reject) => {
      if (signal?.aborted) {
        reject(reasonOf(signal));
        return;
      }
      const id = ++this.#id;
      const { waiting, stream } = answerTo(resolve, reject, () => {
        this.#waiting.delete(id);
        this.tell({ type: "stop", id });
      });
      signal?.addEventListener("abort", () => {
        if (!this.#waiting.delete(id)) return;
        stream.fail(reasonOf(signal));
        this.tell({ type: "stop", id });
      });
      this.#waiting.set(id, waiting);
      this.tell({ type: "ask", id, url, method, headers, redirect, ...(body ? { body } : {}) });
    });
  }

  #receive(message: ToFrame): void {
    if (message.type === "document") {
      this.onDocument?.(message);
      return;
    }
    const socket = this.#sockets.get(message.id);
    if (socket) this.#toSocket(socket, message);
    const waiting = this.#waiting.get(message.id);
    if (message.type === "head") waiting?.head(message);
    else if (message.type === "chunk") waiting?.chunk(message.bytes);
    else if (message.type === "end") {
      this.#waiting.delete(message.id);
      waiting?.end(message.error);
    }
  }

  #toSocket(socket: Told, message: ToFrame): void {
    if (message.type === "opened") socket.opened(message.protocol);
    else if (message.type === "took") socket.took(message.bytes);
    else if (message.type === "said") {
      const { id, data, bytes } = message;
      socket.said(data);
      this.tell({ type: "heard", id, bytes });
    } else if (message.type === "closed") {
      this.#sockets.delete(message.id);
      socket.closed(message.code, message.reason, message.clean);
    }
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException("aborted", "AbortError");
}

function answerTo(
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
  cancel: () => void,
) {
  let sink: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  let open = true;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void (sink = controller),
    cancel: () => {
      open = false;
      cancel();
    },
  });
  const fail = (error: Error) => {
    reject(error);
    if (open) sink?.error(error);
    open = false;
  };
  const waiting: Waiting = {
    head: ({ status, statusText, headers, url, redirected }) =>
      resolve({ status, statusText, headers, url, redirected, body }),
    chunk: (bytes) => {
      if (open) sink?.enqueue(bytes);
    },
    end: (error) => {
      if (error !== undefined) fail(new TypeError(error));
      else if (open) sink?.close();
      open = false;
    },
  };
  return { waiting, stream: { fail } };
}

/** All of a body. */
export async function bytesOf({ body }: Answer): Promise<ArrayBuffer> {
  return new Response(body).arrayBuffer();
}

/** A header's value; "" for none. */
export function headerOf({ headers }: Pick<Answer, "headers">, name: string): string {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
}
