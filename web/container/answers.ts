import { cost, PIECE, TO, utf8, WINDOW, type Post, type RequestHead } from "./message.ts";
import { describe, type Output } from "./output.ts";

/** Who answers requests: a module's `fetch`. */
export type Answering = (request: Request) => Response | Promise<Response>;

interface Open {
  readonly abort: AbortController;
  credit: number;
  headed: boolean;
  /** Goes on when there is new credit, or nobody waits any more. */
  wake: () => void;
}

/** Bounds of an answer's head: the cluster would end a Worker that does not keep them. */
const MAX_HEADERS = 100;
const MAX_HEAD = 32 * 1024;

/** The requests of a container that are under way. */
export class Answers {
  readonly #post: Post;
  readonly #output: Output;
  readonly #open = new Map<number, Open>();

  constructor(post: Post, output: Output) {
    this.#post = post;
    this.#output = output;
  }

  /** Answers a request, whatever the module does. */
  async answer(
    id: number,
    head: RequestHead,
    body: Uint8Array<ArrayBuffer> | undefined,
    by: Answering,
  ): Promise<void> {
    const open: Open = {
      ...{ abort: new AbortController(), credit: WINDOW, headed: false },
      wake: () => undefined,
    };
    this.#open.set(id, open);
    const send = (response: Response) => this.#send(id, open, response);
    try {
      const request = requestOf(head, body, open.abort.signal);
      if (!request) {
        await send(new Response("This method is not possible here.\n", { status: 501 }));
      } else {
        await send(checked(await by(request)));
      }
    } catch (error) {
      if (open.abort.signal.aborted) return; // it may well throw: nobody waits
      this.#output.stderr(`${head.method} ${head.url}: ${describe(error)}\n`);
      if (!open.headed) await send(new Response("Internal Server Error\n", { status: 500 }));
      else this.#end(id, TO.broken);
    }
  }

  give(id: number, bytes: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    open.credit += bytes;
    open.wake();
  }

  /** Nobody waits for the answer any more. */
  cancel(id: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#end(id, TO.end);
    open.abort.abort();
    open.wake();
  }

  #end(id: number, kind: string): void {
    if (this.#open.delete(id)) this.#post(kind, id);
  }

  async #send(id: number, open: Open, response: Response): Promise<void> {
    if (!this.#open.has(id)) {
      await response.body?.cancel();
      return;
    }
    const head = utf8(JSON.stringify({ status: response.status, headers: [...response.headers] }));
    open.headed = true;
    open.credit -= cost(0);
    this.#post(TO.head, id, head);
    const reader = response.body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) break;
      for (let at = 0; at < piece.value.length; at += PIECE) {
        const part = piece.value.subarray(at, at + PIECE);
        while (open.credit < cost(part.length) && this.#open.has(id)) {
          await new Promise<void>((resolve) => (open.wake = resolve));
        }
        if (!this.#open.has(id)) {
          await reader?.cancel();
          return;
        }
        open.credit -= cost(part.length);
        this.#post(TO.data, id, part);
      }
    }
    this.#end(id, TO.end);
  }
}

/** The request as a module gets it; none for a method that JavaScript's requests do not have. */
function requestOf(
  head: RequestHead,
  body: Uint8Array<ArrayBuffer> | undefined,
  signal: AbortSignal,
): Request | undefined {
  // Of its own a Request leaves out headers that a page must not send, such as Cookie.
  const headers = new Headers();
  for (const [name, value] of head.headers ?? []) {
    try {
      headers.append(name, value);
    } catch {
      // Not a header's name or value: a server would not pass it on either.
    }
  }
  const init: RequestInit = { method: head.method, signal };
  if (body && head.method !== "GET" && head.method !== "HEAD") init.body = body;
  let request: Request;
  try {
    request = new Request(URL.canParse(head.url) ? head.url : "http://localhost/", init);
  } catch {
    return undefined;
  }
  Object.defineProperty(request, "headers", { value: headers });
  return request;
}

function checked(response: unknown): Response {
  if (!(response instanceof Response)) throw new TypeError("fetch() gave no Response");
  if (response.status < 200)
    throw new TypeError(`fetch() gave a Response of status ${response.status}`);
  const headers = [...response.headers];
  if (headers.length > MAX_HEADERS) {
    throw new TypeError(`fetch() gave ${headers.length} headers: ${MAX_HEADERS} are possible`);
  }
  const size = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > MAX_HEAD / 2) {
    throw new TypeError(`fetch() gave headers of ${size} characters: ${MAX_HEAD / 2} are possible`);
  }
  return response;
}
