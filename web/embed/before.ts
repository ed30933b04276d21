/** Gigabytes below which a browser is likely to end a tab that holds a cluster, beside all else that it has open. */
const ENOUGH = 2;

/** What stands beside a button that starts a cluster: what it downloads, as far as that is known. */
export function beforeStart(bytes: number | undefined): string {
  const download =
    bytes === undefined
      ? "It runs in this tab; it is downloaded once."
      : `It runs in this tab. ${(bytes / 1e6).toFixed(0)} MB are downloaded, once.`;
  return `${download} ${littleMemory()}`.trimEnd();
}

/** A warning for a device that may be too small; "" for others, and where the browser does not say. */
export function littleMemory(gigabytes = deviceMemory()): string {
  if (gigabytes === undefined || gigabytes >= ENOUGH) return "";
  return `This device has ${gigabytes} GB of memory, of which a cluster takes about half a gigabyte: the browser may end it. A computer does better.`;
}

/** Rounded by the browser, so that it tells nobody apart. */
function deviceMemory(): number | undefined {
  return (globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory;
}
