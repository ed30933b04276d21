import type { Fetch } from "../kube/reflector.ts";
import type { Readable } from "../state/store.ts";
import type { KubeObject, Node, Pod, Row } from "../kube/types.ts";
import { entriesOf, type Openable } from "./sites.ts";

/** What the browser view opens, at which entry (sites.ts) and where in it. */
export interface Place {
  readonly resource: Openable;
  readonly namespace: string;
  readonly name: string;
  readonly entry: string;
  readonly at: string;
}

/** What of a cluster has addresses. */
export interface Addressed {
  readonly services: readonly KubeObject[];
  readonly ingresses: readonly KubeObject[];
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
}

/** What of a Service is read here. */
interface Service extends KubeObject {
  spec?: {
    clusterIP?: string;
    externalIPs?: string[];
    ports?: { port: number; nodePort?: number }[];
  };
  status?: { loadBalancer?: { ingress?: { ip?: string }[] } };
}

/** Objects of each kind that are looked at. */
const MOST = 500;
/** Milliseconds for which what the cluster has answered is taken for true. */
const FRESH = 2000;

/**
 * What an address of the cluster's own is of: a Service, by its name, its load balancer, a node's port or its cluster
 * IP, an Ingress, by its host, or a pod. Undefined if nobody here has it.
 */
export function placeOfAddress(url: URL, on: Addressed): Place | undefined {
  const at = `${url.pathname}${url.search}${url.hash}`;
  const view = (resource: Openable, { metadata }: KubeObject, entry: string): Place => {
    const { namespace = "default", name } = metadata;
    return { resource, namespace, name, entry, at };
  };
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  for (const service of on.services as readonly Service[]) {
    const entry = portOf(service, url.hostname, port, on.nodes);
    const open = entriesOf("services", service, on.nodes).find(({ name }) => name === entry);
    if (open) return view("services", service, open.name);
  }
  // The longest path that the address begins with is the rule by which an Ingress leads on.
  const rules = on.ingresses.flatMap((ingress) =>
    entriesOf("ingresses", ingress)
      .filter(({ site, path }) => {
        const { hostname } = new URL(site.origin);
        return hostname === url.hostname && [80, 443].includes(port) && at.startsWith(path);
      })
      .map(({ name, path }) => ({ ingress, name, path })),
  );
  const [rule] = rules.toSorted((a, b) => b.path.length - a.path.length);
  if (rule) return view("ingresses", rule.ingress, rule.name);
  for (const pod of on.pods) {
    const entry = entriesOf("pods", pod).find(
      ({ site }) => site.address === `${url.hostname}:${port}`,
    );
    if (entry) return view("pods", pod, entry.name);
  }
  return undefined;
}

/** The port of a Service that an address of its leads to, as its entries have it. */
function portOf(
  { metadata, spec, status }: Service,
  host: string,
  port: number,
  nodes: readonly Node[],
): string | undefined {
  const name = `${metadata.name}.${metadata.namespace ?? "default"}`;
  const ports = spec?.ports ?? [];
  const own = [
    ...[name, `${name}.svc`, `${name}.svc.cluster.local`],
    ...[spec?.clusterIP, ...(spec?.externalIPs ?? [])],
    ...(status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip),
  ];
  const at = own.includes(host)
    ? ports.find((one) => one.port === port)
    : isNode(host, nodes)
      ? ports.find(({ nodePort }) => nodePort === port)
      : undefined;
  return at && String(at.port);
}

function isNode(host: string, nodes: readonly Node[]): boolean {
  return nodes.some(({ metadata, status }) =>
    [metadata.name, ...(status.addresses ?? []).map(({ address }) => address)].includes(host),
  );
}

/** What the page knows of its cluster already, and where it asks. */
export interface Knows {
  readonly fetch: Fetch;
  readonly pods: Readable<{ readonly rows: ReadonlyMap<string, Row<Pod>> }>;
  readonly nodes: Readable<{ readonly rows: ReadonlyMap<string, Row<Node>> }>;
}

/** Asks a cluster whose an address is, and keeps what it has for a moment: a screen has many addresses. */
export class Inside {
  readonly #on: Knows;
  #asked = -Infinity;
  #lists: Promise<Pick<Addressed, "services" | "ingresses">> | undefined;

  constructor(on: Knows) {
    this.#on = on;
  }

  async find(url: URL): Promise<Place | undefined> {
    if (!this.#lists || performance.now() - this.#asked > FRESH) {
      this.#asked = performance.now();
      this.#lists = this.#ask();
    }
    const pods = [...this.#on.pods.state.rows.values()].map(({ object }) => object);
    const nodes = [...this.#on.nodes.state.rows.values()].map(({ object }) => object);
    return placeOfAddress(url, { ...(await this.#lists), pods, nodes });
  }

  async #ask() {
    const { fetch } = this.#on;
    const [services, ingresses] = await Promise.all(
      ["/api/v1/services", "/apis/networking.k8s.io/v1/ingresses"].map(async (path) => {
        const answer = await fetch(`${path}?limit=${MOST}`);
        // Whoever may not see them has no such links.
        return answer.ok ? (((await answer.json()) as { items?: KubeObject[] }).items ?? []) : [];
      }),
    );
    return { services: services ?? [], ingresses: ingresses ?? [] };
  }
}
