/*
 * The service worker of a published site: it answers with the files of one version, and does nothing
 * else. A newer version is fetched whole, checked, and used once no page of the older one is open, so
 * that no page ever gets files of two versions. scripts/publish.mjs builds it into sw.js.
 */
import { messageOf } from "../rpc/reason.ts";
import {
  FILES,
  headersOf,
  MODULE,
  nameOf,
  REFUSED,
  type Published,
  type Refused,
} from "./published.ts";

/** What is used here of a ServiceWorkerGlobalScope; TypeScript has its types in a library of their own. */
interface Scope {
  readonly registration: { readonly scope: string };
  readonly clients: {
    matchAll(options: { includeUncontrolled: boolean }): Promise<readonly Page[]>;
  };
  addEventListener(type: "install" | "activate", listener: (event: Extendable) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetched) => void): void;
}
interface Page {
  postMessage(message: Refused): void;
}
interface Extendable {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetched {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const scope = self as unknown as Scope;
// scripts/publish.mjs puts it here: a script that differs is how browsers know of a newer version.
const published = JSON.parse("PUBLISHED") as Published;
const own = FILES + published.build;

scope.addEventListener("install", (event) => event.waitUntil(install()));
scope.addEventListener("activate", (event) => event.waitUntil(forgetOlder()));
scope.addEventListener("fetch", (event) => {
  const name = nameOf(event.request, scope.registration.scope);
  if (name === undefined) return;
  const address = addressOf(name);
  if (Object.hasOwn(published.files, name)) event.respondWith(answer(own, address, event.request));
  else if (name === published.module) event.respondWith(answer(MODULE, address, event.request));
});

/** A version is there when each of its files is, as it was published; otherwise nothing of it stays. */
async function install(): Promise<void> {
  const cache = await caches.open(own);
  try {
    const names = Object.keys(published.files);
    await Promise.all(Array.from({ length: 6 }, () => fill(cache, names)));
  } catch (error) {
    await caches.delete(own);
    await tell(messageOf(error));
    throw error;
  }
}

/** Tells the pages that are open, which no service worker answers for yet. */
async function tell(why: string): Promise<void> {
  for (const page of await scope.clients.matchAll({ includeUncontrolled: true })) {
    page.postMessage({ type: REFUSED, why });
  }
}

/** Takes names off the list until it is empty. */
async function fill(cache: Cache, names: string[]): Promise<void> {
  for (let name; (name = names.pop()) !== undefined;) {
    const response = await fetch(addressOf(name), { cache: "no-cache" });
    const body = await response.arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
    if (!response.ok || btoa(String.fromCharCode(...digest)) !== published.files[name]) {
      throw new Error(`${name}, as the host sends it, is not what was published`);
    }
    const type = response.headers.get("content-type") ?? "application/octet-stream";
    await cache.put(addressOf(name), new Response(body, { headers: headersOf(name, type) }));
  }
}

async function forgetOlder(): Promise<void> {
  const names = await caches.keys();
  const older = names.filter((name) => name.startsWith(FILES) && name !== own);
  await Promise.all(older.map((name) => caches.delete(name)));
}

async function answer(from: string, address: string, request: Request): Promise<Response> {
  const kept = await (await caches.open(from)).match(address);
  return kept ?? fetch(request); // what a browser has cleared comes from the host again
}

function addressOf(name: string): string {
  return new URL(name, scope.registration.scope).href;
}
