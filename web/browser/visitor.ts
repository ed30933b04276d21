import type { RpcClient } from "../rpc/client.ts";
import { exchange } from "../rpc/fetch.ts";
import type { VisitFailure } from "../rpc/protocol.ts";
import type { Redirect } from "../frame/wire.ts";
import { reason } from "../rpc/reason.ts";
import { LONGEST_ANSWER, REDIRECTS, UNDER_WAY, WAITING } from "./bounds.ts";
import type { Site } from "./sites.ts";

export interface Wanted {
  url: string;
  method?: string;
  headers?: [string, string][];
  body?: ArrayBuffer;
  redirect?: Redirect;
  signal?: AbortSignal;
}

export interface Visited {
  response: Response;
  /** Where it came from at last. */
  url: string;
  /** The methods of each hop; the last one's is the answer's. */
  method: string;
  redirected: boolean;
  /** "IP:port" of who answered, as far as the data path says it. */
  endpoint: string;
}

/** There is no answer, or none that is wanted. */
export class VisitError extends Error {
  override readonly name = "VisitError";
  readonly failure: VisitFailure | "elsewhere" | "loop" | "much";

  constructor(failure: VisitError["failure"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/**
 * Requests to the sites of one object of the cluster, and to nowhere else, by the cluster's own data
 * path. So many at once, and redirects only so often.
 */
export class Visitor {
  readonly #client: Pick<RpcClient, "call">;
  readonly sites: ReadonlyMap<string, Site>;
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  constructor(client: Pick<RpcClient, "call">, sites: ReadonlyMap<string, Site>) {
    this.#client = client;
    this.sites = sites;
  }

  /** Fails with VisitError, or with the signal's reason. */
  async request(wanted: Wanted): Promise<Visited> {
    await this.#turn();
    try {
      return await this.#follow(wanted);
    } finally {
      this.#open--;
      this.#waiting.shift()?.();
    }
  }

  /** A WebSocket to one of the sites; the text says why there is none. */
  socket(address: string, protocols: string[], handlers: SocketHandlers) {
    const url = new URL(address);
    const { host, pathname, search } = url;
    const scheme = /^wss?:$/.test(url.protocol) ? url.protocol.replace("ws", "http") : "";
    const origin = `${scheme}//${host}`;
    const site = this.sites.get(origin);
    if (!site) return `${address.slice(0, 200)} is not of what is opened here`;
    const call = this.#client.call(
      "visitSocket",
      {
        address: site.address,
        tls: site.tls,
        host,
        path: `${pathname}${search}`,
        origin,
        protocols,
      },
      {
        head: ({ headers: [protocol] }) => handlers.opened(protocol?.[1] ?? ""),
        event: (event) => {
          if ("took" in event) handlers.took(event.took);
        },
        data: (chunk) => handlers.data(chunk),
      },
    );
    const ended = () => handlers.ended();
    call.result.then(ended, ended);
    return call;
  }

  async #turn(): Promise<void> {
    if (this.#open >= UNDER_WAY) {
      if (this.#waiting.length >= WAITING) {
        throw new VisitError("much", `more than ${UNDER_WAY + WAITING} requests at once`);
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#open++;
  }

  async #follow({ redirect = "follow", ...wanted }: Wanted): Promise<Visited> {
    let { url, method = "GET", body, headers = [] } = wanted;
    for (let hops = 0; ; hops++) {
      const { signal } = wanted;
      const visited = await this.#once({ url, method, headers, body, signal });
      const { status } = visited.response;
      const location = visited.response.headers.get("location");
      const moved = [301, 302, 303, 307, 308].includes(status) && location !== null;
      if (!moved || redirect === "manual") return { ...visited, redirected: hops > 0 };
      await visited.response.body?.cancel();
      if (redirect === "error") throw new VisitError("loop", `${url} redirects to ${location}`);
      if (hops === REDIRECTS) {
        throw new VisitError(
          "loop",
          `${url}: more than ${REDIRECTS} redirects, the last one to ${location.slice(0, 200)}`,
        );
      }
      const next = URL.parse(location, url);
      if (!next) throw new VisitError("broken", `${url} redirects to what is no address`);
      if (next.hash === "") next.hash = new URL(url).hash;
      if (status === 303 || (status < 303 && method === "POST")) {
        [method, body] = ["GET", undefined];
        headers = headers.filter(([name]) => !/^content-/i.test(name));
      }
      url = next.href;
    }
  }

  async #once({
    url,
    method,
    headers,
    body,
    signal,
  }: Omit<Wanted, "redirect" | "body" | "signal"> & {
    method: string;
    body: ArrayBuffer | undefined;
    signal: AbortSignal | undefined;
  }) {
    const { origin, pathname, search, host } = new URL(url);
    const site = this.sites.get(origin);
    if (!site) {
      throw new VisitError("elsewhere", `${url.slice(0, 200)} is not of what is opened here`);
    }
    let endpoint = "";
    let failure: VisitFailure = "broken";
    try {
      const init: RequestInit = {
        method,
        headers: headers ?? [],
        ...(body ? { body } : {}),
        ...(signal ? { signal } : {}),
      };
      const response = await exchange(`${pathname}${search}`, init, (params, handlers) =>
        this.#client.call(
          "visit",
          { ...params, address: site.address, tls: site.tls, host },
          {
            ...handlers,
            event: (event) => {
              if ("failed" in event) failure = event.failed;
              else endpoint = event.endpoint;
            },
          },
        ),
      );
      return { response, url, method, endpoint };
    } catch (error) {
      signal?.throwIfAborted();
      const message = reason(error);
      throw new VisitError(failure, message, { cause: error });
    }
  }
}

/** What a WebSocket tells of itself. */
export interface SocketHandlers {
  opened(protocol: string): void;
  /** So many bytes have gone. */
  took(bytes: number): void;
  /** Bytes of what the other end says, as `visitSocket` has them; see CallHandlers. */
  data(chunk: Uint8Array): undefined | Promise<void>;
  /** It is over. */
  ended(): void;
}

/** A body's chunks up to a bound; `cut` is told if there was more. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  cut: () => void,
  longest = LONGEST_ANSWER,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let left = longest;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value.byteLength > left) {
        cut();
        if (left > 0) yield value.subarray(0, left);
        return;
      }
      left -= value.byteLength;
      yield value;
    }
  } finally {
    // Whoever sends more than is taken is to stop.
    reader.cancel().catch(() => undefined);
  }
}
