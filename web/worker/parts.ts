import { messageOf } from "../rpc/reason.ts";
import type { Part } from "./manifest.ts";

/** Parts that are asked for at once. */
const AHEAD = 4;
/** How often a part is asked for before the download has failed. */
const ATTEMPTS = 4;
/** Milliseconds before it is asked for again; doubled each time. */
const PAUSE = 500;

/** Why a part is not what it has to be, in words that follow "failed:". */
export class PartError extends Error {}

/**
 * The parts of a file in their order, each as long and with the digest that the manifest says. What
 * breaks off goes on at the part that broke; those before it lie in the browser's cache, on the next
 * visit, too: their names hold a hash, so that whatever is kept under one is right.
 *
 * `count` is told of bytes as they come, and of a negative number when a part begins anew. Throws
 * PartError.
 */
export async function* inOrder(
  parts: readonly Part[],
  base: string,
  count: (bytes: number) => void,
  pause: (milliseconds: number) => Promise<void> = wait,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const abort = new AbortController();
  const ahead: Promise<Uint8Array<ArrayBuffer>>[] = [];
  let next = 0;
  try {
    for (;;) {
      for (let part; ahead.length < AHEAD && (part = parts[next]); next++) {
        const coming = persistently(part, base, count, pause, abort.signal);
        coming.catch(() => undefined); // told when its turn comes
        ahead.push(coming);
      }
      const first = ahead.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    abort.abort(); // nobody wants the others any more
  }
}

async function persistently(
  part: Part,
  base: string,
  count: (bytes: number) => void,
  pause: (milliseconds: number) => Promise<void>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  for (let attempt = 1; ; attempt++) {
    let came = 0;
    const counted = (bytes: number) => {
      came += bytes;
      count(bytes);
    };
    try {
      // What was kept is good enough, however old; what was wrong once is not asked of a cache again.
      return await once(part, base, attempt === 1 ? "force-cache" : "reload", counted, signal);
    } catch (error) {
      count(-came);
      if (attempt === ATTEMPTS || signal.aborted) {
        const why = messageOf(error);
        throw new PartError(`part ${part.url} did not come in ${attempt} attempts: ${why}`);
      }
      await pause(PAUSE * 2 ** (attempt - 1));
    }
  }
}

async function once(
  part: Part,
  base: string,
  cache: RequestCache,
  count: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { subtle } = globalThis.crypto as { subtle?: SubtleCrypto };
  const response = await fetch(new URL(part.url, base), {
    cache,
    signal,
    // Pages by plain http have no digests of their own: there the browser compares, and says less.
    ...(subtle ? {} : { integrity: `sha256-${part.sha256}` }),
  });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const bytes = new Uint8Array(part.size);
  let at = 0;
  const reader = response.body?.getReader();
  for (let chunk; reader && !(chunk = await reader.read()).done;) {
    const { value } = chunk;
    if (at + value.length > part.size) {
      await reader.cancel();
      throw new Error(
        `it has more than the ${part.size} bytes that it should have${webPage(response)}`,
      );
    }
    bytes.set(value, at);
    at += value.length;
    count(value.length);
  }
  if (at < part.size)
    throw new Error(`it broke off: ${at} of ${part.size} bytes${webPage(response)}`);
  if (subtle) {
    const digest = base64(new Uint8Array(await subtle.digest("SHA-256", bytes)));
    if (digest !== part.sha256) throw new Error(`it is not what was published${webPage(response)}`);
  }
  return bytes;
}

/** What a host that answers with a page for a missing file is told by; "" for all others. */
export function webPage({ headers }: Response): string {
  return headers.get("content-type")?.startsWith("text/html") ? "; the server sent a web page" : "";
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
