/*
 * The SDK on pages that are not ours: of another origin, below a policy of their own, several
 * clusters in one page, and nothing left of those that were disposed of.
 */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import http from "node:http";
import { json } from "node:stream/consumers";
import { after, test } from "node:test";
import { open } from "./browser.mjs";
import { until } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");
const PATIENCE = 300_000;

/** What pages tell their server. */
const reports = new EventEmitter();

/** The module of an image of theirs (docs/images.md): a server, a loop, one that lies in its messages, one that grows, or one that takes all. */
const APP = `export default {
  async start({ args, env, files }) {
    if (args[0] === "spin") for (;;);
    if (args[0] === "lie") DataView.prototype.setUint8 = () => undefined;
    const held = [];
    if (args[0] === "gobble") for (;; await new Promise((go) => setTimeout(go))) held.push(new Array(4e6).fill(Math.random()));
    if (args[0] === "grow") setInterval(() => held.push(new Array(1e6).fill(held.length / 3)), 500);
    const scope = ["fetch", "indexedDB", "caches", "navigator", "Worker", "BroadcastChannel", "postMessage"];
    console.log(env.WHO, await files.text("/etc/config/greeting"), scope.filter((n) => n in globalThis));
  },
  fetch: (request) => new Response(request.method + " " + new URL(request.url).pathname),
  signal(name, { exit }) {
    console.error(name);
    exit(3);
  },
};
`;

/** Pods of that image. */
const PODS = `
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: lesson}
data: {greeting: hello}
---
${["serve", "spin", "lie", "grow"]
  .map(
    (name) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: lesson}
spec:
  restartPolicy: Never
  volumes: [{name: config, configMap: {name: config}}]
  containers:
    - name: c
      image: "example-app:v1"
      args: [${name}]
      resources: ${name === "grow" ? "{limits: {memory: 32Mi}}" : "{}"}
      volumeMounts: [{name: config, mountPath: /etc/config}]
`,
  )
  .join("---")}`;

/** A lesson of theirs that a cluster is made for. */
const LESSON = `---
title: Prepared
nodes: 1
manifests: [made.json]
---
\`\`\`shell prepare hidden
said=prepared
\`\`\`

## One

\`\`\`shell prepare
kubectl create configmap once
\`\`\`

\`\`\`shell
echo "it is $said"
\`\`\`
`;

/** Files of a cluster's configuration, each with something to be seen of it. */
const SCHEDULER = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: mine}]
`;
const ADMISSION = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
  - name: PodSecurity
    configuration:
      apiVersion: pod-security.admission.config.k8s.io/v1
      kind: PodSecurityConfiguration
      defaults: {enforce: restricted}
`;

/** A server of somebody else's: one page, on an origin of its own, that imports the SDK from ours. */
async function theirs(policy) {
  const sdk = new URL("sdk/tabernetes.js", site.url).href;
  const server = http.createServer((request, response) => {
    const headers = policy
      ? {
          "content-security-policy": policy(new URL(sdk).origin),
          // docs/images.md: so it can measure what containers hold.
          "document-isolation-policy": "isolate-and-credentialless",
        }
      : {};
    if (request.url === "/page.js") {
      response.writeHead(200, { ...headers, "content-type": "text/javascript" });
      response.end(`import * as sdk from ${JSON.stringify(sdk)};\nglobalThis.sdk = sdk;\n`);
      return;
    }
    if (request.url === "/seen") {
      void json(request).then((seen) => reports.emit("seen", seen));
      response.end();
      return;
    }
    if (request.url === "/unshared.js") {
      response.writeHead(200, { "content-type": "text/javascript" });
      response.end(APP);
      return;
    }
    const files = {
      "/app.js": ["text/javascript", APP],
      "/lesson/lesson.md": ["text/markdown", LESSON],
      "/lesson/made.json": [
        "application/json",
        '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"made"}}',
      ],
    };
    if (request.url in files) {
      const [type, text] = files[request.url];
      // docs/images.md: so its containers run on an origin, and in a process, of their own.
      const shared = policy ? {} : { "access-control-allow-origin": "*" };
      response.writeHead(200, { ...headers, ...shared, "content-type": type });
      response.end(text);
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
  await imagesInJavaScript(page);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});

/** In the cluster of the page, which has a namespace "lesson". */
async function imagesInJavaScript(page) {
  const seen = await page.evaluate(async (pods) => {
    const { cluster } = globalThis;
    const module = new URL("app.js", location.href);
    await cluster.images.define("example-app", { module, ports: [8080], env: { WHO: "world" } });
    const refused = await cluster.images.define("nginx", { module }).catch((e) => e.message);
    await cluster.apply(pods);
    const run = async (line) => {
      const { stdout, stderr } = await cluster.kubectl(`-n lesson ${line}`);
      return stdout + stderr;
    };
    // Its port answers once start() has resolved.
    const at = "/api/v1/namespaces/lesson/pods/serve:8080/proxy/path";
    await run("wait pod/serve --for=condition=Ready --timeout=120s");
    let answer;
    do answer = await (await cluster.fetch(at, { method: "PUT", body: "x" })).text();
    while (!answer.startsWith("PUT") && (await run("get pod serve")).includes("Running"));
    await run("exec serve -- kill -TERM 1");
    const ended = "--for=jsonpath={.status.phase}=Failed --timeout=120s";
    const waited = await run(`wait pod/serve pod/lie ${ended}`);
    const code = await run(
      "get pod serve -o jsonpath={.status.containerStatuses[0].state.terminated.exitCode}",
    );
    const logs = [await run("logs serve"), await run("logs lie")];
    // A loop holds up nobody, and is killed.
    const deleted = await run("delete pod spin --grace-period=1");
    // What its Worker holds is measured, as this page is isolated.
    await run(`wait pod/grow ${ended}`);
    const grown = await run(
      "get pod grow -o jsonpath={.status.containerStatuses[0].state.terminated.reason}",
    );
    return { refused, answer, waited, code, logs, deleted, grown };
  }, PODS);
  assert.match(seen.refused, /has an image docker.io\/library\/nginx of its own/);
  assert.equal(seen.answer, "PUT /path");
  assert.equal(seen.code, "3", seen.waited);
  assert.match(seen.logs[0], /world hello \[\]/);
  assert.match(seen.logs[0], /SIGTERM/);
  assert.match(seen.logs[1], /broke the rules and was ended: there is no message of kind/);
  assert.match(seen.deleted, /"spin" deleted/);
  assert.equal(seen.grown, "OOMKilled");
}

/** A pod of an image of the page's. */
const podOf = (name, image = "shared-app", restartPolicy = "Never") => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  restartPolicy: ${restartPolicy}
  volumes: [{name: config, configMap: {name: config}}]
  containers: [{name: c, image: ${image}, args: [${name}], volumeMounts: [{name: config, mountPath: /etc/config}]}]
`;

/**
 * A container that takes all the memory that its browser gives takes its neighbours with it, and not the page. Playwright
 * takes a frame's process that ends for the page's: from there on the page tells its server what it sees.
 */
test("a container that takes all memory ends neither the page nor its cluster", async (t) => {
  const page = await visit(t);
  const told = once(reports, "seen").then(([seen]) => seen);
  const pods = {
    first: [podOf("serve", "shared-app", "Always"), podOf("alone", "unshared-app")].join("---"),
    gobble: podOf("gobble"),
    later: podOf("later"),
  };
  await page.evaluate(async (manifest) => {
    const b = globalThis.sdk.createCluster({ nodes: 1 });
    globalThis.b = b;
    for (const [image, file] of [
      ["shared-app", "app.js"],
      ["unshared-app", "unshared.js"],
    ]) {
      await b.images.define(image, { module: new URL(file, location.href), ports: [8080] });
    }
    await b.ready;
    await b.kubectl("create configmap config --from-literal=greeting=hello");
    await b.kubectl("wait serviceaccount/default --for=create --timeout=60s");
    globalThis.run = async (line) => {
      const { stdout, stderr } = await b.kubectl(line);
      return stdout + stderr;
    };
    await b.apply(manifest);
    await globalThis.run("wait pod/serve pod/alone --for=condition=Ready --timeout=120s");
  }, pods.first);
  // That whose host lets nobody else read it is in the cluster's process.
  const places = () => page.workers().map((worker) => worker.url());
  const inFrames = (urls) => urls.filter((url) => url.startsWith("data:")).length;
  const inProcess = (urls) => urls.filter((url) => /^blob:.*#container-/.test(url)).length;
  // The browser tells of a Worker a moment after it runs.
  await until(page, (urls) => inFrames(urls) === 1 && inProcess(urls) === 1, places);
  await page.evaluate(({ gobble, later }) => {
    const { b, run } = globalThis;
    const see = async () => {
      await b.apply(gobble);
      const state = ".status.containerStatuses[0].state.terminated.exitCode";
      const ended = await run(`wait pod/gobble --for=jsonpath={${state}}=137 --timeout=120s`);
      const log = await run("logs gobble");
      // What runs under its restartPolicy comes back, in a frame made anew, beside what begins then.
      const again = ".status.containerStatuses[0].restartCount";
      await run(`wait pod/serve --for=jsonpath={${again}}=1 --timeout=120s`);
      await b.apply(later);
      const ready = await run(
        "wait pod/serve pod/later pod/alone --for=condition=Ready --timeout=120s",
      );
      const restarts = await run(`get pod serve alone -o jsonpath={.items[*]${again}}`);
      return { ended, log, ready, restarts };
    };
    void see().then((seen) => fetch("seen", { method: "POST", body: JSON.stringify(seen) }));
  }, pods);
  const seen = await told;
  assert.match(seen.ended, /condition met/);
  // Where the cluster's thread had no time, its own question to the Worker is the first that finds nobody.
  assert.match(seen.log, /more memory than the browser gives to a process|has not answered for/);
  assert.equal(seen.ready.match(/condition met/g)?.length, 3, seen.ready);
  assert.equal(seen.restarts, "1 0");
});

test("two clusters in a page know nothing of each other, and one that is disposed of is gone", async (t) => {
  const page = await visit(t);
  const seen = await page.evaluate(
    async ([schedulerConfig, admissionConfig]) => {
      const { createCluster, CallError } = globalThis.sdk;
      const a = createCluster({ nodes: 0, admissionConfig });
      const lesson = new URL("lesson/", document.baseURI);
      const b = createCluster({ lesson, schedulerConfig });
      globalThis.b = b;
      await Promise.all([a.ready, b.ready]);
      await a.kubectl("wait serviceaccount/default --for=create --timeout=60s");
      const configured = await a.kubectl("run free --image=nginx");
      await b.shell(
        `kubectl run web --image=nginx --overrides='{"spec":{"schedulerName":"mine"}}'`,
      );
      const placed = await b.kubectl("wait pod/web --for=condition=PodScheduled --timeout=60s");
      const said = await b.shell(
        'echo "$said"; kubectl get ns made -o name; kubectl get nodes -o name; kubectl get cm once -o name',
        { session: "lesson" },
      );
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
        said: said.stdout,
        configured: configured.stderr,
        placed: placed.stdout,
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
    },
    [SCHEDULER, ADMISSION],
  );
  assert.equal(seen.said, "prepared\nnamespace/made\nnode/node-1\nconfigmap/once\n");
  assert.match(seen.configured, /violates PodSecurity "restricted/);
  assert.equal(seen.placed, "pod/web condition met\n");
  assert.equal(seen.there, 1);
  assert.deepEqual(seen.messages, Array(3).fill("The cluster was disposed of."));
  assert.equal(seen.b, 0);
  assert.match(seen.refused, /^TypeError: .*nodes is a whole number from 0 to 50/);
  // A Worker that is told to end is gone a moment later, and the browser says so after that.
  while (page.workers().length > 1) {
    await Promise.any(page.workers().map((worker) => worker.waitForEvent("close")));
  }
  assert.equal(page.workers().length, 1);

  // What a terminal is made of comes when it is asked for, and it is over the page's own cluster.
  const { before, refusals } = await page.evaluate(async () => {
    const { b } = globalThis;
    const before = performance.getEntriesByType("resource").map(({ name }) => name);
    const refused = (options) => b.terminal(options).catch((error) => `${error}`);
    const refusals = [await refused({ fontSize: "13" }), await refused({ run: "reboot" })];
    const terminal = await b.terminal({ theme: "light" });
    document.body.append(terminal);
    return { before, refusals };
  });
  assert.equal(before.filter((name) => /terminal/.test(name)).length, 0, before.join(" "));
  assert.match(refusals[0], /^TypeError: .*fontSize is a number from 9 to 28/);
  assert.match(refusals[1], /^TypeError: .*no option "run"/);
  const terminal = page.locator("tabernetes-terminal");
  await terminal.locator("textarea.xterm-helper-textarea").focus();
  await page.keyboard.type("kubectl get ns default -o name\n");
  await page.waitForFunction(() =>
    document.querySelector("tabernetes-terminal").text().includes("namespace/default"),
  );
  // The lesson that it was made for goes on in its shell, and prepares nothing twice.
  await page.evaluate(async (elements) => {
    await import(elements);
    const lesson = document.createElement("tabernetes-lesson");
    lesson.cluster = globalThis.b;
    lesson.setAttribute("src", "lesson");
    document.body.append(lesson);
  }, new URL("sdk/elements.js", site.url).href);
  const lesson = page.locator("tabernetes-lesson");
  await lesson.getByRole("button", { name: "Run", exact: true }).last().click();
  await lesson.getByText(/^✓ Done, in the terminal/).waitFor();
  await page.waitForFunction(() =>
    document.querySelector("tabernetes-terminal").text().includes("it is prepared"),
  );
  await lesson.getByRole("button", { name: "Start this step again" }).waitFor();
  await page.evaluate(() => globalThis.b.dispose());
  await terminal.getByText("The page has ended this cluster.").waitFor();
  await terminal.getByRole("button", { name: "Try again" }).click();
  await terminal.getByText("The cluster was disposed of.").waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});

test(
  "where the assets cannot be had, ready says so and what to do",
  { timeout: PATIENCE },
  async (t) => {
    const page = await visit(t);
    const [gone, foreign, lesson] = await page.evaluate(async (own) => {
      const said = (options) =>
        globalThis.sdk.createCluster(options).ready.then(
          () => "it started",
          (error) => `${error.message} ${error.hint}`,
        );
      return [
        await said({ assets: new URL("assets/nowhere/", own).href }),
        // A host that allows no other origin.
        await said({ assets: "/nowhere/" }),
        // A lesson that is none: their server answers with a page.
        await said({ lesson: new URL("nowhere/", document.baseURI) }),
      ];
    }, site.url);
    assert.match(lesson, /The lesson cannot be read: .*its host answered with a page/);
    assert.match(gone, /list of files .*404/);
    assert.match(foreign, /list of files|it is not JSON/);
  },
);
