/*
 * What runs in the hidden frame in which the Workers of containers are begun (ADR 49), so that the browser gives them
 * a process of their own: who takes more memory than a process may have ends this one, and not the page with its
 * cluster. It has an opaque origin, or it is isolated from a page of its own origin. A page of another origin must not
 * have it run a module as this site's: then it does nothing.
 */
import { heldBy, type Browser } from "../cluster/measure.ts";
import { HELLO, HELLO_MEASURES, type Told } from "./frame-wire.ts";
import { Hosted, mayRun } from "./hosted.ts";

const browser = globalThis as unknown as Browser;
const opaque = self.origin === "null";

if (!mayRun(self, location.ancestorOrigins as Iterable<string> | undefined)) {
  document.body.textContent =
    "This file shows nothing by itself: it is the frame in which Tabernetes runs containers in JavaScript.";
} else {
  // Asked without an origin, Chromium does not survive.
  const measures =
    !opaque &&
    browser.crossOriginIsolated &&
    browser.performance.measureUserAgentSpecificMemory !== undefined;
  addEventListener("message", function hear({ source, data, ports }: MessageEvent<Told>) {
    const [cluster, page] = ports;
    if (source !== window.parent || !cluster || !page) return;
    removeEventListener("message", hear);
    const { script, mark } = data;
    const start = opaque ? startBoxed : (number: number) => startOwn(`${script}${mark}${number}`);
    new Hosted(cluster, start, opaque ? readable : () => Promise.resolve(true));
    if (measures) page.onmessage = () => void measure(page, mark);
  });
  window.parent.postMessage(measures ? HELLO_MEASURES : HELLO, "*");
}

const options = { type: "module", name: "container" } as const;

function startOwn(address: string): Worker {
  return new Worker(address, options);
}

/** Chromium starts no module by a blob's address here, and no script that it would have to fetch. */
function startBoxed(): Worker {
  const text = document.getElementById("container")?.textContent ?? "";
  return new Worker(`data:text/javascript,${encodeURIComponent(text)}`, options);
}

/** Whether a module may be read here; it does not run. */
function readable(module: string): Promise<boolean> {
  return new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.onload = () => resolve(true);
    link.onerror = () => resolve(false);
    link.href = module;
    document.head.append(link);
  }).then((may) => may as boolean);
}

async function measure(page: MessagePort, mark: string): Promise<void> {
  let workers: ReturnType<typeof heldBy> = [];
  try {
    const memory = await browser.performance.measureUserAgentSpecificMemory?.();
    if (memory) workers = heldBy(memory, mark);
  } catch (error) {
    console.warn("what containers hold could not be measured", error);
  }
  page.postMessage(workers);
}
