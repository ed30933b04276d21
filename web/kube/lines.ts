/**
 * The JSON documents of a watch: one a line, in chunks cut anywhere, also inside a character.
 * Returning from the loop early cancels the stream.
 */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let open = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (
        open + (done ? decoder.decode() : decoder.decode(value, { stream: true }))
      ).split("\n");
      open = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
      if (done) {
        // A line without its end was cut off by the connection: it is not an event.
        return;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
