/**
 * Starts a Worker from a script of ours.
 *
 * A browser starts Workers of the page's own origin only. A page that has this script from another
 * one starts a script of its own that does nothing but import it, which that origin has to allow
 * (CORS), and the page's policy, too (`worker-src blob:`). What follows "#" in its address stays there.
 */
export function startWorker(url: URL, name: string): Worker {
  const options = { type: "module", name } as const;
  if (url.origin === globalThis.origin) return new Worker(url, options);
  const script = url.href.replace(/#.*/, "");
  const text = `import ${JSON.stringify(script)};`;
  // In a frame whose sandbox leaves it no origin, Chromium starts no module by a blob's address.
  if (globalThis.origin === "null") {
    return new Worker(`data:text/javascript,${encodeURIComponent(text)}`, options);
  }
  let own = addresses.get(script);
  if (own === undefined) {
    own = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    addresses.set(script, own);
  }
  return new Worker(own + url.hash, options);
}

/** The address of each such script: one for all Workers, as nobody tells when a browser has read it. */
const addresses = new Map<string, string>();
