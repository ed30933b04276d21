/*
 * A text as it stands in an address after "#": deflate, then base64 in the alphabet of addresses
 * (RFC 4648, section 5). What stands there anybody may have written: both lengths are bounded, and
 * inflating stops at the bound.
 */

/** Characters after "#" that are made and taken: less than each browser and most chats take. */
export const MOST_PACKED = 65_536;
/** Bytes of a manifest that are shared or opened. */
export const MOST_TEXT = 524_288;

/** Bytes that are inflated at a time: a thousandfold of it is what a step can hold at most. */
const STEP = 512;

/** What is shared is refused, in words for the reader. */
export class ShareError extends Error {
  override readonly name = "ShareError";
}

/** Packs a text. Throws ShareError where it is longer than a link can be. */
export async function pack(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MOST_TEXT) throw tooLong(bytes.length);
  const packed = new Response(
    new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")),
  );
  const coded = encode(new Uint8Array(await packed.arrayBuffer()));
  if (coded.length > MOST_PACKED) {
    throw new ShareError(
      `The link would have ${coded.length} characters; ${MOST_PACKED} are the most that is sure to arrive. Share less, or put the manifest where a page may read it and share that address.`,
    );
  }
  return coded;
}

/** Unpacks what `pack` made. Throws ShareError for what is damaged, or longer than is taken. */
export async function unpack(packed: string): Promise<string> {
  if (packed.length > MOST_PACKED) {
    throw new ShareError(
      `The link has ${packed.length} characters; ${MOST_PACKED} are taken. Nothing of it was read.`,
    );
  }
  const bytes = decode(packed);
  const inflated = pieces(bytes).pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await inflated.read();
      if (done) return text + decoder.decode();
      length += value.length;
      if (length > MOST_TEXT) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    throw new ShareError(
      "The link is damaged: part of it is missing or was changed on its way. Ask whoever sent it to send it again, as a file if need be.",
    );
  }
  await inflated.cancel();
  throw tooLong();
}

function tooLong(bytes?: number): ShareError {
  const how = bytes === undefined ? "more than is taken" : `${bytes} bytes`;
  return new ShareError(
    `The manifest has ${how}; ${MOST_TEXT} bytes are the most. Under Clusters it can be downloaded as a file of any size.`,
  );
}

/** In small pieces, the next one when the last is used up: a stream would inflate a large one at once. */
function pieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.subarray(at, (at += STEP)));
      },
    },
    { highWaterMark: 0 },
  );
}

function encode(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  if (text === "" || !/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) {
    throw new ShareError(
      "The link is damaged: it has characters that no such link has, or has lost its end. Ask whoever sent it to send it again.",
    );
  }
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
