import { createHash } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import type { Part } from "./manifest.ts";
import { inOrder } from "./parts.ts";

afterEach(() => vi.unstubAllGlobals());

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const BASE = "https://host.example/a/assets/manifest.json";

function part(content: string): Part {
  const sha256 = createHash("sha256").update(content).digest("base64");
  return { url: `${content}.part`, size: Buffer.byteLength(content), sha256 };
}

/** A host that answers with what `answers` has for a file, one after the other, then with the file itself. */
function host(answers: Record<string, (() => Response | Promise<Response>)[]> = {}) {
  const asked: [string, RequestCache | undefined][] = [];
  vi.stubGlobal("fetch", (url: URL, init: RequestInit) => {
    const name = url.pathname.split("/").at(-1) ?? "";
    asked.push([url.href, init.cache]);
    const broken = answers[name]?.shift();
    return Promise.resolve(broken ? broken() : new Response(name.replace(".part", "")));
  });
  return asked;
}

async function all(parts: Part[], pauses: number[] = []) {
  let bytes = 0;
  const got: string[] = [];
  const pause = (milliseconds: number) => Promise.resolve(void pauses.push(milliseconds));
  for await (const piece of inOrder(parts, BASE, (n) => (bytes += n), pause)) got.push(text(piece));
  return { got, bytes };
}

const brokenOff = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("t"));
        controller.error(new TypeError("network error"));
      },
    }),
  );

test("parts come in their order, from beside the manifest", async () => {
  const asked = host();
  const parts = ["one", "two", "three", "four", "five", "six"].map(part);
  expect(await all(parts)).toEqual({
    got: ["one", "two", "three", "four", "five", "six"],
    bytes: 22,
  });
  expect(asked[0]).toEqual(["https://host.example/a/assets/one.part", "force-cache"]);
  expect(asked).toHaveLength(6);
});

test("what breaks off goes on at the part that broke", async () => {
  const asked = host({ "two.part": [brokenOff, () => new Response("", { status: 503 })] });
  const pauses: number[] = [];
  expect(await all([part("one"), part("two")], pauses)).toEqual({ got: ["one", "two"], bytes: 6 });
  expect(asked.map(([url, cache]) => [url.split("/").at(-1), cache])).toEqual([
    ["one.part", "force-cache"],
    ["two.part", "force-cache"],
    ["two.part", "reload"],
    ["two.part", "reload"],
  ]);
  expect(pauses).toEqual([500, 1000]);
});

const html = { headers: { "content-type": "text/html; charset=utf-8" } };
test.each([
  ["is missing", () => new Response("", { status: 404 }), "the server answered 404"],
  ["is shorter", () => new Response("tw"), "it broke off: 2 of 3 bytes"],
  ["is longer", () => new Response("twoo"), "it has more than the 3 bytes"],
  ["is another one", () => new Response("owt"), "it is not what was published"],
  [
    "is a page",
    () => new Response("<!doctype html>", html),
    "it has more than the 3 bytes that it should have; the server sent a web page",
  ],
  ["is cut", () => Promise.reject<Response>(new TypeError("Failed to fetch")), "Failed to fetch"],
])("a part that %s is asked for four times, and then said", async (_how, answer, why) => {
  host({ "two.part": [answer, answer, answer, answer, answer] });
  await expect(all([part("one"), part("two"), part("three")])).rejects.toThrow(
    `part two.part did not come in 4 attempts: ${why}`,
  );
});

test("who needs no more asks for no more", async () => {
  const aborted: AbortSignal[] = [];
  vi.stubGlobal("fetch", (url: URL, init: RequestInit) => {
    if (init.signal) aborted.push(init.signal);
    return url.pathname.endsWith("one.part")
      ? Promise.resolve(new Response("one"))
      : new Promise(() => undefined);
  });
  const parts = inOrder([part("one"), part("two")], BASE, () => undefined);
  await parts.next();
  await parts.return();
  expect(aborted.map((signal) => signal.aborted)).toEqual([true, true]);
});
