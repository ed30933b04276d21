import type { Call, CallHandlers, RpcClient } from "./client.ts";
import { CallError } from "./client.ts";
import type { FetchParams, ToPage } from "./protocol.ts";

type Head = Extract<ToPage, { type: "head" }>;

/** Statuses whose Response must not have a body (https://fetch.spec.whatwg.org/#null-body-status). */
const NULL_BODY = new Set([204, 205, 304]);

/**
 * `fetch` for the apiserver in the tab, as cluster admin: `path` begins with "/", bodies stream
 * both ways, `init.signal` ends a request or a watch. Like the browser's own it resolves with any
 * HTTP status, and rejects with TypeError when there was no answer, with AbortError on abort.
 * Reading slowly holds the apiserver back.
 */
export function clusterFetch(
  client: RpcClient,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return exchange(path, init, (params, handlers) => client.call("fetch", params, handlers));
}

/** One HTTP exchange by a call of the protocol, as `clusterFetch` has it. */
export async function exchange(
  path: string,
  init: RequestInit,
  open: (params: FetchParams, handlers: Pick<CallHandlers, "head" | "data">) => Call<unknown>,
): Promise<Response> {
  if (!path.startsWith("/")) throw new TypeError(`the path must begin with "/": ${path}`);
  init.signal?.throwIfAborted();

  const headers = new Headers(init.headers);
  // Response accepts every kind of body and streams it, in every browser; Request does not.
  const body = init.body == null ? undefined : new Response(init.body);
  const contentType = body?.headers.get("content-type");
  if (contentType && !headers.has("content-type")) headers.set("content-type", contentType);

  return new Promise<Response>((resolve, reject) => {
    const queue = new ByteQueue();
    const call = open(
      {
        method: (init.method ?? "GET").toUpperCase(),
        path,
        headers: [...headers],
        body: body !== undefined,
      },
      {
        head: (head) => resolve(toResponse(head, queue)),
        data: (chunk) => queue.push(chunk),
      },
    );

    const abort = () => {
      call.cancel();
      const reason: unknown = init.signal?.reason;
      reject(reason instanceof Error ? reason : new DOMException("aborted", "AbortError"));
      queue.fail(reason);
    };
    init.signal?.addEventListener("abort", abort, { once: true });
    queue.onCancel = () => call.cancel();

    call.result
      .then(
        () => {
          queue.close();
          // A worker that ends without a head has broken the protocol.
          reject(new TypeError(`${path}: the cluster gave no answer`));
        },
        (error: unknown) => {
          const message = error instanceof CallError ? error.message : String(error);
          const failure = new TypeError(message, { cause: error });
          reject(failure);
          queue.fail(failure);
        },
      )
      .finally(() => init.signal?.removeEventListener("abort", abort));

    if (body?.body) void sendBody(body.body, call);
  });
}

function toResponse(head: Head, queue: ByteQueue): Response {
  const nobody = NULL_BODY.has(head.status);
  return new Response(nobody ? null : queue.stream(), {
    status: head.status,
    statusText: head.statusText,
    headers: head.headers,
  });
}

async function sendBody(
  body: ReadableStream<Uint8Array>,
  call: { send(chunk: Uint8Array): void; end(): void; cancel(): void },
): Promise<void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      call.send(value);
    }
    call.end();
  } catch {
    // The caller's own stream failed: half a body must not be taken for a whole one.
    call.cancel();
  }
}

/** Chunks on their way to a reader. Each push is settled when its chunk was taken. */
class ByteQueue {
  readonly #chunks: { chunk: Uint8Array; taken: () => void }[] = [];
  #ended = false;
  #failure: { error: unknown } | undefined;
  #wake: (() => void) | undefined;
  onCancel: (() => void) | undefined;

  push(chunk: Uint8Array): Promise<void> {
    if (this.#ended || this.#failure) return Promise.resolve();
    return new Promise((taken) => {
      this.#chunks.push({ chunk, taken });
      this.#wake?.();
    });
  }

  close(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** What has come is dropped, the reader sees `error` next. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#failure ??= { error };
    for (const { taken } of this.#chunks.splice(0)) taken();
    this.#wake?.();
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          while (this.#chunks.length === 0 && !this.#ended && !this.#failure) {
            await new Promise<void>((resolve) => (this.#wake = resolve));
            this.#wake = undefined;
          }
          const next = this.#chunks.shift();
          if (this.#failure) controller.error(this.#failure.error);
          else if (next) {
            controller.enqueue(next.chunk);
            next.taken();
          } else controller.close();
        },
        cancel: () => {
          this.fail(new DOMException("the reader has gone", "AbortError"));
          this.onCancel?.();
        },
      },
      // Zero: a chunk counts as taken when it was asked for, not when it is buffered once more.
      { highWaterMark: 0 },
    );
  }
}
