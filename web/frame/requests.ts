import type { Page } from "./ask.ts";
import { isLocal } from "./resources.ts";

/** Statuses whose Response must not have a body (https://fetch.spec.whatwg.org/#null-body-status). */
const NO_BODY = [101, 204, 205, 304];

/** `fetch` of the document's scripts, by the page. What is local (data:, blob:) goes the old way. */
export function fetchBy(page: Page): typeof fetch {
  const old = window.fetch.bind(window);
  return async (input, init) => {
    const text = input instanceof Request ? input.url : String(input);
    if (isLocal(text) && text !== "") return old(input, init);
    const request = new Request(
      input instanceof Request ? input : new URL(text, document.baseURI),
      init,
    );
    const body = await request.arrayBuffer();
    const answer = await page.ask({
      url: request.url,
      method: request.method,
      headers: [...request.headers],
      redirect: request.redirect,
      signal: request.signal,
      ...(body.byteLength > 0 ? { body } : {}),
    });
    const { status, statusText, headers, url, redirected } = answer;
    const response = new Response(NO_BODY.includes(status) ? null : answer.body, {
      status: Math.max(200, status),
      statusText,
      headers,
    });
    Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
    return response;
  };
}

/** XMLHttpRequest over a fetch: asynchronous requests only, as there is nobody who could be waited for. */
export function xhrBy(ask: typeof fetch): typeof XMLHttpRequest {
  class Requested extends EventTarget {
    static readonly UNSENT = 0;
    static readonly OPENED = 1;
    static readonly HEADERS_RECEIVED = 2;
    static readonly LOADING = 3;
    static readonly DONE = 4;
    readonly UNSENT = 0;
    readonly OPENED = 1;
    readonly HEADERS_RECEIVED = 2;
    readonly LOADING = 3;
    readonly DONE = 4;
    readonly upload = new EventTarget();
    readyState = 0;
    status = 0;
    statusText = "";
    responseURL = "";
    responseType: XMLHttpRequestResponseType = "";
    timeout = 0;
    withCredentials = false;
    #method = "GET";
    #url = "";
    #headers = new Headers();
    #answer: Response | undefined;
    #bytes = new ArrayBuffer(0);
    #stop = new AbortController();

    open(method: string, url: string | URL, async = true): void {
      if (!async)
        throw new DOMException("a request cannot be waited for here", "NotSupportedError");
      this.#method = method.toUpperCase();
      this.#url = String(url);
      this.#headers = new Headers();
      this.#answer = undefined;
      this.#state(1);
    }

    setRequestHeader(name: string, value: string): void {
      this.#headers.append(name, value);
    }

    send(body?: XMLHttpRequestBodyInit | Document | null): void {
      this.#stop = new AbortController();
      const sent = body instanceof Document ? new XMLSerializer().serializeToString(body) : body;
      void this.#send(sent ?? null);
    }

    async #send(body: XMLHttpRequestBodyInit | null) {
      const { signal } = this.#stop;
      const timer =
        this.timeout > 0
          ? setTimeout(
              () => this.#stop.abort(new DOMException("late", "TimeoutError")),
              this.timeout,
            )
          : undefined;
      this.#tell("loadstart");
      try {
        const none = this.#method === "GET" || this.#method === "HEAD";
        this.#answer = await ask(this.#url, {
          method: this.#method,
          headers: this.#headers,
          signal,
          ...(body === null || none ? {} : { body }),
        });
        ({
          status: this.status,
          statusText: this.statusText,
          url: this.responseURL,
        } = this.#answer);
        this.#state(2);
        this.#bytes = await this.#answer.arrayBuffer();
        this.#state(3);
        this.#tell("progress");
        this.#state(4);
        this.#tell("load");
      } catch {
        this.status = 0;
        this.#answer = undefined;
        this.#state(4);
        const name = signal.reason instanceof DOMException ? signal.reason.name : "";
        this.#tell(name === "TimeoutError" ? "timeout" : signal.aborted ? "abort" : "error");
      } finally {
        clearTimeout(timer);
        this.#tell("loadend");
      }
    }

    abort(): void {
      this.#stop.abort();
    }

    overrideMimeType(): void {
      // What comes is told by its bytes.
    }

    getResponseHeader(name: string): string | null {
      return this.#answer?.headers.get(name) ?? null;
    }

    getAllResponseHeaders(): string {
      return [...(this.#answer?.headers ?? [])].map(([k, v]) => `${k}: ${v}\r\n`).join("");
    }

    get responseText(): string {
      return new TextDecoder().decode(this.#bytes);
    }

    get responseXML(): Document | null {
      const type = this.getResponseHeader("content-type") ?? "";
      if (!/[/+]xml/.test(type)) return null;
      return new DOMParser().parseFromString(this.responseText, "application/xml");
    }

    get response(): unknown {
      const type = this.getResponseHeader("content-type") ?? "";
      switch (this.responseType) {
        case "arraybuffer":
          return this.#bytes;
        case "blob":
          return new Blob([this.#bytes], { type });
        case "json":
          try {
            return JSON.parse(this.responseText) as unknown;
          } catch {
            return null;
          }
        case "document":
          return this.responseXML;
        default:
          return this.responseText;
      }
    }

    #state(state: number): void {
      this.readyState = state;
      this.#tell("readystatechange");
    }

    #tell(type: string): void {
      const size = this.#bytes.byteLength;
      const init = { loaded: size, total: size, lengthComputable: size > 0 };
      const event = type === "readystatechange" ? new Event(type) : new ProgressEvent(type, init);
      const handler = (this as unknown as Record<string, unknown>)[`on${type}`];
      if (typeof handler === "function") handler.call(this, event);
      this.dispatchEvent(event);
    }
  }
  return Requested as unknown as typeof XMLHttpRequest;
}
