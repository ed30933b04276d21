import { expect, test } from "vitest";
import { jsonLines } from "./lines.ts";

/** A stream that gives the bytes in chunks of `size`. */
function cut(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let i = 0; i < bytes.length; i += size) controller.enqueue(bytes.slice(i, i + size));
      controller.close();
    },
  });
}

async function all(body: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const documents = [];
  for await (const document of jsonLines(body)) documents.push(document);
  return documents;
}

test.each([1, 2, 3, 7, 1000])("lines are found in chunks of %i bytes", async (size) => {
  expect(await all(cut('{"a":"ü€😀"}\n\n{"b":2}\n', size))).toEqual([{ a: "ü€😀" }, { b: 2 }]);
});

test("a line that was cut off is no document", async () => {
  expect(await all(cut('{"a":1}\n{"b":', 4))).toEqual([{ a: 1 }]);
});

test("leaving the loop cancels the stream", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("1\n")),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const document of jsonLines(body)) if (document === 1) break;
  expect(cancelled).toBe(true);
});
