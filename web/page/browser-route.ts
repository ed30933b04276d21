import type { Route } from "./route.ts";

/** What the browser view's address names: "#/browser/services/default/web?entry=80&at=/shop". */
export interface BrowserRoute {
  readonly resource: "services" | "ingresses" | "pods";
  readonly namespace: string;
  readonly name: string;
  /** Which port, or host and path; "" for the first. */
  readonly entry: string;
  /** Path and query within; "" for where the entry leads. */
  readonly at: string;
}

const RESOURCES = ["services", "ingresses", "pods"] as const;

/** Characters of each part of an address that are read. */
const LONGEST = 4096;

/** Reads an address; undefined if it names nothing that could be opened. */
export function parseBrowserRoute({ path, query }: Route): BrowserRoute | undefined {
  const [view, resource, namespace, name] = path;
  const known = RESOURCES.find((one) => one === resource);
  if (view !== "browser" || !known || !namespace || !name) return undefined;
  const at = (query.at ?? "").slice(0, LONGEST);
  return {
    resource: known,
    namespace: namespace.slice(0, LONGEST),
    name: name.slice(0, LONGEST),
    entry: (query.entry ?? "").slice(0, LONGEST),
    // A path of the entry's own site, never another site.
    at: /^\/(?![/\\])/.test(at) ? at : "",
  };
}

/** The address of an entry. */
export function browserRoute({ resource, namespace, name, entry, at }: BrowserRoute): Route {
  return { path: ["browser", resource, namespace, name], query: { entry, at } };
}

/** The same address at another path. */
export function withAt({ path, query }: Route, at: string): Route {
  return { path, query: { ...query, at } };
}
