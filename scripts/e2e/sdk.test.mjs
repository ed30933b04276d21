/*
 * The SDK on pages that are not ours: of another origin, below a policy of their own, several
 * clusters in one page, and nothing left of those that were disposed of.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, test } from "node:test";
import { open } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");
const PATIENCE = 300_000;

/** A server of somebody else's: one page, on an origin of its own, that imports the SDK from ours. */
async function theirs(policy) {
  const sdk = new URL("sdk/tabernetes.js", site.url).href;
  const server = http.createServer((request, response) => {
    const headers = policy ? { "content-security-policy": policy(new URL(sdk).origin) } : {};
    if (request.url === "/page.js") {
      response.writeHead(200, { ...headers, "content-type": "text/javascript" });
      response.end(`import * as sdk from ${JSON.stringify(sdk)};\nglobalThis.sdk = sdk;\n`);
      return;
    }
    response.writeHead(200, { ...headers, "content-type": "text/html" });
    response.end(
      '<!doctype html><title>A tutorial</title><script type="module" src="page.js"></script>',
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

/** Their page, once it has the SDK. */
async function visit(t, policy) {
  await site.begun;
  const page = await open(t, site.browser, await theirs(policy));
  await page.waitForFunction(() => globalThis.sdk !== undefined);
  return page;
}

test("a page of another origin, with a strict policy, has a cluster with all that the SDK offers", async (t) => {
  // docs/embedding.md names this policy.
  const page = await visit(
    t,
    (ours) =>
      `default-src 'none'; script-src 'self' ${ours} 'wasm-unsafe-eval'; worker-src blob: ${ours}; connect-src ${ours}`,
  );
  const seen = await page.evaluate(async () => {
    const boot = [];
    const cluster = globalThis.sdk.createCluster({
      nodes: 1,
      manifests: ['{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"lesson"}}'],
    });
    globalThis.cluster = cluster;
    cluster.on("boot", (steps) => boot.push(steps.apiserver.state));
    let events = 0;
    cluster.on("ready", () => events++);
    await cluster.ready;
    const prepared = await cluster.kubectl("get namespace lesson -o name");
    const nodes = await cluster.shell("kubectl get nodes -o name | wc -l");
    const changes = [];
    const running = new Promise((resolve) => {
      cluster.watch("/api/v1/namespaces/lesson/pods", (change) => {
        changes.push(change.type);
        if (change.type === "put" && change.row.object.status.phase === "Running") resolve();
      });
    });
    const applied = await cluster.apply(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: lesson}\nspec:\n  containers: [{name: c, image: nginx}]\n",
    );
    await running;
    const refused = await cluster.apply("kind: Nothing\napiVersion: v1\n").catch((e) => e.message);
    const code = (await cluster.fetch("/readyz")).status;
    const { steps } = await cluster.trace();
    return { boot, events, prepared, nodes, changes, applied, refused, code, traced: steps.length };
  });
  assert.equal(seen.boot.at(-1), "done");
  assert.equal(seen.events, 1);
  assert.equal(seen.prepared.stdout, "namespace/lesson\n");
  assert.equal(seen.nodes.stdout.trim(), "1");
  assert.equal(seen.changes[0], "list");
  assert.equal(seen.applied, "pod/web created\n");
  assert.match(seen.refused, /apply a manifest: .*no matches for kind "Nothing"/s);
  assert.equal(seen.code, 200);
  assert.ok(seen.traced > 100);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});

test("two clusters in a page know nothing of each other, and one that is disposed of is gone", async (t) => {
  const page = await visit(t);
  const seen = await page.evaluate(async () => {
    const { createCluster, CallError } = globalThis.sdk;
    const [a, b] = [createCluster({ nodes: 0 }), createCluster({ nodes: 0 })];
    await Promise.all([a.ready, b.ready]);
    await a.kubectl("create namespace mine");
    const there = await b.kubectl("get namespace mine");
    const waits = a.shell("sleep 3600").catch((error) => error);
    a.dispose();
    a.dispose();
    const [under, later] = [await waits, await a.kubectl("get pods").catch((error) => error)];
    // One that has not begun yet: whoever waits is told.
    const early = createCluster({ nodes: 0 });
    const told = early.ready.catch((error) => error);
    early.dispose();
    return {
      there: there.code,
      messages: [under, later, await told].map((e) => e instanceof CallError && e.message),
      b: (await b.kubectl("get namespaces -o name")).code,
      refused: (() => {
        try {
          return createCluster({ nodes: 1e9 });
        } catch (error) {
          return `${error.name}: ${error.message}`;
        }
      })(),
    };
  });
  assert.equal(seen.there, 1);
  assert.deepEqual(seen.messages, Array(3).fill("The cluster was disposed of."));
  assert.equal(seen.b, 0);
  assert.match(seen.refused, /^TypeError: .*nodes is a whole number from 0 to 50/);
  await page.waitForFunction(() => true);
  assert.equal(page.workers().length, 1);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});

test(
  "where the assets cannot be had, ready says so and what to do",
  { timeout: PATIENCE },
  async (t) => {
    const page = await visit(t);
    const [gone, foreign] = await page.evaluate(async (own) => {
      const said = (assets) =>
        globalThis.sdk.createCluster({ assets }).ready.then(
          () => "it started",
          (error) => `${error.message} ${error.hint}`,
        );
      return [
        await said(new URL("assets/nowhere/", own).href),
        // A host that allows no other origin.
        await said("/nowhere/"),
      ];
    }, site.url);
    assert.match(gone, /list of files .*404/);
    assert.match(foreign, /list of files|it is not JSON/);
  },
);
