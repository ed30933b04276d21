import type { FetchParams, ToPage } from "../rpc/protocol.ts";
import type { KubeObject, Row, Table } from "../kube/types.ts";
import type { FakeCluster, Kind } from "./fake-cluster.ts";

const encoder = new TextEncoder();

/** Lists and watches of the three collections as Tables, and /version. */
export async function serve(
  cluster: FakeCluster,
  { path }: FetchParams,
  id: number,
  post: (message: ToPage) => void,
  stop: AbortSignal,
): Promise<Record<string, never>> {
  const url = new URL(path, "http://fake");
  const head = (status: number) =>
    post({
      type: "head",
      id,
      status,
      statusText: status === 200 ? "OK" : "Not Found",
      headers: [["content-type", "application/json"]],
    });
  const send = (value: unknown) =>
    post({ type: "data", id, stream: "body", chunk: encoder.encode(`${JSON.stringify(value)}\n`) });

  const kind = /^\/api\/v1\/(pods|nodes|events)$/.exec(url.pathname)?.[1] as Kind | undefined;
  if (url.pathname === "/version") {
    head(200);
    send({ gitVersion: "v1.36.3" });
  } else if (kind === undefined) {
    head(404);
    send({ kind: "Status", code: 404, message: `the server could not find ${url.pathname}` });
  } else if (!url.searchParams.has("watch")) {
    head(200);
    send(table([...cluster.rows[kind].values()], cluster.version));
  } else {
    head(200);
    await new Promise<void>((resolve) => {
      const listener = (type: string, changed: Kind, row: Row<KubeObject>) => {
        if (changed === kind) send({ type, object: table([row], cluster.version) });
      };
      cluster.listeners.add(listener);
      stop.addEventListener("abort", () => {
        cluster.listeners.delete(listener);
        resolve();
      });
    });
  }
  return {};
}

function table(rows: Row<KubeObject>[], version: number): Table<KubeObject> {
  const names = Object.keys(rows[0]?.cells ?? {});
  return {
    kind: "Table",
    metadata: { resourceVersion: String(version) },
    columnDefinitions: names.map((name) => ({ name })),
    rows: rows.map(({ object, cells }) => ({ object, cells: names.map((name) => cells[name]) })),
  };
}
