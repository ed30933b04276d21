import { messageOf } from "../rpc/reason.ts";
import type { Disposable } from "../state/disposable.ts";
import { HELLO, type FromFrame, type ToFrame } from "../frame/wire.ts";
import { CHANGES, COUNTED_OVER, MESSAGES, UNDER_WAY, WAITING } from "./bounds.ts";
import { checked } from "./check.ts";
import { Sockets, type ToSocket } from "./sockets.ts";
import { chunksOf, type Visitor } from "./visitor.ts";

export interface Shown {
  url: string;
  contentType: string;
  bytes: ArrayBuffer;
  x: number;
  y: number;
}

/** What a frame tells of its document, beside its requests. */
export type Told =
  | Exclude<FromFrame, { type: "ask" } | { type: "stop" } | ToSocket>
  /** Its script has loaded it anew. */
  | { type: "reloads" }
  /** It was ended, as it did what no page does. */
  | { type: "ended"; why: string }
  /** Something that it asked for was cut, or has no answer. */
  | { type: "missed"; what: string };

/** Messages that change nothing of what the view says. */
const SILENT = new Set<FromFrame["type"]>([
  "ask",
  "stop",
  "scroll",
  "socket",
  "say",
  "heard",
  "close",
]);

function isOfSocket(message: FromFrame): message is ToSocket {
  return ["socket", "say", "heard", "close"].includes(message.type);
}

/** Missed requests of a document that are told of. */
const MOST_MISSED = 5;

/**
 * One document in a frame on an opaque origin, which reaches nothing but this port. It is believed
 * nothing: messages are checked and counted, and one that is none ends it.
 */
export class Frame implements Disposable {
  readonly element = document.createElement("iframe");
  readonly #visitor: Visitor;
  readonly #tell: (told: Told) => void;
  readonly #asked = new Map<number, AbortController>();
  readonly #sockets: Sockets;
  readonly #hear = (event: MessageEvent) => this.#hello(event);
  #document: Shown | undefined;
  /** It has said that it is there. */
  greeted = false;
  #port: MessagePort | undefined;
  #messages = 0;
  #changes = 0;
  #since = -Infinity;
  #missed = 0;

  constructor(address: string, document: Shown, visitor: Visitor, tell: (told: Told) => void) {
    this.#document = document;
    this.#visitor = visitor;
    this.#tell = tell;
    this.#sockets = new Sockets(visitor, (message, transfer) => this.#post(message, transfer));
    // Never allow-same-origin: the document would be this page.
    this.element.setAttribute("sandbox", "allow-scripts allow-forms");
    this.element.referrerPolicy = "no-referrer";
    this.element.title = "What the address answers";
    this.element.src = address;
    window.addEventListener("message", this.#hear);
  }

  dispose(): void {
    window.removeEventListener("message", this.#hear);
    this.#port?.close();
    this.#port = undefined;
    for (const stop of this.#asked.values()) stop.abort();
    this.#asked.clear();
    this.#sockets.dispose();
    this.element.remove();
  }

  #hello({ source, data }: MessageEvent): void {
    const { contentWindow } = this.element;
    if (!contentWindow || source !== contentWindow || data !== HELLO) return;
    const shown = this.#document;
    if (!shown) {
      this.#tell({ type: "reloads" });
      return;
    }
    this.#document = undefined;
    this.greeted = true;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (event) => this.#receive(event.data);
    // An opaque origin has no name; the window is the one that has just spoken.
    contentWindow.postMessage(null, "*", [port2]);
    this.#post({ type: "document", ...shown }, [shown.bytes]);
  }

  #post(message: ToFrame, transfer: Transferable[] = []): void {
    this.#port?.postMessage(message, transfer);
  }

  #receive(data: unknown): void {
    if (!this.#port) return;
    const message = checked(data);
    if (!message || this.#floods(message)) {
      const why = message
        ? "It sent messages without end."
        : "It sent what is no message of a page's, or too much at once.";
      this.dispose();
      this.#tell({ type: "ended", why });
      return;
    }
    if (message.type === "ask") void this.#answer(message);
    else if (message.type === "stop") this.#asked.get(message.id)?.abort();
    else if (isOfSocket(message)) {
      const missed = this.#sockets.take(message);
      if (missed !== undefined) this.#miss(missed);
    } else this.#tell(message);
  }

  #floods({ type }: FromFrame): boolean {
    const now = performance.now();
    if (now - this.#since > COUNTED_OVER) {
      this.#since = now;
      this.#messages = this.#changes = 0;
    }
    if (!SILENT.has(type)) this.#changes++;
    return ++this.#messages > MESSAGES || this.#changes > CHANGES;
  }

  async #answer(asked: Extract<FromFrame, { type: "ask" }>): Promise<void> {
    const { id } = asked;
    if (this.#asked.has(id)) return;
    if (this.#asked.size >= UNDER_WAY + WAITING) {
      this.#post({ type: "end", id, error: "too many requests at once" });
      return;
    }
    const stop = new AbortController();
    this.#asked.set(id, stop);
    try {
      const { response, url, redirected } = await this.#visitor.request({
        ...asked,
        signal: stop.signal,
      });
      const { status, statusText, headers } = response;
      this.#post({ type: "head", id, status, statusText, headers: [...headers], url, redirected });
      const cut = { off: false };
      for await (const chunk of chunksOf(response.body, () => (cut.off = true))) {
        // What is passed on leaves this page: a copy of its own.
        const bytes = new Uint8Array(chunk);
        this.#post({ type: "chunk", id, bytes }, [bytes.buffer]);
      }
      if (cut.off) this.#miss(`${url} was cut: it is larger than this view takes.`);
      this.#post({ type: "end", id, ...(cut.off ? { error: `${url} is too large` } : {}) });
    } catch (error) {
      const message = messageOf(error);
      if (!stop.signal.aborted) this.#miss(message);
      this.#post({ type: "end", id, error: message });
    } finally {
      this.#asked.delete(id);
    }
  }

  #miss(what: string): void {
    if (++this.#missed <= MOST_MISSED) this.#tell({ type: "missed", what: what.slice(0, 300) });
  }
}
