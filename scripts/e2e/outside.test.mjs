/* What the prompt reads from outside of the tab: by fetch, from who lets other pages read it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { DESKTOP, launch, open, ready, screenshot } from "./browser.mjs";
import { internet } from "./internet.mjs";
import { serve } from "./site.mjs";

const MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-outside}\n";

/** What its hosts answer. */
function answering(asked) {
  return (request, response) => {
    const { url, headers } = request;
    asked.push({ host: headers.host, path: url, cookie: headers.cookie });
    if (!url.startsWith("/private")) response.setHeader("Access-Control-Allow-Origin", "*");
    if (url.startsWith("/moved")) response.writeHead(302, { Location: "/open.yaml" });
    if (url.startsWith("/loop")) response.writeHead(302, { Location: "/loop" });
    if (url.startsWith("/never")) return undefined;
    if (url.startsWith("/absent")) response.writeHead(404);
    if (url.startsWith("/page")) {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
      return response.end("<!doctype html>\n<html><head><title>Sign in</title></head></html>\n");
    }
    if (url.startsWith("/picture")) {
      response.writeHead(200, { "Content-Type": "image/png" });
      return response.end(Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
    }
    if (url.startsWith("/endless")) return endless(response);
    return response.end(MANIFEST);
  };
}

/** Goes on as long as somebody reads. */
function endless(response) {
  response.writeHead(200, { "Content-Type": "application/yaml" });
  const line = `# ${"-".repeat(8190)}\n`.repeat(32);
  const more = () => {
    while (!response.destroyed && response.write(line));
  };
  response.on("drain", more);
  more();
  return undefined;
}

test("the prompt reads what lets other pages read it, and says of all else why not", async (t) => {
  const asked = [];
  const net = await internet(answering(asked));
  t.after(() => net.close());
  const browser = await launch(net.args);
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
  await wrongAnswers(page, shell);

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

/** What is no manifest, does not end or never comes: each says so, and the terminal goes on. */
async function wrongAnswers(page, shell) {
  for (const [path, said] of Object.entries({
    page: /error validating "https:\/\/lesson\.example\/page": .*invalid object/,
    picture: /control characters are not allowed|error parsing|error converting YAML/,
    endless: /what lesson\.example answers is longer than 16 MiB: no manifest is/,
    absent: /unable to read URL "https:\/\/lesson\.example\/absent", server reported 404/,
    loop: /lesson\.example cannot be read from here/,
  })) {
    const { code, stdout, stderr } = await shell(`kubectl apply -f https://lesson.example/${path}`);
    assert.equal(code, 1, `${path}: ${stdout}`);
    assert.match(stderr, said, `${path}: ${stderr}`);
  }
  // Bytes without end are curl's to write, as long as somebody reads.
  assert.equal(
    (await shell("curl -s https://lesson.example/endless | head -c 1000000 | wc -c")).stdout.trim(),
    "1000000",
  );
  // One that never answers is ended by Ctrl-C, as a person does it, and the prompt is there again.
  const terminal = page.locator("tn-terminal");
  await terminal.locator("textarea").first().focus();
  await page.keyboard.type("kubectl apply -f https://lesson.example/never; echo code $?\n");
  await shows(page, "never; echo code $?");
  await page.keyboard.press("Control+C");
  await page.keyboard.type("echo it goes on\n");
  await shows(page, "\nit goes on");
}

const shows = (page, words) =>
  page.waitForFunction(
    (text) => document.querySelector("tn-terminal").text().includes(text),
    words,
  );

/** Manifests that the page reads otherwise than kubectl, which is asked before anything of them is applied. */
async function misread(page, view, go) {
  const evil = "{apiVersion: v1, kind: Secret, metadata: {name: evil}}";
  const texts = [
    (shown) => `${shown}# \u2028kind: Secret\n`,
    (shown) => `${shown}<<: {kind: Secret}\n`,
    (shown) => `data: {? &k kind : x}\n${shown}*k : Secret\n`,
    (shown) => `${evil.replaceAll(/(\w+)/g, '"$1"')}: x\n${shown}`,
    (shown) => `data: {x: &l [${evil}]}\n${shown}items: *l\n`,
  ];
  for (const [i, written] of texts.entries()) {
    const text = written(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shown-${i}}\n`);
    await go(`#/open?state=${deflateRawSync(Buffer.from(text)).toString("base64url")}`);
    await view.getByText(`shown-${i}`, { exact: true }).waitFor();
    await view.getByRole("button", { name: "Apply" }).click();
    const said = view.locator("[role=status][data-failed]");
    await said.waitFor();
    assert.match(
      await said.innerText(),
      /^(It was not applied: kubectl reads|It is nothing that kubectl can read)/,
      text,
    );
  }
}

/** Links to manifests: of an address, and of what people made in this cluster (ADR 48). */
async function opens(page, shell) {
  const go = (hash) => page.evaluate((h) => (globalThis.location.hash = h), hash);
  const view = page.locator("tn-open");
  const typed = (words) => shows(page, words);
  await shell("kubectl delete configmap from-outside");
  await go("#/open?url=https://lesson.example/private.yaml");
  await view.getByText("(CORS)").waitFor();
  await go(`#/open?url=${encodeURIComponent("https://lesson.example/open.yaml?a=1&b=$(c)")}`);
  await view.getByText("from-outside", { exact: true }).waitFor();
  assert.equal((await shell("kubectl get configmap from-outside")).code, 1, "applied unasked");
  await view.getByRole("button", { name: "Apply" }).click();
  await typed("configmap/from-outside created");
  await misread(page, view, go);
  assert.equal((await shell("kubectl get secret -A -o name")).stdout.includes("evil"), false);

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
