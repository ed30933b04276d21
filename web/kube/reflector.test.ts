import { afterEach, describe, expect, test, vi } from "vitest";
import type { Disposable } from "../state/disposable.ts";
import { reflect, type Change, type Fetch } from "./reflector.ts";
import type { Pod } from "./types.ts";

/** An apiserver in so far as one collection needs it: each request takes the next answer. */
class Server {
  readonly requests: URL[] = [];
  readonly accepts: (string | null)[] = [];
  readonly #answers: (() => Response | Promise<Response>)[] = [];

  then(answer: () => Response | Promise<Response>): this {
    this.#answers.push(answer);
    return this;
  }

  readonly fetch: Fetch = (path, init) => {
    this.requests.push(new URL(path, "http://tab"));
    this.accepts.push(new Headers(init?.headers).get("accept"));
    const answer = this.#answers.shift();
    if (answer) return Promise.resolve(answer());
    // Nothing more is planned: a watch without events.
    return Promise.resolve(new Response(new ReadableStream()));
  };
}

const running: Disposable[] = [];
afterEach(() => running.splice(0).forEach((r) => r.dispose()));

function follow(server: Server) {
  const changes: string[] = [];
  const problems: (string | undefined)[] = [];
  running.push(
    reflect<Pod>({
      fetch: server.fetch,
      path: "/api/v1/pods",
      retryAfter: 1,
      onChange: (change) => changes.push(show(change)),
      onState: (problem) => problems.push(problem),
    }),
  );
  return { changes, problems };
}

function show(change: Change<Pod>): string {
  if (change.type === "list") {
    return `list ${change.rows.map((r) => `${r.object.metadata.name}=${r.cells.Status ?? ""}`).join(",")}`;
  }
  return `${change.type} ${change.row.object.metadata.name}=${change.row.cells.Status ?? ""}`;
}

const columnDefinitions = [{ name: "Name" }, { name: "Status" }];

function rows(...pods: [name: string, status: string, version: string][]) {
  return pods.map(([name, status, resourceVersion]) => ({
    cells: [name, status],
    object: { metadata: { name, uid: name, resourceVersion } },
  }));
}

function list(version: string, ...pods: [string, string, string][]) {
  return () =>
    Response.json({
      kind: "Table",
      metadata: { resourceVersion: version },
      columnDefinitions,
      rows: rows(...pods),
    });
}

/** A watch as upstream sends it: columns in the first event only. */
function watch(...events: [type: string, name: string, status: string, version: string][]) {
  return () =>
    new Response(
      events
        .map(([type, name, status, version], i) =>
          JSON.stringify({
            type,
            object: {
              kind: "Table",
              metadata: {},
              columnDefinitions: i === 0 ? columnDefinitions : null,
              rows: rows([name, status, version]),
            },
          }),
        )
        .join("\n") + "\n",
    );
}

/** A body whose connection is lost before anything of it has come. */
function broken() {
  return new ReadableStream({
    start: (controller) => controller.error(new TypeError("network error")),
  });
}

const gone = () =>
  new Response(
    JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } }) +
      "\n",
  );

describe("reflect", () => {
  test("lists, then follows with the cells of the table", async () => {
    const server = new Server()
      .then(list("10", ["a", "Pending", "9"]))
      .then(
        watch(
          ["MODIFIED", "a", "Running", "11"],
          ["ADDED", "b", "Pending", "12"],
          ["DELETED", "b", "Pending", "13"],
        ),
      );
    const { changes } = follow(server);
    await vi.waitFor(() => expect(changes).toHaveLength(4));
    expect(changes).toEqual([
      "list a=Pending",
      "put a=Running",
      "put b=Pending",
      "delete b=Pending",
    ]);
    expect(server.accepts[0]).toContain("as=Table");
    expect(server.requests[1]?.searchParams.get("resourceVersion")).toBe("10");
  });

  test("a watch that ends goes on from the last version, a bookmark's included", async () => {
    const server = new Server()
      .then(list("10"))
      .then(watch(["ADDED", "a", "Pending", "11"], ["BOOKMARK", "", "", "20"]));
    const { changes } = follow(server);
    await vi.waitFor(() => expect(server.requests).toHaveLength(3));
    expect(server.requests[2]?.searchParams.get("resourceVersion")).toBe("20");
    expect(changes).toEqual(["list ", "put a=Pending"]);
  });

  test.each([
    ["as an event", gone],
    ["as a status", () => new Response("", { status: 410 })],
  ])("410 %s begins again with a list", async (_name, answer) => {
    const server = new Server()
      .then(list("10", ["a", "Running", "9"]))
      .then(answer)
      .then(list("50", ["b", "Running", "49"]));
    const { changes, problems } = follow(server);
    await vi.waitFor(() => expect(changes).toEqual(["list a=Running", "list b=Running"]));
    expect(problems.filter(Boolean)).toEqual([]);
  });

  test.each([
    ["breaks in the middle", () => new Response(broken())],
    ["cannot be begun", () => Promise.reject(new TypeError("network error"))],
    [
      "is asked for patience",
      () => Response.json({ kind: "Status", message: "network error" }, { status: 429 }),
    ],
  ])("a watch that %s goes on from the last version", async (_name, answer) => {
    const server = new Server()
      .then(list("10", ["a", "Pending", "9"]))
      .then(watch(["MODIFIED", "a", "Running", "11"]))
      .then(answer)
      .then(watch(["MODIFIED", "a", "Done", "12"]));
    const { changes, problems } = follow(server);
    await vi.waitFor(() => expect(changes).toHaveLength(3));
    expect(changes).toEqual(["list a=Pending", "put a=Running", "put a=Done"]);
    expect(server.requests[3]?.searchParams.get("resourceVersion")).toBe("11");
    expect(problems.filter(Boolean)).toEqual([expect.stringContaining("network error")]);
    expect(problems.at(-1)).toBeUndefined();
  });

  test("a watch that is refused begins again with a list", async () => {
    const server = new Server()
      .then(list("10", ["a", "Running", "9"]))
      .then(() => Response.json({ kind: "Status", message: "no" }, { status: 403 }))
      .then(list("50", ["b", "Running", "49"]));
    const { changes } = follow(server);
    await vi.waitFor(() => expect(changes).toEqual(["list a=Running", "list b=Running"]));
  });

  test("a failure is told with the server's own words, and tried again", async () => {
    const server = new Server()
      .then(() => Response.json({ kind: "Status", message: "pods is forbidden" }, { status: 403 }))
      .then(list("10", ["a", "Running", "9"]));
    const { changes, problems } = follow(server);
    await vi.waitFor(() => expect(changes).toEqual(["list a=Running"]));
    expect(problems[0]).toBe("list /api/v1/pods: pods is forbidden");
    expect(problems.at(-1)).toBeUndefined();
  });

  test.each([true, false])("leaves out who set what, if it is to be lean: %s", async (lean) => {
    const managedFields = [{ manager: "kubelet" }];
    const metadata = { name: "a", uid: "a", resourceVersion: "9", managedFields };
    const table = { kind: "Table", columnDefinitions, rows: [{ cells: [], object: { metadata } }] };
    const event = { type: "MODIFIED", object: table };
    const server = new Server()
      .then(() => Response.json({ ...table, metadata: { resourceVersion: "10" } }))
      .then(() => new Response(JSON.stringify(event) + "\n"));
    const objects: Pod[] = [];
    running.push(
      reflect<Pod>({
        fetch: server.fetch,
        path: "/api/v1/pods",
        lean,
        onChange: (change) =>
          objects.push(...("rows" in change ? change.rows : [change.row]).map((r) => r.object)),
      }),
    );
    await vi.waitFor(() => expect(objects).toHaveLength(2));
    for (const object of objects) {
      expect(object.metadata.name).toBe("a");
      expect(object.metadata.managedFields).toEqual(lean ? undefined : managedFields);
    }
  });

  test("after dispose nothing is asked any more", async () => {
    const server = new Server().then(list("1"));
    follow(server);
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    running.splice(0).forEach((r) => r.dispose());
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(server.requests).toHaveLength(2);
  });
});
