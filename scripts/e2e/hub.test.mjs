/* The tab from outside: `make headless`, and the machine's own kubectl through the hub. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { get } from "node:http";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import tls from "node:tls";
import { promisify } from "node:util";
import { DESKTOP, launch, open, ready, sh } from "./browser.mjs";
import { KUBECTL, buildNodehost } from "./native.mjs";

const run = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "hub-"));
const kubeconfig = join(dir, "kubeconfig");
let headless;

before(async () => {
  buildNodehost();
  headless = spawn("node", ["scripts/headless.mjs", join(dir, "state"), kubeconfig, "3"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: headless.stdout });
  const [line] = await Promise.race([
    once(lines, "line"),
    once(headless, "exit").then(([code]) => {
      throw new Error(`headless ended with code ${code}`);
    }),
  ]);
  assert.equal(line, `ready tab ${kubeconfig}`);
});
after(() => {
  headless?.kill("SIGINT");
  rmSync(dir, { recursive: true, force: true });
});

async function kubectl(...args) {
  const { stdout } = await run(KUBECTL, ["--kubeconfig", kubeconfig, ...args], {
    timeout: 120_000,
  });
  return stdout;
}

test(
  "kubectl reaches the tab",
  { skip: KUBECTL ? false : "kubectl is not installed" },
  async () => {
    assert.match(await kubectl("auth", "whoami"), /headless/);
    assert.match(await kubectl("create", "deployment", "web", "--image=nginx"), /created/);
    assert.match(
      await kubectl("rollout", "status", "deployment/web", "--timeout=100s"),
      /rolled out/,
    );
    for (let i = 0; i < 5; i++) {
      assert.equal(
        await kubectl("exec", "deployment/web", "--", "sh", "-c", "echo inside"),
        "inside\n",
      );
    }
    assert.match(await kubectl("logs", "deployment/web"), /nginx/);
  },
);

test("SIGINT ends all of it", async () => {
  const exited = once(headless, "exit");
  headless.kill("SIGINT");
  assert.deepEqual(await exited, [0, null]);
  assert.equal(existsSync(kubeconfig), false);
});

test("a hub that is killed with streams open, and comes back, finds the tab again", async (t) => {
  const state = mkdtempSync(join(tmpdir(), "hub-"));
  const [page, clients] = [await freePort(), await freePort()];
  const start = async () => {
    const hub = spawn(
      "out/nodehost",
      [
        "serve",
        "--state",
        state,
        `--listen=127.0.0.1:${page}`,
        `--clients=127.0.0.1:${clients}`,
        "--print-secret",
      ],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    for await (const line of createInterface({ input: hub.stdout })) {
      const [, url] = /^page\s+(\S+)$/.exec(line) ?? [];
      if (url) return { hub, url };
    }
    throw new Error("the hub did not start");
  };
  let { hub, url } = await start();
  const browser = await launch();
  t.after(async () => {
    await browser.close();
    hub.kill("SIGKILL");
    rmSync(state, { recursive: true, force: true });
  });
  const tab = await open(t, browser, `${url}&name=again`, DESKTOP);
  await ready(tab);
  await tab.getByRole("button", { name: "hub again" }).waitFor();
  const idle = await Promise.all(Array.from({ length: 5 }, () => dial(clients)));
  assert.equal(await readyz(idle[0]), "ok");

  const gone = once(hub, "exit");
  hub.kill("SIGKILL");
  await gone;
  await tab.getByRole("button", { name: "hub lost" }).waitFor();
  ({ hub } = await start());
  const begin = performance.now();
  await tab.getByRole("button", { name: "hub again" }).waitFor({ timeout: 60_000 });
  t.diagnostic(
    `attached again ${(performance.now() - begin).toFixed(0)} ms after the hub was back`,
  );
  assert.equal(await readyz(await dial(clients)), "ok");
  const { stdout } = await tab.evaluate(() => globalThis.tabernetes.kubectl("get --raw /readyz"));
  assert.equal(stdout, "ok");
  await ownAddress(tab, page);
});

/** A Service at its own address, for this browser and nobody else. */
async function ownAddress(tab, port) {
  await sh(tab, "kubectl create deployment podinfo --image=stefanprodan/podinfo:6.1.0");
  await sh(tab, "kubectl expose deployment podinfo --port=9898");
  await sh(tab, "kubectl rollout status deployment/podinfo --timeout=120s");
  await tab.evaluate(() => (location.hash = "#/browser/services/default/podinfo"));
  const [own] = await Promise.all([
    tab.context().waitForEvent("page"),
    tab.getByRole("button", { name: "Own address" }).click(),
  ]);
  await own.getByText("greetings from podinfo v6.1.0").waitFor();
  const host = `9898.podinfo.default.localhost:${port}`;
  assert.equal(own.url(), `http://${host}/`);
  // With all that a page has: an origin, storage, cookies, posts and WebSockets.
  await own.getByRole("button", { name: "Ping" }).click();
  await own.getByRole("button", { name: "Ping 1" }).waitFor();
  const got = await own.evaluate(async () => {
    const socket = new WebSocket("/ws/echo");
    const next = (type) => new Promise((resolve) => (socket[`on${type}`] = resolve));
    await next("open");
    socket.send("hello");
    const { msg } = JSON.parse((await next("message")).data);
    localStorage.setItem("a", "b");
    document.cookie = "own=1";
    const headers = await (await fetch("/headers")).json();
    return {
      msg,
      origin: self.origin,
      opener: globalThis.opener,
      cookie: document.cookie,
      sent: headers.Cookie,
    };
  });
  assert.deepEqual(got, {
    msg: "hello",
    origin: `http://${host}`,
    opener: null,
    cookie: "own=1",
    sent: ["own=1"],
  });
  await own.screenshot({ path: "out/screenshots/pane-own-address.png" });
  // What was opened stays open, also where it is typed; another site does not get in, nor another program.
  await own.goto(`http://${host}/version`);
  await own.getByText('"version": "6.1.0"').waitFor();
  const attempts = await tab.evaluate(async (address) => {
    const got = {};
    const attempt = async (name, f) => (got[name] = await f().catch(() => "refused"));
    await attempt("fetch", () => fetch(address).then((r) => r.status));
    await attempt("post", () => fetch(address, { method: "POST", mode: "no-cors" }));
    return got;
  }, `http://${host}/echo`);
  assert.deepEqual(attempts, { fetch: "refused", post: "refused" });
  const asked = await new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/version", headers: { host } }, resolve).on(
      "error",
      reject,
    );
  });
  assert.equal(asked.statusCode, 401);
  asked.resume();
  await own.close();
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** A TLS connection to the tab, as kubectl makes one; what the hub does when it ends is not asked. */
async function dial(port) {
  const socket = tls.connect({
    host: "127.0.0.1",
    port,
    servername: "again.tabernetes.internal",
    rejectUnauthorized: false, // the tab's CA is not known here
  });
  await once(socket, "secureConnect");
  socket.on("error", () => undefined);
  return socket;
}

async function readyz(socket) {
  socket.write("GET /readyz HTTP/1.1\r\nHost: tab\r\n\r\n");
  const [answer] = await once(socket, "data");
  return String(answer).split("\r\n\r\n")[1];
}
