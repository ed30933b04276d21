import { expect, test } from "vitest";
import { decode, encode, FROM, text, TO, utf8, WINDOW, type Message } from "./message.ts";
import { Run, type ContainerModule } from "./run.ts";

/** A container with a module, and the cluster's side of its messages. */
class Cluster {
  readonly said: Message[] = [];
  readonly run: Run;
  #waiting: (() => void)[] = [];

  constructor(module: unknown) {
    this.run = new Run(
      (kind, id, data) => {
        this.said.push(decode(encode(kind, id, data)));
        for (const wake of this.#waiting.splice(0)) wake();
      },
      () => (module instanceof Error ? Promise.reject(module) : Promise.resolve(module)),
    );
  }

  tell(kind: string, id = 0, data?: Uint8Array): void {
    this.run.hear(encode(kind, id, data));
  }

  start(more: object = {}): void {
    const start = {
      module: "https://a/b.js",
      args: ["/app", "-x"],
      env: ["A=b=c"],
      hostname: "web-1",
    };
    this.tell(FROM.start, 0, utf8(JSON.stringify({ ...start, ...more })));
  }

  request(id: number, more: object = {}, body?: string): void {
    const head = {
      method: "GET",
      url: "http://web/a?b",
      headers: [["Cookie", "c=d"]],
      body: !!body,
    };
    this.tell(FROM.request, id, utf8(JSON.stringify({ ...head, ...more })));
    if (body) this.tell(FROM.body, id, utf8(body));
  }

  credit(id: number, bytes: number): void {
    const data = new Uint8Array(4);
    new DataView(data.buffer).setUint32(0, bytes);
    this.tell(FROM.credit, id, data);
  }

  /** The first message of a kind, and number if one is given. */
  async next(kind: string, id?: number): Promise<Message> {
    for (;;) {
      const found = this.said.find((m) => m.kind === kind && (id === undefined || m.id === id));
      if (found) {
        this.said.splice(this.said.indexOf(found), 1);
        return found;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

const begun = (module: ContainerModule) => {
  const cluster = new Cluster({ default: module });
  cluster.start();
  return cluster;
};

test("a module has arguments, environment and files, and ends with what start returns", async () => {
  let seen: unknown;
  const cluster = begun({
    async start({ args, env, hostname, files }) {
      seen = {
        args,
        env,
        hostname,
        file: await files.text("/etc/x"),
        names: await files.list("/"),
      };
      return files
        .read("/no")
        .catch((error: unknown) => (String(error) === "Error: /no: gone" ? 7 : 8));
    },
  });
  const asked = await cluster.next(TO.file);
  expect(text(asked.data)).toBe("/etc/x");
  cluster.tell(FROM.file, asked.id, utf8("content"));
  cluster.tell(FROM.file, (await cluster.next(TO.list)).id, utf8('["etc"]'));
  cluster.tell(FROM.noFile, (await cluster.next(TO.file)).id, utf8("/no: gone"));
  expect((await cluster.next(TO.exit)).id).toBe(7);
  expect(seen).toEqual({
    ...{ args: ["-x"], env: { A: "b=c" }, hostname: "web-1" },
    ...{ file: "content", names: ["etc"] },
  });
});

test("a request has its headers and body, and its answer goes back", async () => {
  const cluster = begun({
    fetch: async (request) =>
      new Response(
        `${request.method} ${request.url} ${request.headers.get("cookie")} ${await request.text()}`,
        { status: 201, headers: { "X-Made": "yes" } },
      ),
  });
  await cluster.next(TO.ready, 1);
  cluster.request(1, { method: "POST" }, "sent");
  const head = JSON.parse(text((await cluster.next(TO.head, 1)).data)) as { status: number };
  expect(head).toMatchObject({ status: 201 });
  expect(text((await cluster.next(TO.data, 1)).data)).toBe("POST http://web/a?b c=d sent");
  await cluster.next(TO.end, 1);
  // A host and a method that no Request can have.
  cluster.request(2, { url: "http://:x" });
  expect(text((await cluster.next(TO.data, 2)).data)).toContain("GET http://localhost/");
  cluster.request(3, { method: "TRACE" });
  expect(JSON.parse(text((await cluster.next(TO.head, 3)).data))).toMatchObject({ status: 501 });
});

test.each<[string, unknown, string]>([
  ["throws", () => Promise.reject(new Error("boom")), "boom"],
  ["gives none", () => undefined, "fetch() gave no Response"],
  ["has no status", () => Response.error(), "status 0"],
  [
    "has many headers",
    () => new Response("", { headers: Array.from({ length: 101 }, (_, n) => [`x-${n}`, ""]) }),
    "102 headers",
  ],
  ["has long headers", () => new Response("", { headers: { x: "y".repeat(1e5) } }), "characters"],
])("an answer that %s is a 500, and the log says why", async (_what, fetch, why) => {
  const cluster = begun({ fetch } as ContainerModule);
  await cluster.next(TO.ready, 1);
  cluster.request(1);
  expect(JSON.parse(text((await cluster.next(TO.head)).data))).toMatchObject({ status: 500 });
  expect(text((await cluster.next(TO.stderr)).data)).toContain(why);
  await cluster.next(TO.end);
});

test("an answer goes no faster than it is taken, and stops when nobody waits", async () => {
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(20_000)),
    cancel: () => void (cancelled = true),
  });
  const cluster = begun({ fetch: () => new Response(endless) });
  await cluster.next(TO.ready, 1);
  cluster.request(1);
  const taken = async (until: number) => {
    for (let bytes = 0; bytes < until;) bytes += (await cluster.next(TO.data, 1)).data.length;
  };
  await taken(60_000);
  cluster.credit(1, WINDOW);
  await taken(60_000);
  cluster.tell(FROM.cancel, 1);
  await cluster.next(TO.end, 1);
  await expect.poll(() => cancelled).toBe(true);
  expect(cluster.said.map((m) => m.kind).filter((kind) => kind !== TO.data)).toEqual([
    TO.ready,
    TO.head,
  ]);
});

test("a flood of output is cut, counted, and costs no answer", async () => {
  const cluster = begun({ fetch: () => new Response("here") });
  await cluster.next(TO.ready, 1);
  for (let n = 0; n < 50_000; n++) cluster.run.output.stdout(`${"x".repeat(99)}\n`);
  const under = cluster.said.reduce((sum, { data }) => sum + data.length, 0);
  expect(under).toBeLessThanOrEqual(WINDOW);
  cluster.request(1);
  await cluster.next(TO.end, 1);
  for (let n = 0; n < 30; n++) cluster.credit(0, WINDOW);
  const left = text((await cluster.next(TO.stderr)).data);
  expect(left).toMatch(/… \d+ bytes of output were left out/);
});

test.each<[string, unknown, string]>([
  ["is not there", new TypeError("404"), "(script-src)"],
  ["exports nothing", {}, "exports no object by default"],
  ["exports a function", { default: () => 1 }, "exports no object by default"],
  ["has something else", { default: { fetch: 1 } }, "fetch of what it exports is no function"],
  ["does nothing", { default: {} }, "neither start() nor fetch()"],
  ["throws at its start", { default: { start: () => Promise.reject(new Error("boom")) } }, "boom"],
])("a module that %s ends the container with 1", async (_what, module, why) => {
  const cluster = new Cluster(module);
  cluster.start();
  expect(text((await cluster.next(TO.stderr)).data)).toContain(why);
  expect((await cluster.next(TO.exit)).id).toBe(1);
});

test("signals end what does not take them, and what takes them decides", async () => {
  const fetch = () => new Response("");
  const plain = begun({ fetch });
  await plain.next(TO.ready, 1);
  plain.tell(FROM.signal, 28, utf8("SIGWINCH"));
  plain.tell(FROM.signal, 15, utf8("SIGTERM"));
  expect((await plain.next(TO.exit)).id).toBe(143);
  const names: string[] = [];
  const takes = begun({
    fetch,
    signal: (name, { exit }) => {
      names.push(name);
      if (name === "SIGTERM") exit(3);
    },
  });
  await takes.next(TO.ready, 1);
  takes.tell(FROM.signal, 1, utf8("SIGHUP"));
  takes.tell(FROM.signal, 15, utf8("SIGTERM"));
  expect((await takes.next(TO.exit)).id).toBe(3);
  expect(names).toEqual(["SIGHUP", "SIGTERM"]);
});

test("a question is answered at once, and what nobody catches ends the container", async () => {
  const cluster = begun({ start: () => new Promise(() => undefined) });
  cluster.tell(FROM.ping, 5);
  expect((await cluster.next(TO.pong)).id).toBe(5);
  cluster.run.fail(new Error("lost"));
  expect(text((await cluster.next(TO.stderr)).data)).toContain("lost");
  expect((await cluster.next(TO.exit)).id).toBe(1);
});
