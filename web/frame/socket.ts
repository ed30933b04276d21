import type { Page } from "./ask.ts";

/** https://websockets.spec.whatwg.org/#dom-websocket-close */
const LONGEST_REASON = 123;
/** A token, as HTTP has them. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

const CONNECTING = 0;
const OPEN = 1;
const CLOSING = 2;
const CLOSED = 3;

/** WebSocket of the document's scripts, by the page. */
export function socketBy(page: Page): typeof WebSocket {
  class Socket extends EventTarget {
    static readonly CONNECTING = CONNECTING;
    static readonly OPEN = OPEN;
    static readonly CLOSING = CLOSING;
    static readonly CLOSED = CLOSED;
    readonly CONNECTING = CONNECTING;
    readonly OPEN = OPEN;
    readonly CLOSING = CLOSING;
    readonly CLOSED = CLOSED;
    readonly url: string;
    readonly extensions = "";
    protocol = "";
    readyState = CONNECTING;
    bufferedAmount = 0;
    binaryType: BinaryType = "blob";
    readonly #id: number;
    /** What is sent goes in its order, whatever a Blob takes to be read. */
    #sending = Promise.resolve();

    constructor(address: string | URL, protocols: string | string[] = []) {
      super();
      const url = URL.parse(String(address), document.baseURI);
      if (url) url.protocol = url.protocol.replace(/^http/, "ws");
      if (!url || !/^wss?:$/.test(url.protocol) || url.hash !== "") {
        throw new DOMException(`'${String(address)}' is no address of a WebSocket`, "SyntaxError");
      }
      const asked = [protocols].flat().map(String);
      if (asked.some((name) => !TOKEN.test(name)) || new Set(asked).size < asked.length) {
        throw new DOMException("a subprotocol is no token, or there twice", "SyntaxError");
      }
      this.url = url.href;
      this.#id = page.socket(url.href, asked, {
        opened: (protocol) => {
          if (this.readyState !== CONNECTING) return;
          this.protocol = protocol;
          this.readyState = OPEN;
          this.#tell(new Event("open"));
        },
        said: (data) => this.#said(data, url.origin),
        took: (bytes) => (this.bufferedAmount = Math.max(0, this.bufferedAmount - bytes)),
        closed: (code, reason, wasClean) => {
          this.readyState = CLOSED;
          if (!wasClean) this.#tell(new Event("error"));
          this.#tell(new CloseEvent("close", { code, reason, wasClean }));
        },
      });
    }

    send(data: string | Blob | ArrayBuffer | ArrayBufferView): void {
      if (this.readyState === CONNECTING) {
        throw new DOMException("the WebSocket is not open yet", "InvalidStateError");
      }
      const size =
        typeof data === "string"
          ? new TextEncoder().encode(data).byteLength
          : data instanceof Blob
            ? data.size
            : data.byteLength;
      this.bufferedAmount += size;
      if (this.readyState !== OPEN) return;
      const taken = copyOf(data);
      this.#sending = this.#sending.then(async () => {
        page.tell({ type: "say", id: this.#id, data: await taken });
      });
    }

    close(code?: number, reason = ""): void {
      if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
        throw new DOMException(`${code} is no code to close with`, "InvalidAccessError");
      }
      if (new TextEncoder().encode(reason).byteLength > LONGEST_REASON) {
        throw new DOMException(`a reason has ${LONGEST_REASON} bytes at most`, "SyntaxError");
      }
      if (this.readyState >= CLOSING) return;
      this.readyState = CLOSING;
      this.#sending = this.#sending.then(() =>
        page.tell({
          type: "close",
          id: this.#id,
          reason,
          ...(code === undefined ? {} : { code }),
        }),
      );
    }

    #said(data: string | ArrayBuffer, origin: string): void {
      if (this.readyState !== OPEN) return;
      const given =
        typeof data === "string" || this.binaryType === "arraybuffer" ? data : new Blob([data]);
      this.#tell(new MessageEvent("message", { data: given, origin }));
    }

    #tell(event: Event): void {
      const handler = (this as unknown as Record<string, unknown>)[`on${event.type}`];
      if (typeof handler === "function") handler.call(this, event);
      this.dispatchEvent(event);
    }
  }
  return Socket as unknown as typeof WebSocket;
}

/** The bytes as they are now: what is sent may be written to afterwards. */
function copyOf(data: string | Blob | ArrayBuffer | ArrayBufferView) {
  if (typeof data === "string") return data;
  if (data instanceof Blob) return data.arrayBuffer();
  if (data instanceof ArrayBuffer) return data.slice(0);
  const { buffer, byteOffset, byteLength } = data;
  return new Uint8Array(buffer, byteOffset, byteLength).slice().buffer;
}
