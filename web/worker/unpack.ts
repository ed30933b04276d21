import init, { BrotliDecStream, BrotliStreamResultCode } from "brotli-dec-wasm/web";
import decoder from "brotli-dec-wasm/web/bg.wasm?url";

/** Bytes that come out of the decoder at once. */
const CHUNK = 1 << 20;

/**
 * What a brotli stream holds, as it comes. Where a host cannot say that a file is compressed, the
 * browser does not unpack it, and has no brotli for scripts (DecompressionStream knows gzip only).
 * Rejects when the decoder does not come; the stream fails with what is wrong with its input.
 */
export async function unpack(
  packed: AsyncGenerator<Uint8Array, void>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  await init({ module_or_path: new URL(decoder, import.meta.url) });
  const stream = new BrotliDecStream();
  const pieces = unpacked(stream, packed);
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await packed.return();
        stream.free();
      },
    },
    { highWaterMark: 2 },
  );
}

async function* unpacked(
  stream: BrotliDecStream,
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for await (const piece of packed) {
    for (let rest = piece; ;) {
      const result = stream.dec(rest, CHUNK);
      const { code, buf, input_offset: read } = result;
      result.free();
      rest = rest.subarray(read);
      // A view of the decoder's memory is not handed out: `buf` is a copy.
      if (buf.length > 0) yield buf as Uint8Array<ArrayBuffer>;
      if (code === BrotliStreamResultCode.ResultSuccess) {
        stream.free();
        return;
      }
      if (code === BrotliStreamResultCode.NeedsMoreInput) break;
    }
  }
  throw new Error("the compressed module ends too early");
}
