/** What a published site says of itself to its service worker (scripts/publish.mjs writes it). */
export interface Published {
  /** A digest of all files: what tells one version from another. */
  build: string;
  /** The page's files, relative to the site, with their SHA-256 in base64. */
  files: Readonly<Record<string, string>>;
  /** Where the module would lie if it were published whole, relative to the site. */
  module: string;
}

/** The cache of one version's files begins with this. */
export const FILES = "tabernetes-files-";
/** The cache with the unpacked module. */
export const MODULE = "tabernetes-module";

/** What a service worker tells the page if its version cannot be kept. */
export interface Refused {
  type: typeof REFUSED;
  /** What went wrong, without a full stop. */
  why: string;
}
export const REFUSED = "tabernetes-offline-refused";

/**
 * The headers of a file of that type as it is kept. The frame of containers is isolated from the page, which a host may
 * not say: only so has it a process of its own, and can measure what is there (nodehost/site/site.go says the same).
 */
export function headersOf(name: string, type: string): Record<string, string> {
  const isolated = /^(page|sdk)\/container-[^/]*\.html$/.test(name);
  return {
    "content-type": type,
    ...(isolated ? { "document-isolation-policy": "isolate-and-credentialless" } : {}),
  };
}

/** The name of a file for the address of a request; undefined for what the service worker leaves alone. */
export function nameOf(
  { method, url }: Pick<Request, "method" | "url">,
  scope: string,
): string | undefined {
  const at = new URL(url);
  const base = new URL(scope);
  if (method !== "GET" || at.origin !== base.origin || !at.pathname.startsWith(base.pathname)) {
    return undefined;
  }
  const name = at.pathname.slice(base.pathname.length);
  return name === "" || name.endsWith("/") ? `${name}index.html` : name;
}
