import { parse, stringify } from "yaml";
import { parsePlace, type ApiPlace } from "../kube/apipath.ts";
import type { FetchParams, ToPage } from "../rpc/protocol.ts";
import type { KubeObject, Row, Table } from "../kube/types.ts";
import { CORE, GROUPS } from "./fake-discovery.ts";
import type { FakeCluster, Kind } from "./fake-cluster.ts";

const encoder = new TextEncoder();

/** One request under way. */
interface Exchange {
  url: URL;
  method: string;
  accept: string;
  body: string;
  head: (status: number, type?: string) => void;
  send: (text: string) => void;
  stop: AbortSignal;
}

/**
 * Lists and watches as Tables, objects as JSON and YAML, dry runs that take everything but what
 * has a field named "wrong", logs that go on, and discovery.
 */
export async function serve(
  cluster: FakeCluster,
  { path, method, headers }: FetchParams,
  id: number,
  post: (message: ToPage) => void,
  stop: AbortSignal,
  body: Promise<string>,
): Promise<Record<string, never>> {
  const exchange: Exchange = {
    url: new URL(path, "http://fake"),
    method,
    accept: headers.find(([name]) => name === "accept")?.[1] ?? "",
    body: method === "GET" || method === "DELETE" ? "" : await body,
    stop,
    head: (status, type = "application/json") =>
      post({
        type: "head",
        id,
        status,
        statusText: status < 300 ? "OK" : "Failure",
        headers: [["content-type", type]],
      }),
    send: (text) => post({ type: "data", id, stream: "body", chunk: encoder.encode(text) }),
  };
  await answer(cluster, exchange);
  return {};
}

async function answer(cluster: FakeCluster, exchange: Exchange): Promise<void> {
  const { pathname } = exchange.url;
  if (pathname === "/version") {
    json(exchange, 200, { gitVersion: "v1.36.3" });
    return;
  }
  if (pathname === "/api") {
    json(exchange, 200, CORE);
    return;
  }
  if (pathname === "/apis") {
    json(exchange, 200, GROUPS);
    return;
  }
  if (pathname === "/openapi/v3") {
    json(exchange, 200, { paths: {} });
    return;
  }
  const lease = /^\/apis\/coordination\.k8s\.io\/v1\/.*\/leases\/([^/]+)$/.exec(pathname)?.[1];
  if (lease !== undefined) {
    json(exchange, 200, { spec: { renewTime: cluster.renewals.get(lease) } });
    return;
  }
  if (pathname.endsWith("/log")) return log(exchange);
  if (pathname.endsWith("/subjectaccessreviews")) {
    json(exchange, 201, { status: cluster.told("subjectaccessreviews") ?? { allowed: false } });
    return;
  }
  const place = parsePlace(pathname.slice(1).split("/").map(decodeURIComponent));
  const rows = place && cluster.rows[place.resource as Kind];
  if (!place || rows === undefined) {
    missing(exchange, pathname);
    return;
  }
  if (place.name !== undefined) {
    object(cluster, exchange, place);
    return;
  }
  return list(cluster, exchange, place);
}

async function list(cluster: FakeCluster, exchange: Exchange, place: ApiPlace): Promise<void> {
  const { url, stop } = exchange;
  const kind = place.resource as Kind;
  const chosen = (row: Row<KubeObject>) => matches(row, place, url.searchParams);
  if (exchange.accept.includes("PartialObjectMetadataList")) {
    const items = [...cluster.rows[kind].values()].filter(chosen).map((row) => row.object);
    json(exchange, 200, { metadata: { resourceVersion: "1" }, items });
    return;
  }
  if (!url.searchParams.has("watch")) {
    json(exchange, 200, table([...cluster.rows[kind].values()].filter(chosen), cluster));
    return;
  }
  exchange.head(200);
  await new Promise<void>((resolve) => {
    const listener = (type: string, changed: Kind, row: Row<KubeObject>) => {
      if (changed !== kind || !chosen(row)) return;
      exchange.send(`${JSON.stringify({ type, object: table([row], cluster) })}\n`);
    };
    cluster.listen(Number(url.searchParams.get("resourceVersion") ?? cluster.version), listener);
    stop.addEventListener("abort", () => {
      cluster.listeners.delete(listener);
      resolve();
    });
  });
}

function object(cluster: FakeCluster, exchange: Exchange, place: ApiPlace): void {
  const rows = cluster.rows[place.resource as Kind];
  const row = [...rows.values()].find(({ object: { metadata } }) => metadata.name === place.name);
  const dryRun = exchange.url.searchParams.has("dryRun");
  if (exchange.method === "PUT" || exchange.method === "PATCH") {
    const sent = parse(exchange.body) as KubeObject & { wrong?: unknown };
    if ("wrong" in sent)
      return refuse(exchange, 400, 'strict decoding error: unknown field "wrong"');
    const version = sent.metadata.resourceVersion;
    if (row && exchange.method === "PUT" && version !== row.object.metadata.resourceVersion) {
      return refuse(exchange, 409, "the object has been modified");
    }
    const merged = {
      ...row?.object,
      ...sent,
      metadata: { ...row?.object.metadata, ...sent.metadata },
    };
    if (!dryRun) cluster.put(place.resource as Kind, merged, row?.cells ?? cellsOf(merged));
    return yaml(exchange, row ? 200 : 201, merged);
  }
  if (!row) return missing(exchange, `${place.resource} "${place.name ?? ""}" not found`);
  if (exchange.method === "DELETE") {
    if (place.resource === "pods") cluster.deletePod(row.object.metadata.name);
    else cluster.delete(place.resource as Kind, row.object.metadata.uid);
    return json(exchange, 200, { kind: "Status", status: "Success" });
  }
  if (exchange.accept.includes("yaml")) yaml(exchange, 200, row.object);
  else json(exchange, 200, row.object);
}

async function log(exchange: Exchange): Promise<void> {
  exchange.head(200, "text/plain");
  exchange.send("GET / HTTP/1.1 200 12\nGET /missing HTTP/1.1 404 9\n");
  if (exchange.url.searchParams.get("follow") !== "true") return;
  await new Promise<void>((resolve) => {
    let n = 0;
    const timer = setInterval(() => exchange.send(`line ${++n} of the log\n`), 300);
    exchange.stop.addEventListener("abort", () => {
      clearInterval(timer);
      resolve();
    });
  });
}

function matches(
  { object }: Row<KubeObject>,
  { namespace }: ApiPlace,
  query: URLSearchParams,
): boolean {
  const { metadata } = object;
  if (namespace !== undefined && (metadata.namespace ?? "default") !== namespace) return false;
  const fields = selectorOf(query.get("fieldSelector") ?? "");
  const labels = (query.get("labelSelector") ?? "").split(",").filter((part) => part !== "");
  const read = (path: string) =>
    path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], object);
  return (
    fields.every(([field, value]) => read(field) === value) &&
    labels.every((part) => metadata.labels?.[part.split("=")[0] ?? ""] === part.split("=")[1])
  );
}

/** Field selectors as k8s.io/apimachinery/pkg/fields takes them apart. */
function selectorOf(text: string): [field: string, value: string][] {
  return [...text.matchAll(/([^=,]+)=((?:\\.|[^\\,=])*)/gs)].map(([, field = "", value = ""]) => [
    field,
    value.replace(/\\(.)/gs, "$1"),
  ]);
}

/** What the table says of an object that a test has made. */
function cellsOf({ metadata, status }: KubeObject & { status?: { phase?: string } }) {
  return { Name: metadata.name, Status: status?.phase ?? "Active", Age: "0s" };
}

function table(rows: Row<KubeObject>[], { version }: FakeCluster): Table<KubeObject> {
  const names = Object.keys(rows[0]?.cells ?? { Name: "", Age: "" });
  return {
    kind: "Table",
    metadata: { resourceVersion: String(version) },
    columnDefinitions: names.map((name) => ({ name, type: "string", priority: 0 })),
    rows: rows.map(({ object, cells }) => ({ object, cells: names.map((name) => cells[name]) })),
  };
}

function json({ head, send }: Exchange, status: number, value: unknown): void {
  head(status);
  send(`${JSON.stringify(value)}\n`);
}

function yaml({ head, send }: Exchange, status: number, value: unknown): void {
  head(status, "application/yaml");
  send(stringify(value, { sortMapEntries: true, indentSeq: false }));
}

function refuse(exchange: Exchange, code: number, message: string): void {
  const status = { kind: "Status", status: "Failure", code, message };
  if (exchange.accept.includes("yaml")) yaml(exchange, code, status);
  else json(exchange, code, status);
}

function missing(exchange: Exchange, what: string): void {
  refuse(exchange, 404, `the server could not find ${what}`);
}
