/* The control plane configured in the tab while it runs: doors that open, close, and are put back. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers, ANSWERS, asked, asking } from "./asked.mjs";
import { violations } from "./axe.mjs";
import { DESKTOP, ready, screenshot, sh } from "./browser.mjs";
import { asksForACode, files, initializers, issuerInAPod, judge, rows } from "./doors.mjs";
import { issuerAt } from "./issuer.mjs";
import { settled } from "./look.mjs";
import { go as visit, shown } from "./pane.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

/** How long a restart in place may take on a busy machine, in milliseconds. */
const PATIENCE = 120_000;

const head = (page) => page.locator("tn-configuration .head");
const press = (page, name) => head(page).getByRole("button", { name, exact: true }).click();
const go = (page, name) =>
  page.locator("tn-configuration nav").getByRole("button", { name }).first().click();

/** Puts one of the templates into the draft. */
async function begin(page, title) {
  await go(page, "Begin");
  await page.getByRole("button", { name: title, exact: true }).click();
}

/** Waits until what was done has come into force, and gives the words. */
async function inForce(page) {
  const said = head(page).locator(".said");
  await said.waitFor({ timeout: PATIENCE });
  const text = (await said.innerText()).trim();
  assert.match(text, /^In force: .+, in \d+\.\d s\.$/);
  return text;
}

/** Runs a line whatever comes of it. */
const tried = (page, line) => page.evaluate((text) => globalThis.tabernetes.shell(text), line);

/** A claim of the guide's is proved by what was done. */
async function proved(page, chapter, kind) {
  const place = await page.evaluate(() => location.hash);
  await page.evaluate((name) => (location.hash = `#/guide/${name}`), chapter);
  await page.locator(`tn-guide article a.claim[title$="(${kind})"]`).first().waitFor();
  await page.evaluate((hash) => (location.hash = hash), place);
}

describe("one visit", () => {
  let page;

  test("a token file lets somebody in, and the shell goes on over the restart", async (t) => {
    const context = { name: t.name, diagnostic: (m) => t.diagnostic(m), after: () => undefined };
    page = await site.visit(context, "configuration", DESKTOP);
    await sh(page, "kept=before; kubectl create namespace doors");
    await begin(page, "Let somebody in by a static token");
    await press(page, "Put into force");
    t.diagnostic(await inForce(page));
    const jane = "kubectl --user=jane";
    await sh(page, "kubectl config set-credentials jane --token=token-of-jane");
    assert.match(await sh(page, `${jane} auth whoami`), /Username +jane\n/);
    const refused = await tried(page, `${jane} get pods -n doors`);
    assert.match(refused.stderr, /User "jane" cannot list resource "pods"/);
    assert.match(
      await sh(page, "echo $kept; kubectl get namespace doors -o name"),
      /before\nnamespace\/doors/,
    );
  });

  test("who may, and why", async () => {
    await sh(page, "kubectl create rolebinding jane --clusterrole=view --user=jane -n doors");
    await go(page, "Who may do what");
    await page.locator("tn-rights input[name=namespace]").fill("doors");
    await page.locator("tn-rights").getByRole("button", { name: "Ask" }).click();
    const verdict = page.locator("tn-rights .verdict");
    await verdict.getByText("yes", { exact: true }).waitFor();
    assert.match(await verdict.innerText(), /RBAC: allowed by RoleBinding "jane\/doors"/);
    await page.locator("tn-rights td").getByText("system:masters").first().waitFor();
    const chain = await page.locator("tn-rights .chain li").allInnerTexts();
    assert.match(chain.join("\n"), /^node, Node: each node.*\nrbac, RBAC: whom it lists below$/);
    await screenshot(page, "configuration-rights-desktop");
  });

  test("what does not parse is refused in upstream's words, and the old one stays", async () => {
    await go(page, "authorization.yaml");
    await page.getByRole("textbox", { name: "Text of authorization.yaml" }).fill("authorizers: [");
    await press(page, "Put into force");
    await head(page)
      .getByRole("alert")
      .getByText("the old one stays")
      .waitFor({ timeout: PATIENCE });
    await screenshot(page, "configuration-refused-desktop");
    assert.match(await sh(page, "kubectl auth can-i list pods --as=jane -n doors"), /yes/);
    await press(page, "Discard");
  });

  test("deny all denies, and Undo needs nobody to get in", async () => {
    await begin(page, "Deny all");
    await press(page, "Put into force");
    await inForce(page);
    const denied = await tried(page, "kubectl get pods --user=jane -n doors");
    assert.match(denied.stderr, /Forbidden.*Everything is forbidden/);
    await go(page, "What a request passes");
    await page
      .locator("tn-access-controls td")
      .getByText("AlwaysDeny", { exact: true })
      .first()
      .waitFor();
    await press(page, "Undo");
    await inForce(page);
    assert.match(
      await sh(page, "kubectl get pods --user=jane -n doors 2>&1"),
      /No resources found/,
    );
  });

  test("the scheduler's Policy is in force, and undone", async () => {
    const node = "kubectl get pod huge -n doors -o jsonpath={.spec.nodeName}";
    const condition = "kubectl wait pod/huge -n doors --timeout=60s --for";
    await sh(
      page,
      "kubectl run huge -n doors --image=pause --restart=Never --overrides='" +
        '{"spec": {"containers": [{"name": "huge", "image": "pause", "resources": {"requests": {"cpu": "1000"}}}]}}\'',
    );
    await sh(page, `${condition}=jsonpath='{.status.conditions[0].reason}'=Unschedulable`);
    await go(page, "scheduler.yaml");
    // Of all predicates one: nobody asks whether a node has room.
    await page
      .getByRole("textbox", { name: "Text of scheduler.yaml" })
      .fill('{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "HostName"}]}');
    await press(page, "Put into force");
    assert.match(await inForce(page), /kube-scheduler started anew/);
    await sh(page, `${condition}=jsonpath='{.spec.nodeName}'`);
    assert.match(await sh(page, node), /^node-\d+$/);
    await press(page, "Undo");
    await inForce(page);
    await sh(page, "kubectl delete pod huge -n doors --now");
  });

  test("a pod that another scheduler has to place says whose decision it is", async () => {
    await sh(
      page,
      "kubectl run mine -n doors --image=pause --restart=Never --overrides='" +
        '{"spec": {"schedulerName": "my-scheduler"}}\'',
    );
    const place = await page.evaluate(() => location.hash);
    await page.evaluate(
      () => (location.hash = "#/api/v1/namespaces/doors/pods/mine?show=scheduling"),
    );
    const tab = page.locator("tn-object-scheduling");
    await tab
      .getByText('waits for another scheduler: its spec.schedulerName is "my-scheduler"')
      .waitFor();
    await tab.getByText("in that scheduler's own log").waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "scheduling-elsewhere-desktop");
    await page.evaluate((hash) => (location.hash = hash), place);
    await sh(page, "kubectl delete pod mine -n doors --now");
  });

  test("another profile of the scheduler is another box of the journey, which places its pod", async () => {
    await go(page, "scheduler.yaml");
    await page
      .getByRole("textbox", { name: "Text of scheduler.yaml" })
      .fill(
        "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, " +
          "profiles: [{schedulerName: default-scheduler}, {schedulerName: my-scheduler}]}",
      );
    await press(page, "Put into force");
    await inForce(page);
    await sh(
      page,
      "kubectl run mine -n doors --image=pause --restart=Never --overrides='" +
        '{"spec": {"schedulerName": "my-scheduler"}}\'',
    );
    await sh(page, "kubectl wait pod/mine -n doors --for=condition=Ready --timeout=60s");
    const place = await page.evaluate(() => location.hash);
    await page.evaluate(() => (location.hash = "#/journey"));
    const journey = page.locator("tn-journey");
    const box = journey.locator("g", { has: page.getByText("my-scheduler", { exact: true }) });
    await journey.getByRole("button", { name: "Slowly" }).click();
    await journey.getByRole("button", { name: "Go on" }).waitFor();
    const at = journey.getByRole("slider", { name: "Step of the command" });
    const here = () => journey.locator("g[data-here] > title").first().textContent();
    const last = Number(await at.getAttribute("max"));
    const passed = [];
    for (let i = 0; i <= last; i++) {
      await at.fill(String(i));
      await settled(page);
      const name = await here();
      if (name !== passed.at(-1)) passed.push(name);
      if (name.startsWith("the scheduler ") && (await journey.locator(".binding").count()) === 0)
        await screenshot(page, "journey-second-scheduler-desktop");
    }
    // The informer that hears of it is the process's; the queue and what follows are the profile's.
    const other = passed.findIndex((title) => title.startsWith("the scheduler my-scheduler"));
    const own = passed.findLastIndex((title) => title.startsWith("kube-scheduler"));
    assert.ok(other > own, passed.join("\n"));
    assert.equal(await box.count(), 1);
    await page.evaluate((hash) => (location.hash = hash), place);
    await press(page, "Undo");
    await inForce(page);
    await sh(page, "kubectl delete pod mine -n doors --now");
  });

  test("where nobody may write any more, its owner neither, Undo asks nobody", async () => {
    await go(page, "kube-apiserver.flags");
    await page
      .getByRole("textbox", { name: "Text of kube-apiserver.flags" })
      .fill("--enable-admission-plugins=AlwaysDeny");
    await press(page, "Put into force");
    await inForce(page);
    const line = "kubectl create configmap locked -n doors";
    assert.match(
      (await tried(page, line)).stderr,
      /admission control is denying all modifications/,
    );
    await press(page, "Undo");
    await inForce(page);
    await sh(page, `until ${line}; do sleep 0.2; done`);
  });

  test("a webhook that says who somebody is, is a pod of the tab", async () => {
    await sh(page, `kubectl apply -f - <<'E'\n${asked}\nE`);
    await sh(page, "kubectl wait pod/asked --for=condition=Ready --timeout=60s");
    await go(page, "authentication-webhook.yaml");
    await page
      .getByRole("textbox", { name: "Text of authentication-webhook.yaml" })
      .fill(
        "{apiVersion: v1, kind: Config, current-context: c, users: [], " +
          "contexts: [{name: c, context: {cluster: c}}], " +
          'clusters: [{name: c, cluster: {server: "http://10.96.0.78:8081"}}]}',
      );
    await press(page, "Put into force");
    await inForce(page);
    await sh(page, "kubectl config set-credentials ann --token=anything");
    assert.match(await sh(page, "kubectl --user=ann auth whoami"), /Username +ann\n/);
    await press(page, "Undo");
    await inForce(page);
  });

  test("an OIDC issuer, an authorizer and who judges images are pods of the tab", async () => {
    const issuer = issuerAt(ANSWERS);
    await sh(page, `kubectl apply -f - <<'E'\n${answers(issuer)}\nE`);
    await sh(page, "kubectl wait pod/answers --for=condition=Ready --timeout=60s");
    await sh(page, issuerInAPod);
    const dex = await sh(page, "cat dex.crt");
    for (const [name, text] of Object.entries(asking(issuer, dex))) {
      if (["may", "images"].includes(name)) {
        await go(page, "Begin");
        await page.getByLabel("A file that another one refers to").fill(name);
        await page.getByRole("button", { name: "Add", exact: true }).click();
      } else {
        await go(page, name);
      }
      await page.getByRole("textbox", { name: `Text of ${name}` }).fill(text);
    }
    await press(page, "Put into force");
    await inForce(page);
    const token = issuer.token({ aud: "tab", name: "eve" });
    await sh(page, `kubectl config set-credentials eve --token=${token}`);
    // The issuer's keys are read a moment after the server is ready.
    await sh(page, "for i in $(seq 60); do kubectl --user=eve auth whoami && break; sleep 1; done");
    assert.match(await sh(page, "kubectl --user=eve auth whoami"), /Username +oidc:eve\n/);
    assert.match(await sh(page, "kubectl --user=eve get secrets -o name"), /secret\/answers/);
    assert.match(
      (await tried(page, "kubectl run judged --image=pause --dry-run=server")).stderr,
      /image policy webhook backend denied one or more images: no/,
    );
  });

  test("somebody logs in at a pod's page, and each request of that is a step", async () => {
    await sh(page, asksForACode);
    await sh(page, "(kubectl auth whoami --user=ada >who.txt 2>login.txt; echo $? >>who.txt) &");
    const asked = await sh(
      page,
      "until grep 'The code is' login.txt || grep error login.txt; do sleep 0.2; done",
    );
    const code = /The code is (\S+)\./.exec(asked)?.[1];
    assert.ok(code, asked);
    const place = await page.evaluate(() => location.hash);
    await visit(page, "dex"); // its own page leads there
    await shown(page).getByRole("link", { name: "Log a device in" }).click();
    await shown(page).locator("input[name=user_code]").fill(code);
    await shown(page).getByRole("button").click();
    await shown(page).getByLabel("Email Address").fill("ada@example.com");
    await shown(page).getByLabel("Password").fill("password");
    await screenshot(page, "login-desktop");
    await shown(page).getByRole("button", { name: "Login" }).click();
    await shown(page).getByText("Login Successful").waitFor();
    const who = await sh(page, "wait; cat who.txt login.txt");
    assert.match(who, /Username +oidc:ada@example.com\nGroups +\[oidc:readers /);
    await page.evaluate(() => (location.hash = "#/trace"));
    const commands = page.locator("tn-trace").getByRole("combobox").first();
    const command = commands.getByRole("option", { name: "kubectl auth whoami --user=ada" });
    await commands.selectOption(await command.first().getAttribute("value"));
    for (const step of [
      /^kubectl oidc-login gave a token/,
      /^asked the issuer for its endpoints: GET https:\/\/10\.97\.0\.50\/dex/,
      /^asked for a code that a person types/,
      /^asked for a token, by device_code: POST .* 200$/,
      /^asked for the keys that sign/,
      /^accepted oidc:ada@example\.com/,
    ]) {
      await page.locator("tn-trace").getByText(step).first().waitFor();
    }
    await screenshot(page, "login-trace-desktop");
    await proved(page, "authentication", "login.authorization");
    await page.evaluate((hash) => (location.hash = hash), place);
    await press(page, "Undo");
    await inForce(page);
    await sh(page, "kubectl delete pod/answers deployment/dex service/dex --now");
  });

  test("an admission plugin that is off lets pass what it refused, and one that is on refuses", async () => {
    const pod = "kubectl run big -n doors --image=nginx --restart=Never --dry-run=server -o name";
    await sh(page, "kubectl label namespace doors pod-security.kubernetes.io/enforce=restricted");
    assert.match((await tried(page, pod)).stderr, /violates PodSecurity/);
    const rooted = `kubectl run rooted --image=nginx --dry-run=server -o name --overrides='{"spec": {"securityContext": {"runAsUser": 0}}}'`;
    assert.match(await sh(page, rooted), /pod\/rooted/);
    await go(page, "What a request passes");
    await page
      .locator("tn-access-controls")
      .getByText(/refused .*violates PodSecurity/)
      .waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "configuration-access-real-desktop");
    await page.getByRole("checkbox", { name: "PodSecurity", exact: true }).uncheck();
    // One of ours, which upstream has retired.
    await page.getByRole("checkbox", { name: "SecurityContextDeny", exact: true }).check();
    await press(page, "Put into force");
    await inForce(page);
    assert.match(await sh(page, pod), /pod\/big/);
    assert.match((await tried(page, rooted)).stderr, /SecurityContext\.RunAsUser is forbidden/);
  });

  test("an audit policy records, and the page shows and filters it", async () => {
    await begin(page, "Audit what changes something");
    await press(page, "Put into force");
    await inForce(page);
    await sh(page, "kubectl create configmap audited -n doors");
    await go(page, "Audit");
    const audit = page.locator("tn-audit");
    await audit.getByLabel("Words").fill("create doors/configmaps");
    await audit.locator("tbody tr").getByText("ResponseComplete").first().waitFor();
    await screenshot(page, "configuration-audit-desktop");
  });

  test("one configuration opens many doors, each of which lets somebody in", async (t) => {
    await sh(page, `kubectl create namespace opened; kubectl apply -f - <<'E'\n${judge}\nE`);
    await sh(page, "kubectl create secret generic before -n opened --from-literal=word=before");
    await sh(page, "kubectl wait pod/judge --for=condition=Ready --timeout=60s");
    // After some restarts upstream's watches are begun again up to half a minute later.
    await sh(page, "kubectl wait serviceaccount/default -n opened --for=create --timeout=60s");
    for (const [name, text] of Object.entries(files)) {
      await go(page, name);
      await page.getByRole("textbox", { name: `Text of ${name}` }).fill(text);
    }
    await press(page, "Put into force");
    t.diagnostic(await inForce(page));
    for (const [name, line, said] of rows) {
      await t.test(name, async () => {
        const { stdout, stderr } = await tried(page, line);
        assert.match(stdout + stderr, said);
      });
    }
  });

  test("who decided is said of each, and why a token was refused", async () => {
    await tried(page, "kubectl config set-credentials stranger --token=not-a-token");
    await tried(page, "kubectl --user=stranger create namespace strange");
    await go(page, "What a request passes");
    const row = (name) =>
      page.locator("tn-access-controls tr").filter({ has: page.getByText(name, { exact: true }) });
    await row("bearer token").getByText("refused: nobody knows the token").waitFor();
    await row("bootstrap token")
      .getByText(/accepted .*for system:bootstrap:abcdef/)
      .waitFor();
    await row("service account")
      .getByText(/accepted .*for system:serviceaccount/)
      .waitFor();
    await screenshot(page, "configuration-tokens-desktop");
  });

  test("a Secret lies in the store as it was written: in the clear before, encrypted now", async () => {
    await sh(page, "kubectl create secret generic after -n opened --from-literal=word=after");
    const secrets =
      "kubectl get secrets before after -n opened -o jsonpath='{.items[*].data.word}'";
    assert.equal(await sh(page, secrets), "YmVmb3Jl YWZ0ZXI=");
    const place = await page.evaluate(() => location.hash);
    const detail = page.locator("tn-etcd .detail");
    for (const [name, lies] of [
      ["before", /Secret, v1; stored as protobuf, not encrypted,/],
      ["after", /Encrypted by aescbc, with the key first,/],
    ]) {
      const key = `/registry/secrets/opened/${name}`;
      await page.evaluate((k) => (location.hash = `#/etcd?key=${encodeURIComponent(k)}`), key);
      await detail.getByText(lies).waitFor();
    }
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "etcd-encrypted-desktop");
    await page.evaluate((hash) => (location.hash = hash), place);
  });

  test("the guide's chapter on initializers, line by line", async () => {
    const block = (words) => initializers.find((text) => text.includes(words));
    await sh(page, block("name: custom-pod-initializer"));
    await sh(page, "until kubectl get pod waits --include-uninitialized; do sleep 0.2; done");
    const tables = (await sh(page, block("--include-uninitialized\n"))).split(/^(?=NAME)/m);
    assert.match(tables.at(-1), /^waits +0\/1 +PodInitializing/m);
    assert.doesNotMatch(tables.slice(0, -1).join(""), /^waits /m);
    await sh(page, block("kubectl annotate pod waits"));
    await sh(page, "kubectl wait pod/waits --for=condition=Ready --timeout=60s");
    await proved(page, "initializers", "initializers.waited");
    await sh(page, block("images.tabernetes.internal/initializer"));
    await sh(
      page,
      "kubectl wait pod/initializer -n kube-system --for=condition=Ready --timeout=60s",
    );
    const examples = await tried(page, block("name: examples"));
    const output = examples.stdout + examples.stderr;
    assert.match(output, /pod\/proxied created.*\/2 .*longsecrets\.example\.com refuses/s);
    assert.match(await sh(page, block("kubectl logs initializer")), /longsecrets\.example\.com/);
    await page.context().close();
  });
});

test("a cluster that is kept goes on with its configuration", async (t) => {
  const page = await site.visit(t, "configuration", { ...DESKTOP, newcomer: true }, () => {
    localStorage["tabernetes.settings"] ??= JSON.stringify({ intro: false, keep: true });
  });
  await begin(page, "Let somebody in by a static token");
  await press(page, "Put into force");
  await inForce(page);
  await page.reload();
  await ready(page);
  await head(page).getByText("In force: tokens.csv, kept with").waitFor();
  await sh(page, "kubectl config set-credentials jane --token=token-of-jane");
  assert.match(await sh(page, "kubectl --user=jane auth whoami"), /Username +jane\n/);

  // What counts at a start only begins a new cluster, which goes on with it, too.
  await sh(page, "kubectl create configmap of-before");
  await go(page, "kube-apiserver.flags");
  const flags = page.getByRole("textbox", { name: "Text of kube-apiserver.flags" });
  await flags.fill("--etcd-prefix=/lab");
  await press(page, "Put into force");
  const alert = head(page).getByRole("alert");
  await alert.getByText("--etcd-prefix").waitFor({ timeout: PATIENCE });
  await head(page).getByRole("button", { name: "Start a new cluster with it" }).click();
  const dialog = page.locator("dialog.ask");
  await dialog.getByText("is deleted: objects, keys and volumes").waitFor();
  await screenshot(page, "configuration-start-desktop");
  await Promise.all([
    page.waitForEvent("load"),
    dialog.getByRole("button", { name: "Start a new cluster" }).click(),
  ]);
  for (const again of [false, true]) {
    if (again) await page.reload();
    await ready(page);
    await head(page).getByText("kube-apiserver.flags").waitFor();
    assert.equal(await sh(page, "kubectl get configmap of-before --ignore-not-found"), "");
  }
  await page.evaluate(() => (location.hash = "#/etcd?key=%2Flab%2Fnamespaces%2Fdefault"));
  await page
    .locator("tn-etcd .detail")
    .getByText(/Namespace, v1/)
    .waitFor();
});
