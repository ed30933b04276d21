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
});
