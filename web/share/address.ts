import { ShareError } from "./pack.ts";

/** What an address of the page asks to be opened. */
export type Source =
  /** A manifest in the address itself, packed. */
  | { from: "link"; packed: string }
  /** The same, kept by the site under a short name (wasm/edge). */
  | { from: "site"; id: string }
  /** A file in the Internet. */
  | { from: "web"; address: URL };

/** Reads `#/open?…` or `#/shared/ID`, which anybody may have written. Throws ShareError. */
export function sourceOf(route: {
  path: readonly string[];
  query: Readonly<Record<string, string>>;
}): Source {
  const [view, id] = route.path;
  if (view === "shared") {
    // As wasm/edge/shares names them.
    if (id !== undefined && /^[A-Za-z0-9_-]{16}$/.test(id)) return { from: "site", id };
    throw new ShareError("The short link is damaged: ask whoever sent it to send it again.");
  }
  const { state, url } = route.query;
  if (state !== undefined && url !== undefined) {
    throw new ShareError('The link has both "state" and "url": only one of them can be opened.');
  }
  if (state !== undefined) return { from: "link", packed: state };
  if (url !== undefined) return { from: "web", address: webAddress(url) };
  throw new ShareError(
    'The link names nothing to open. It has "state", as Share makes it, or "url" with the https address of a manifest.',
  );
}

/** Characters of an address that are taken. */
const LONGEST = 2048;

/**
 * An address that leads into the Internet, by the rules that the terminal has for what leaves the tab
 * (core/kubectl/outside.go): any other would be asked inside of the cluster.
 */
export function webAddress(text: string, what = "manifest"): URL {
  const refused = (why: string) =>
    new ShareError(`The address of the ${what} cannot be read: ${why}`);
  if (text.length > LONGEST) throw refused(`it has more than ${LONGEST} characters.`);
  let address: URL;
  try {
    address = new URL(text);
  } catch {
    throw refused("it is no whole address, such as https://example.com/web.yaml.");
  }
  const host = address.hostname.replace(/\.$/, "");
  if (address.protocol !== "https:") throw refused("it has to begin with https://.");
  if (address.username || address.password) throw refused("it has a name or a password in it.");
  if (!host.includes(".") || /^[\d.]+$|^\[/.test(host)) {
    throw refused("its host is no name of the Internet.");
  }
  if (/\.(localhost|local|svc|internal)$/.test(host)) {
    throw refused("its host is a name inside of a cluster or a network.");
  }
  return address;
}
