/*
 * What runs in the frame of the browser view, before the document that it shows: it has an opaque
 * origin and a policy that lets nothing out (frame.html), and one port, which leads to the page. The
 * page gives it one document, and answers what that asks for.
 */
import { standIn } from "./absent.ts";
import { Page } from "./ask.ts";
import { prepare } from "./document.ts";
import { Elements } from "./elements.ts";
import { follow, Place, toHash } from "./navigation.ts";
import { fetchBy, xhrBy } from "./requests.ts";
import { Resources } from "./resources.ts";
import { socketBy } from "./socket.ts";
import { HELLO, type ToFrame } from "./wire.ts";

if (self.origin !== "null" || window.parent === window) {
  document.body.textContent =
    "This file shows nothing by itself: it is the frame in which Tabernetes shows pages of a cluster.";
} else {
  addEventListener("message", function hear({ source, ports: [port] }: MessageEvent) {
    if (source !== window.parent || !port) return;
    removeEventListener("message", hear);
    const page = new Page(port);
    page.onDocument = (message) => {
      page.onDocument = undefined;
      void show(page, message);
    };
  });
  window.parent.postMessage(HELLO, "*");
}

async function show(page: Page, message: Extract<ToFrame, { type: "document" }>): Promise<void> {
  const { url, contentType, bytes, x, y } = message;
  const resources = new Resources(page);
  const prepared = await prepare(bytes, contentType, url, resources, page);
  const elements = new Elements(resources);
  standIn((what) => page.lacks(what));
  const ask = fetchBy(page);
  const own = { fetch: ask, XMLHttpRequest: xhrBy(ask), WebSocket: socketBy(page) };
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(window, name, { value, configurable: true, writable: true });
  }
  elements.takeOver();
  // Writing keeps this window, its policy and what was put into it, and takes all listeners away.
  document.open();
  elements.watch();
  follow(page, new Place(url));
  const { hash } = new URL(url);
  addEventListener("load", () => {
    if (x !== 0 || y !== 0) scrollTo(x, y);
    else if (hash !== "") toHash(hash);
  });
  addEventListener("DOMContentLoaded", () => {
    tellTitle(page);
    if (x !== 0 || y !== 0) scrollTo(x, y);
  });
  // Before its scripts: one of them may never come to an end.
  page.tell({ type: "drawn" });
  // The one way in which scripts run where they stand, as the parser comes to them.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  document.write(prepared.html);
  document.close();
  const { refresh } = prepared;
  if (!refresh) return;
  setTimeout(
    () => page.tell({ type: "go", url: refresh.url, method: "GET", headers: [], replace: true }),
    refresh.after * 1000,
  );
}

/** The longest title that is told. */
const LONGEST = 200;

function tellTitle(page: Page): void {
  let told = "";
  const tell = () => {
    const text = document.title.slice(0, LONGEST);
    if (text === told) return;
    told = text;
    page.tell({ type: "title", text });
  };
  tell();
  const all = { childList: true, subtree: true, characterData: true };
  new MutationObserver(tell).observe(document.head, all);
}
