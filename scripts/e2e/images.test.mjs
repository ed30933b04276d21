/* What the page says of images that the tab has, and of those that it has not. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ready, screenshot, sh, SIZES } from "./browser.mjs";
import { serve } from "./site.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

const shell = (page, line) => page.evaluate((l) => globalThis.tabernetes.shell(l), line);
const go = (page, hash) => page.evaluate((hash) => (location.hash = hash), hash);

describe("an image that the tab does not have", () => {
  for (const [size, options] of Object.entries(SIZES)) {
    test(`is a stand-in in every view: ${size}`, async (t) => {
      const page = await site.visit(t, "map", options);
      await shell(page, "kubectl run shop --image=acme/shop:2; kubectl run web --image=nginx");
      await shell(page, "kubectl wait --for=condition=Ready pod/shop pod/web --timeout=90s");
      const pod = page.locator("tn-map button.pod[data-state='standin']");
      await pod.waitFor({ timeout: 90_000 });
      await page.locator("tn-map button.pod[data-state='running']").waitFor();
      assert.equal(await pod.count(), 1);
      assert.match(await pod.getAttribute("aria-label"), /does not have the image .*acme\/shop:2/);
      assert.match(await pod.innerText(), /shop[\s\S]*stand-in/);
      assert.match(await page.locator("tn-counts .standin").innerText(), /1\s+stand-in/);
      await screenshot(page, `images-standin-map-${size}`);

      await go(page, "#/api/v1/namespaces/default/pods/shop");
      const why = page.locator("tn-explanation .sentence");
      await why.waitFor();
      assert.match(
        await why.innerText(),
        /^The tab does not have the image docker\.io\/acme\/shop:2\. In its place/,
      );
      await screenshot(page, `images-standin-summary-${size}`);
      await go(page, "#/api/v1/namespaces/default/pods/web");
      await page.locator("tn-inspector .containers").getByText("nginx").first().waitFor();
      assert.equal(await why.count(), 0);

      await go(page, "#/api/v1/namespaces/default/pods");
      const cell = page.locator("tn-objects td[data-state='standin']");
      await cell.waitFor({ state: "attached" }); // a phone shows the inspector over it
      assert.equal((await cell.textContent()).trim(), "Running, stand-in");
      await screenshot(page, `images-standin-objects-${size}`);

      const { stdout } = await shell(page, "kubectl describe pod shop");
      assert.match(stdout, /Image ID: +stand-in:\/\/docker\.io\/acme\/shop@sha256:/);
      assert.match(
        stdout,
        /Warning +StandIn .*kubelet +This tab does not have image "docker\.io\/acme\/shop:2"/,
      );
    });
  }

  test("fails to pull if Settings say so, as a tag does that an image does not have", async (t) => {
    const page = await site.visit(t, "settings");
    await page.getByLabel("Images not in the tab").selectOption("fail to pull");
    await screenshot(page, "images-refused-settings-desktop");
    await page.reload();
    await page.evaluate(() => globalThis.tabernetes.ready);
    await shell(page, "kubectl run shop --image=acme/shop:2; kubectl run web --image=nginx:1.161");
    for (const [name, image] of Object.entries({
      shop: "acme/shop:2",
      web: "library/nginx:1.161",
    })) {
      const waits = "jsonpath={.status.containerStatuses[0].state.waiting.reason}=ImagePullBackOff";
      const { code, stderr } = await shell(
        page,
        `kubectl wait --for='${waits}' pod/${name} --timeout=120s`,
      );
      assert.equal(code, 0, stderr);
      const { stdout } = await shell(page, `kubectl describe pod ${name}`);
      assert.ok(stdout.includes(`docker.io/${image}: not found`), stdout);
    }
    await go(page, "#/map");
    await page.locator("tn-map button.pod[data-state='failing']").nth(1).waitFor();
    await screenshot(page, "images-refused-map-desktop");
  });
});

/** What a page's owner lays beside it (docs/images.md). */
const MODULE = `export default {
  async start({ args, env, files }) {
    const held = [];
    const more = () => held.push(new Array(1e6).fill(Math.random()));
    if (args[0] === "grow") setInterval(more, 200);
    if (args[0] === "gobble") for (;; await new Promise((go) => setTimeout(go))) more();
    if (args.length > 0) return;
    console.log(env.WHO, (await files.text("/etc/config/greeting")).trim());
  },
  fetch: (request) => new Response("hello from " + new URL(request.url).pathname + "\\n"),
};
`;

test("a module beside the page is an image, and takes no memory that is the page's; one from elsewhere is not loaded, and says so", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "images-"));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "app.js"), MODULE);
  const own = await serve("out/site", dir);
  t.after(() => own.close());
  const page = await site.open(t, own.url);
  await ready(page);
  await page.evaluate(async () => {
    const { images } = globalThis.tabernetes;
    await images.define("example-app", {
      module: new URL("app.js", location.href),
      ports: [8080],
      env: { WHO: "world" },
    });
    await images.define("elsewhere", { module: "https://elsewhere.example/app.js" });
  });
  await sh(page, "kubectl create configmap config --from-literal=greeting=hello");
  await sh(page, PODS);
  await sh(page, "kubectl expose pod app --port=8080 --type=NodePort");
  await sh(page, "kubectl wait pod/app --for=condition=Ready --timeout=90s");
  assert.equal(
    await sh(
      page,
      "until curl -sf $(minikube service app --url)/a/path; do sleep 0.2; done; kubectl logs app",
    ),
    "hello from /a/path\nworld hello\n",
  );
  await sh(
    page,
    "kubectl wait pod/elsewhere --for=jsonpath='{.status.phase}'=Failed --timeout=90s",
  );
  assert.match(await sh(page, "kubectl logs elsewhere"), /elsewhere\.example/);
  await sh(page, "kubectl delete pod/app pod/elsewhere service/app configmap/config");

  // Beyond its limit one is OOMKilled: the frame of containers measures it.
  await sh(page, hungry("grow", "256Mi"));
  await sh(
    page,
    `kubectl wait pod/grow --for=jsonpath='{${STATE}.reason}'=OOMKilled --timeout=180s`,
  );
  // All that a process may have is the frame's process: page and cluster live on. Playwright takes the end of a
  // frame's process for the page's, and speaks to that no more: another document of the site hears what it sees.
  const hears = await page.context().newPage();
  await hears.goto(`${own.url}app.js`);
  const told = hears.evaluate(
    () =>
      new Promise(
        (heard) => (new globalThis.BroadcastChannel("seen").onmessage = (e) => heard(e.data)),
      ),
  );
  await page.evaluate(
    ([gobble, ended]) => {
      const { shell } = globalThis.tabernetes;
      const see = async () => {
        await shell(gobble);
        const { stdout } = await shell(ended);
        await shell("kubectl run after --image=example-app -- idle");
        const after = await shell("kubectl wait pod/after --for=condition=Ready --timeout=120s");
        return { ended: stdout, after: after.stdout + after.stderr };
      };
      void see().then((seen) => new globalThis.BroadcastChannel("seen").postMessage(seen));
    },
    [
      hungry("gobble", "8Gi"),
      `kubectl wait pod/gobble --for=jsonpath='{${STATE}.exitCode}'=137 --timeout=180s`,
    ],
  );
  const seen = await told;
  assert.match(seen.ended, /pod\/gobble condition met/);
  assert.match(seen.after, /pod\/after condition met/);
});

const STATE = ".status.containerStatuses[0].state.terminated";

/** A pod that takes memory as its name says. */
const hungry = (how, limit) => `kubectl apply -f - <<'EOF'
apiVersion: v1
kind: Pod
metadata: {name: ${how}}
spec:
  restartPolicy: Never
  containers: [{name: app, image: example-app, args: [${how}], resources: {limits: {memory: ${limit}}, requests: {memory: 1Mi}}}]
EOF`;

const PODS = `kubectl apply -f - <<'EOF'
apiVersion: v1
kind: Pod
metadata: {name: app, labels: {app: app}}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: app, image: "example-app:v1", volumeMounts: [{name: config, mountPath: /etc/config}]}]
  volumes: [{name: config, configMap: {name: config}}]
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere}
spec: {restartPolicy: Never, containers: [{name: app, image: elsewhere}]}
EOF`;
