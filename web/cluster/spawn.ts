import script from "../worker/worker.ts?worker&url";

/**
 * The Worker that holds the cluster. Mode "fake" replaces this file, see vite.config.ts.
 *
 * A browser starts Workers of the page's own origin only. A page that has this script from another
 * one starts a script of its own that does nothing but import it, which that origin has to allow
 * (CORS), and the page's policy, too (`worker-src blob:`).
 */
export function spawnWorker(): Worker {
  const url = new URL(script, import.meta.url);
  const options = { type: "module", name: "tabernetes" } as const;
  if (url.origin === globalThis.origin) return new Worker(url, options);
  const text = `import ${JSON.stringify(url.href)};`;
  // In a frame whose sandbox leaves it no origin, Chromium starts no module by a blob's address.
  if (globalThis.origin === "null") {
    return new Worker(`data:text/javascript,${encodeURIComponent(text)}`, options);
  }
  own ??= URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return new Worker(own, options);
}

/** The address of that script: one for all Workers, as nobody tells when a browser has read it. */
let own: string | undefined;
