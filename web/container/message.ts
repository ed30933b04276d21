/*
 * The messages between a container's Worker and the cluster's: one kind, one number, bytes. The other
 * end is core/node/image/defined/message.go, which has the same letters and believes nothing.
 */

/** What the cluster says. */
export const FROM = {
  start: "S",
  request: "Q",
  body: "B",
  credit: "K",
  cancel: "C",
  signal: "G",
  ping: "P",
  file: "F",
  noFile: "N",
} as const;

/** What the Worker says. */
export const TO = {
  ready: "R",
  stdout: "O",
  stderr: "E",
  head: "H",
  data: "D",
  end: "Z",
  broken: "X",
  exit: "T",
  pong: "P",
  file: "F",
  list: "L",
} as const;

export interface Message {
  kind: string;
  id: number;
  data: Uint8Array<ArrayBuffer>;
}

/** What a container begins with. */
export interface Start {
  module: string;
  args: string[];
  /** KEY=value pairs. */
  env: string[];
  hostname: string;
}

export interface RequestHead {
  method: string;
  url: string;
  headers: [string, string][] | null;
  /** The body follows. */
  body: boolean;
}

/** Sends one message. */
export type Post = (kind: string, id: number, data?: Uint8Array) => void;

const HEAD = 5;

export function encode(kind: string, id: number, data?: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEAD + (data?.length ?? 0));
  const view = new DataView(bytes.buffer);
  view.setUint8(0, kind.charCodeAt(0));
  view.setUint32(1, id);
  if (data) bytes.set(data, HEAD);
  return bytes;
}

export function decode(bytes: Uint8Array<ArrayBuffer>): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return {
    kind: String.fromCharCode(view.getUint8(0)),
    id: view.getUint32(1),
    data: bytes.subarray(HEAD),
  };
}

/** The number of bytes that a `credit` gives back. */
export function creditOf(message: Message): number {
  return new DataView(message.data.buffer, message.data.byteOffset).getUint32(0);
}

/** Bytes that may be under way before there is new credit, of output and of each answer. */
export const WINDOW = 64 * 1024;

/** How long a piece is that is sent at once. */
export const PIECE = 16 * 1024;

/** What a message with so many bytes takes of the credit. */
export const cost = (bytes: number): number => Math.max(bytes, 1024);

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
