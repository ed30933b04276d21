import type { AttachParams } from "../rpc/protocol.ts";

/** A Service, and where in it. */
export interface Visit {
  readonly name: string;
  readonly namespace: string;
  /** Undefined for its first. */
  readonly port: number | undefined;
  /** Path and query. */
  readonly path: string;
}

/** Whether a hub leads to Services' own addresses: one on this machine, without TLS (nodehost/hub, visit.go). */
export function leadsToServices({ url }: Pick<AttachParams, "url">): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "ws:" && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** The host of a Service's own address, as far as it is the only cluster of its hub. */
export function ownHost({ url }: Pick<AttachParams, "url">, visit: Visit): string {
  const { port } = new URL(url);
  const before = visit.port === undefined ? "" : `${visit.port}.`;
  return `${before}${visit.name}.${visit.namespace}.localhost${port ? `:${port}` : ""}`;
}

/** Asks the hub for an address that opens a Service once, in this browser. */
export async function ticket(
  { url, secret }: Pick<AttachParams, "url" | "secret">,
  cluster: string,
  visit: Visit,
): Promise<string> {
  const hub = new URL("/hub/v1/visit", url.replace(/^ws/, "http"));
  const response = await fetch(hub, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify({ ...visit, cluster }),
  });
  if (!response.ok) throw new Error((await response.text()).slice(0, 300).trim());
  const { url: opens } = (await response.json()) as { url: string };
  const { protocol, hostname } = new URL(opens);
  if (protocol !== "http:" || !hostname.endsWith(".localhost")) {
    throw new Error(`the hub leads to ${opens.slice(0, 100)}`);
  }
  return opens;
}
