/* What the prompt reads from outside of the tab: by fetch, from who lets other pages read it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { DESKTOP, launch, open, ready, screenshot } from "./browser.mjs";
import { serve } from "./site.mjs";

const MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-outside}\n";

/** A server of the Internet, as a browser sees it: TLS by a certificate of its own. */
async function internet(t, asked) {
  const dir = mkdtempSync(`${tmpdir()}/outside-`);
  t.after(() => rmSync(dir, { recursive: true }));
  const files = ["-keyout", `${dir}/key`, "-out", `${dir}/cert`, "-subj", "/CN=lesson.example"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", ...files],
    { stdio: "ignore" },
  );
  const server = https.createServer(
    { key: readFileSync(`${dir}/key`), cert: readFileSync(`${dir}/cert`) },
    (request, response) => {
      asked.push({ host: request.headers.host, path: request.url, cookie: request.headers.cookie });
      if (!request.url.startsWith("/private"))
        response.setHeader("Access-Control-Allow-Origin", "*");
      if (request.url.startsWith("/moved"))
        return response.writeHead(302, { Location: "/open.yaml" }).end();
      if (request.url.startsWith("/loop"))
        return response.writeHead(302, { Location: "/loop" }).end();
      if (request.url.startsWith("/never")) return;
      if (request.url.startsWith("/absent")) response.writeHead(404);
      return response.end(MANIFEST);
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return server.address().port;
}

test("the prompt reads what lets other pages read it, and says of all else why not", async (t) => {
  const asked = [];
  const port = await internet(t, asked);
  const browser = await launch([
    `--host-resolver-rules=MAP *.example 127.0.0.1:${port}, MAP raw.githubusercontent.com 127.0.0.1:${port}`,
  ]);
  t.after(() => browser.close());
  const site = await serve("out/site");
  t.after(() => site.close());
  const page = await open(t, browser, site.url, { ...DESKTOP, ignoreHTTPSErrors: true });
  await ready(page);
  const shell = (line) => page.evaluate((l) => globalThis.tabernetes.shell(l), line);

  assert.deepEqual(await shell("kubectl apply -f https://lesson.example/open.yaml"), {
    code: 0,
    stdout: "configmap/from-outside created\n",
    stderr: "",
  });
  assert.equal((await shell("curl -s https://lesson.example/open.yaml")).stdout, MANIFEST);
  assert.equal((await shell("curl -sL https://lesson.example/moved")).stdout, MANIFEST);
  assert.equal(
    (await shell("curl -s -o /dev/null -w '%{http_code}' https://lesson.example/absent")).stdout,
    "404",
  );
  // kubernetes.io's examples are read where a browser may.
  assert.equal(
    (await shell("kubectl apply -f https://k8s.io/examples/pods/config.yaml")).stdout,
    "configmap/from-outside unchanged\n",
  );
  assert.deepEqual(asked.at(-1), {
    host: "raw.githubusercontent.com",
    path: "/kubernetes/website/main/content/en/examples/pods/config.yaml",
    cookie: undefined,
  });

  for (const line of [
    "kubectl apply -f https://lesson.example/private.yaml",
    "curl https://lesson.example/private.yaml",
    "curl -L https://lesson.example/loop",
  ]) {
    const { code, stderr } = await shell(line);
    assert.notEqual(code, 0, line);
    assert.match(
      stderr,
      /lesson\.example cannot be read from here: .*\(CORS\)\. Open it in a tab of its own/,
      line,
    );
  }
  const slow = await shell("curl -m 1 https://lesson.example/never");
  assert.equal(slow.code, 28, slow.stderr);

  // A pod stays inside.
  const before = asked.length;
  const pod = "kubectl run inside --rm -i --restart=Never --image=curlimages/curl:8.11.0 --";
  const inside = await shell(`${pod} -sS https://lesson.example/open.yaml`);
  assert.match(inside.stdout + inside.stderr, /bad address 'lesson\.example'|Could not resolve/);
  assert.equal(asked.length, before);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
  await screenshot(page, "outside-desktop");
  await opens(page, shell);
});

/** Links to manifests: of an address, and of what people made in this cluster (ADR 48). */
async function opens(page, shell) {
  const go = (hash) => page.evaluate((h) => (globalThis.location.hash = h), hash);
  const view = page.locator("tn-open");
  const typed = (words) =>
    page.waitForFunction(
      (text) => document.querySelector("tn-terminal").text().includes(text),
      words,
    );
  await shell("kubectl delete configmap from-outside");
  await go("#/open?url=https://lesson.example/private.yaml");
  await view.getByText("(CORS)").waitFor();
  await go(`#/open?url=${encodeURIComponent("https://lesson.example/open.yaml?a=1&b=$(c)")}`);
  await view.getByText("from-outside", { exact: true }).waitFor();
  assert.equal((await shell("kubectl get configmap from-outside")).code, 1, "applied unasked");
  await view.getByRole("button", { name: "Apply" }).click();
  await typed("configmap/from-outside created");

  const crd = (names) =>
    `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: zebras.example.com}, spec: {group: example.com, scope: Namespaced, names: ${names}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`;
  await shell(
    `echo '${crd("{plural: zebras, singular: zebra, kind: Zebra}")}' | kubectl apply -f - && kubectl wait --for=condition=Established crd/zebras.example.com && echo '{apiVersion: example.com/v1, kind: Zebra, metadata: {name: marty}}' | kubectl apply -f - && kubectl create deployment web --image=nginx && kubectl create secret generic keeper --from-literal=password=correct-horse`,
  );
  await page.evaluate(() => {
    navigator.clipboard.writeText = (text) => Promise.resolve((globalThis.copied = text));
  });
  await go("#/share");
  const copied = async () => {
    await page.locator("tn-share").getByRole("button", { name: "Copy link" }).click();
    return page.evaluate(() => globalThis.copied);
  };
  await page.locator("tn-share").getByText("default/marty", { exact: true }).waitFor();
  assert.doesNotMatch(await page.locator("tn-share pre").innerText(), /kind: (Secret|Pod)\n/);
  const link = await copied();
  await page.locator("tn-share").getByLabel("with Secrets").check();
  await page.locator("tn-share").getByText("default/keeper", { exact: true }).waitFor();

  await shell("kubectl delete deployment/web configmap/from-outside crd/zebras.example.com");
  await page.evaluate((to) => globalThis.location.assign(to), link);
  await view.getByText("default/marty", { exact: true }).waitFor();
  await view.getByRole("button", { name: "Apply" }).click();
  await typed("zebra.example.com/marty created");
  await typed("deployment.apps/web created");
  await screenshot(page, "open-real-desktop");
}
