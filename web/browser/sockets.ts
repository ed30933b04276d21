import type { Call } from "../rpc/client.ts";
import type { FromFrame, ToFrame } from "../frame/wire.ts";
import { LINGERS, LONGEST_MESSAGE, SOCKETS, UNHEARD, UNSENT } from "./bounds.ts";
import type { Visitor } from "./visitor.ts";

/** What a document does with its WebSockets. */
export type ToSocket = Extract<FromFrame, { type: "socket" | "say" | "heard" | "close" }>;

/** The kinds of messages in `data` of `visitSocket`. */
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
/** A message's kind and length. */
const HEAD = 5;

/** Closed, and nobody has said why (https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1). */
const NO_CODE = 1005;
const BROKE = 1006;

interface Open {
  readonly call: Pick<Call<unknown>, "send" | "cancel">;
  unsent: number;
  unheard: number;
  /** Go on with what the other end says, once the document has taken enough: many parts may be on their way. */
  readonly waiting: (() => void)[];
  /** Ends it: while the document takes nothing, and since it has closed it. */
  untaken: ReturnType<typeof setTimeout> | undefined;
  closing: ReturnType<typeof setTimeout> | undefined;
}

/** The WebSockets of one document: so many, each with so much under way. */
export class Sockets {
  readonly #visitor: Visitor;
  readonly #post: (message: ToFrame, transfer?: Transferable[]) => void;
  readonly #open = new Map<number, Open>();

  constructor(visitor: Visitor, post: (message: ToFrame, transfer?: Transferable[]) => void) {
    this.#visitor = visitor;
    this.#post = post;
  }

  dispose(): void {
    for (const socket of this.#open.values()) {
      socket.call.cancel();
      letGo(socket);
    }
    this.#open.clear();
  }

  /** Does what the document wants; the text says why it cannot be, for people. */
  take(message: ToSocket): string | undefined {
    if (message.type === "socket") return this.#begin(message);
    const socket = this.#open.get(message.id);
    if (!socket) return undefined; // it has closed meanwhile
    if (message.type === "heard") {
      socket.unheard = Math.max(0, socket.unheard - message.bytes);
      if (socket.unheard < UNHEARD) goOn(socket);
      return undefined;
    }
    if (message.type === "close") {
      const reason = new TextEncoder().encode(message.reason);
      const { code } = message;
      const said = new Uint8Array(code === undefined ? 0 : 2 + reason.byteLength);
      if (code !== undefined) {
        said.set([code >> 8, code & 0xff]);
        said.set(reason, 2);
      }
      socket.call.send(framed(CLOSE, said));
      // What was sent before may take its time; an end that takes no more must not keep its place.
      socket.closing ??= setTimeout(() => socket.call.cancel(), LINGERS);
      return undefined;
    }
    const { data } = message;
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
    socket.unsent += bytes.byteLength;
    if (bytes.byteLength > LONGEST_MESSAGE || socket.unsent > UNSENT) {
      socket.call.cancel();
      return "A WebSocket was closed: it sent more than the other end takes.";
    }
    socket.call.send(framed(typeof data === "string" ? TEXT : BINARY, bytes));
    return undefined;
  }

  #begin({ id, url, protocols }: Extract<ToSocket, { type: "socket" }>): string | undefined {
    if (this.#open.has(id)) return undefined;
    if (this.#open.size >= SOCKETS) {
      this.#closed(id, BROKE, "", false);
      return `It wants more than ${SOCKETS} WebSockets at once.`;
    }
    const parts = new Parts();
    let goodbye: { code: number; reason: string } | undefined;
    const call = this.#visitor.socket(url, protocols, {
      opened: (protocol) => this.#post({ type: "opened", id, protocol }),
      took: (bytes) => {
        const socket = this.#open.get(id);
        if (!socket) return;
        socket.unsent = Math.max(0, socket.unsent - bytes);
        this.#post({ type: "took", id, bytes });
      },
      data: (chunk) => {
        for (const { kind, bytes } of parts.add(chunk)) {
          if (kind === CLOSE) goodbye = goodbyeOf(bytes);
          else this.#said(id, kind, bytes);
        }
        return this.#heard(id);
      },
      ended: () => {
        const socket = this.#open.get(id);
        if (socket) letGo(socket);
        this.#open.delete(id);
        if (goodbye) this.#closed(id, goodbye.code, goodbye.reason, true);
        else this.#closed(id, BROKE, "", false);
      },
    });
    if (typeof call === "string") {
      this.#closed(id, BROKE, "", false);
      return call;
    }
    this.#open.set(id, {
      call,
      unsent: 0,
      unheard: 0,
      waiting: [],
      untaken: undefined,
      closing: undefined,
    });
    return undefined;
  }

  #said(id: number, kind: number, bytes: Uint8Array<ArrayBuffer>): void {
    const socket = this.#open.get(id);
    if (!socket) return;
    // An empty message counts, too.
    const size = bytes.byteLength + HEAD;
    socket.unheard += size;
    if (kind === TEXT) {
      this.#post({ type: "said", id, data: new TextDecoder().decode(bytes), bytes: size });
    } else this.#post({ type: "said", id, data: bytes.buffer, bytes: size }, [bytes.buffer]);
  }

  /** Waits until the document has taken what it was sent. */
  #heard(id: number): Promise<void> | undefined {
    const socket = this.#open.get(id);
    if (!socket || socket.unheard < UNHEARD) return undefined;
    socket.untaken ??= setTimeout(() => socket.call.cancel(), LINGERS);
    return new Promise((resolve) => socket.waiting.push(resolve));
  }

  #closed(id: number, code: number, reason: string, clean: boolean): void {
    this.#post({ type: "closed", id, code, reason, clean });
  }
}

function goOn(socket: Open): void {
  clearTimeout(socket.untaken);
  socket.untaken = undefined;
  for (const go of socket.waiting.splice(0)) go();
}

function letGo(socket: Open): void {
  clearTimeout(socket.closing);
  goOn(socket);
}

function framed(kind: number, bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(HEAD + bytes.byteLength);
  all[0] = kind;
  new DataView(all.buffer).setUint32(1, bytes.byteLength);
  all.set(bytes, HEAD);
  return all;
}

function goodbyeOf(bytes: Uint8Array) {
  if (bytes.byteLength < 2) return { code: NO_CODE, reason: "" };
  const code = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  return { code, reason: new TextDecoder().decode(bytes.subarray(2)) };
}

/** Messages, as they become whole. */
class Parts {
  #bytes = new Uint8Array();

  add(chunk: Uint8Array): { kind: number; bytes: Uint8Array<ArrayBuffer> }[] {
    const all = new Uint8Array(this.#bytes.byteLength + chunk.byteLength);
    all.set(this.#bytes);
    all.set(chunk, this.#bytes.byteLength);
    const whole = [];
    let at = 0;
    while (all.byteLength - at >= HEAD) {
      const size = new DataView(all.buffer).getUint32(at + 1);
      if (all.byteLength - at - HEAD < size) break;
      whole.push({ kind: all[at] ?? 0, bytes: all.slice(at + HEAD, at + HEAD + size) });
      at += HEAD + size;
    }
    this.#bytes = all.slice(at);
    return whole;
  }
}
