import type { KubeObject, Node } from "../kube/types.ts";

/** Where requests to an origin go. */
export interface Site {
  /** As an address begins: "http://172.30.0.11:30080". */
  readonly origin: string;
  /** "IP:port" that is dialled. */
  readonly address: string;
  readonly tls: boolean;
}

/** A way into an object of the cluster, as a client has it. */
export interface Entry {
  /** What tells it from the object's others: "80", "web.example/shop". */
  readonly name: string;
  readonly site: Site;
  /** Where it leads first. */
  readonly path: string;
}

/** What of Services, Ingresses and pods is read here; whoever made them wrote it. */
interface Opened extends KubeObject {
  spec?: {
    type?: string;
    clusterIP?: string;
    ports?: ServicePort[];
    rules?: { host?: string; http?: { paths?: { path?: string; backend?: Backend }[] } }[];
    tls?: { hosts?: string[] }[];
    defaultBackend?: Backend;
    containers?: { ports?: { name?: string; containerPort: number; protocol?: string }[] }[];
  };
  status?: { podIP?: string; loadBalancer?: { ingress?: { ip?: string }[] } };
}

interface ServicePort {
  name?: string;
  port: number;
  nodePort?: number;
  protocol?: string;
  appProtocol?: string;
}

interface Backend {
  service?: { name?: string };
}

/** The resources that have entries. */
const OPENABLE = ["services", "ingresses", "pods"] as const;
export type Openable = (typeof OPENABLE)[number];

/** How kubectl names one of them. */
export const SINGULAR: Record<Openable, string> = {
  services: "service",
  ingresses: "ingress",
  pods: "pod",
};

export function isOpenable(resource: string, group: string): resource is Openable {
  return resource === "ingresses" ? group === "networking.k8s.io" : group === "" && isOne(resource);
}

function isOne(resource: string): boolean {
  return (OPENABLE as readonly string[]).includes(resource);
}

/**
 * The entries of an object: each TCP port of a Service by the address that its type gives it, each host
 * and path of an Ingress, each TCP port that a pod's containers name. None as long as there is no
 * address.
 */
export function entriesOf(
  resource: Openable,
  object: KubeObject,
  nodes: Iterable<Node> = [],
): readonly Entry[] {
  const opened = object as Opened;
  switch (resource) {
    case "services":
      return (opened.spec?.ports ?? []).filter(isTCP).flatMap((port) => {
        const at = addressOf(opened, port, nodes);
        return at ? [{ name: String(port.port), site: siteOf(...at, isTLS(port)), path: "/" }] : [];
      });
    case "ingresses":
      return ingressEntries(opened);
    case "pods": {
      const ip = opened.status?.podIP;
      const ports = (opened.spec?.containers ?? []).flatMap(({ ports = [] }) => ports);
      return (ip ? ports.filter(isTCP) : []).map(({ name, containerPort }) => ({
        name: String(containerPort),
        site: siteOf(ip ?? "", containerPort, name === "https"),
        path: "/",
      }));
    }
  }
}

/** The origins that a document of one of the entries may ask: of the same object, http and https. */
export function sitesOf(entries: readonly Entry[]): ReadonlyMap<string, Site> {
  const sites = new Map<string, Site>();
  for (const { site } of entries) {
    sites.set(site.origin, site);
    const [host = ""] = site.address.split(/:\d+$/);
    const url = new URL(site.origin);
    // An Ingress leads from http to https, and back.
    if (url.host === site.address || url.port !== "") continue;
    for (const tls of [false, true]) {
      url.protocol = tls ? "https:" : "http:";
      sites.set(url.origin, { origin: url.origin, address: `${host}:${tls ? 443 : 80}`, tls });
    }
  }
  return sites;
}

/** The Services behind an object, by which its endpoints are known. */
export function servicesOf(resource: Openable, object: KubeObject): readonly string[] {
  if (resource === "services") return [object.metadata.name];
  if (resource === "pods") return [];
  const { rules = [], defaultBackend } = (object as Opened).spec ?? {};
  const backends = rules.flatMap(({ http }) => http?.paths ?? []).map(({ backend }) => backend);
  const names = [...backends, defaultBackend].map((backend) => backend?.service?.name);
  return [...new Set(names.filter((name) => name !== undefined))];
}

function ingressEntries({ spec, status }: Opened): readonly Entry[] {
  const ip = status?.loadBalancer?.ingress?.find((one) => one.ip)?.ip;
  if (!ip) return [];
  const secured = new Set((spec?.tls ?? []).flatMap(({ hosts = [] }) => hosts));
  const entries = (spec?.rules ?? []).flatMap(({ host = "", http }) =>
    (http?.paths ?? []).flatMap(({ path = "/" }) => {
      // Any name will do for a wildcard.
      const name = host.replace(/^\*\./, "www.");
      const tls = secured.has(host);
      const origin = `${tls ? "https" : "http"}://${name || ip}`;
      if (!URL.canParse(origin)) return [];
      const site = { origin: new URL(origin).origin, address: `${ip}:${tls ? 443 : 80}`, tls };
      return [{ name: `${name}${path}`, site, path: path.startsWith("/") ? path : "/" }];
    }),
  );
  if (entries.length > 0 || !spec?.defaultBackend) return entries;
  return [{ name: "/", site: siteOf(ip, 80, false), path: "/" }];
}

/** A load balancer's address, else a node port, else the cluster IP; undefined for none. */
function addressOf(
  { spec, status }: Opened,
  { port, nodePort }: ServicePort,
  nodes: Iterable<Node>,
): [string, number] | undefined {
  const balanced = status?.loadBalancer?.ingress?.find(({ ip }) => ip)?.ip;
  if (balanced) return [balanced, port];
  for (const { status } of nodePort ? nodes : []) {
    const ready = status.conditions?.some((c) => c.type === "Ready" && c.status === "True");
    const ip = status.addresses?.find(({ type }) => type === "InternalIP")?.address;
    if (ready && ip && nodePort) return [ip, nodePort];
  }
  const ip = spec?.clusterIP;
  return ip && ip !== "None" && spec.type !== "ExternalName" ? [ip, port] : undefined;
}

function siteOf(ip: string, port: number, tls: boolean): Site {
  const host = ip.includes(":") ? `[${ip}]` : ip;
  const { origin } = new URL(`${tls ? "https" : "http"}://${host}:${port}`);
  return { origin, address: `${host}:${port}`, tls };
}

function isTCP({ protocol = "TCP" }: { protocol?: string }): boolean {
  return protocol === "TCP";
}

function isTLS({ name = "", port, appProtocol = "" }: ServicePort): boolean {
  return port === 443 || [name, appProtocol].includes("https");
}
