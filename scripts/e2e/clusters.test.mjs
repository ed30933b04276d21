/* Several clusters in one browser: a copy, a file there and back, and a manifest for a fresh cluster. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DESKTOP, PHONE, ready, screenshot, sh } from "./browser.mjs";
import { KUBECTL, buildNodehost, native } from "./native.mjs";
import { over } from "./visits.mjs";

/** For what a busy machine takes its time for, in milliseconds. */
const PATIENCE = 120_000;

const site = over("out/site");
const dir = mkdtempSync(join(tmpdir(), "clusters-"));
before(buildNodehost);
after(async () => {
  rmSync(dir, { recursive: true, force: true });
});

/** Where a file has the control plane's configuration. */
const CONFIGURATION = "cluster/configuration.json";

/** What people make: kinds that need others first, and what must not be in a manifest. */
const MADE = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: zebras.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: zebras, singular: zebra, kind: Zebra}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: Namespace
metadata: {name: zoo}
---
apiVersion: v1
kind: Secret
metadata: {name: keeper, namespace: zoo}
stringData: {password: correct-horse-battery}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: zoo}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: zoo}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: diary, namespace: zoo}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: diary, namespace: zoo}
spec:
  selector: {matchLabels: {app: diary}}
  template:
    metadata: {labels: {app: diary}}
    spec:
      terminationGracePeriodSeconds: 1 # of which a shell without a handler takes all
      containers:
      - name: diary
        image: busybox
        command: [sh, -c, "[ -e /data/page ] || echo $HOSTNAME wrote this > /data/page; sleep 100000"]
        volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: diary}}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: feed, namespace: zoo}
spec:
  schedule: "0 0 1 1 *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: feed, image: busybox}]}}}}
`;

describe("several clusters", () => {
  let page;
  let ca;
  let diary;
  let moments;
  /** What the first pod wrote to its volume. */
  const firstPage = async () => {
    await sh(page, "kubectl -n zoo rollout status deployment diary --timeout=120s");
    const read = "kubectl -n zoo exec deploy/diary -- cat /data/page";
    return sh(page, `for i in $(seq 60); do ${read} && break; sleep 1; done`);
  };
  const remembered = () =>
    page.evaluate(async () =>
      (await globalThis.tabernetes.checkpoints()).map(({ id, why, time }) => [id, why, time]),
    );
  const view = () => page.locator("tn-clusters");
  const says = (text) =>
    view().locator("[role=status]", { hasText: text }).waitFor({ timeout: PATIENCE });
  const show = () => page.evaluate(() => (location.hash = "#/clusters"));
  const root = () =>
    sh(page, "kubectl get configmap kube-root-ca.crt -o jsonpath='{.data.ca\\.crt}'");
  const saved = async (button, name) => {
    const [file] = await Promise.all([
      page.waitForEvent("download", { timeout: PATIENCE }),
      view().getByRole("button", { name: button }).click(),
    ]);
    await file.saveAs(join(dir, name));
    return readFileSync(join(dir, name));
  };

  /** A static token, by the view of the configuration. */
  const letIn = async () => {
    await page.evaluate(() => (location.hash = "#/configuration"));
    const head = page.locator("tn-configuration .head");
    const name = "Let somebody in by a static token";
    await page.getByRole("button", { name, exact: true }).click();
    await head.getByRole("button", { name: "Put into force", exact: true }).click();
    await head.locator(".said", { hasText: "In force" }).waitFor({ timeout: PATIENCE });
  };

  test("a file has nothing secret unless it is asked for", async (t) => {
    const context = { name: t.name, diagnostic: (m) => t.diagnostic(m), after: () => undefined };
    page = await site.open(context, site.url, DESKTOP);
    await page.evaluate(() =>
      localStorage.setItem(
        "tabernetes.settings",
        JSON.stringify({ keep: true, cluster: "first", nodes: 1, intro: false }),
      ),
    );
    await page.reload();
    await ready(page);
    await page.evaluate(
      (text) =>
        globalThis.tabernetes.shell(
          `cat > m.yaml <<'EOF'\n${text}\nEOF\nkubectl apply -f m.yaml; kubectl wait --for=condition=Established crd/zebras.example.com`,
        ),
      MADE,
    );
    await page.evaluate(() =>
      globalThis.tabernetes.shell(
        `echo '{apiVersion: example.com/v1, kind: Zebra, metadata: {name: marty, namespace: zoo}, stripes: 26}' | kubectl apply -f -`,
      ),
    );
    await sh(page, "kubectl -n zoo rollout status deployment web");
    await letIn();
    ca = await root();
    await show();
    const plain = await saved("Export a file", "plain.tar");
    assert.ok(!plain.includes("correct-horse-battery"), "a Secret is in it");
    assert.ok(!plain.includes("PRIVATE KEY"), "a key is in it");
    assert.ok(!plain.includes(CONFIGURATION), "who has a token is in it");
    const yaml = (await saved("Download as YAML", "plain.yaml")).toString();
    assert.ok(!/^kind: (Secret|ReplicaSet|Pod|Event|EndpointSlice|Node)$/m.test(yaml), yaml);
    await view().getByLabel("with Secrets and keys").check();
    const whole = await saved("Export a file", "whole.tar");
    assert.ok(whole.includes("correct-horse-battery") && whole.includes("PRIVATE KEY"));
    assert.ok(whole.includes(CONFIGURATION), "its configuration is not in it");
    await screenshot(page, "clusters-real-desktop");
  });

  test("a file is a data directory of a native cluster", () => {
    for (const name of ["plain", "whole"]) {
      const data = join(dir, name);
      execFileSync("mkdir", [data]);
      execFileSync("tar", ["-xf", `${data}.tar`, "-C", data]);
      const said = execFileSync("out/nodehost", ["store", "--data-dir", data, "verify"], {
        encoding: "utf8",
      });
      assert.match(said, /revision/i);
    }
  });

  test("a native cluster goes on from it, and what that made comes back in a file", async (t) => {
    assert.ok(KUBECTL, "kubectl is not installed: scripts/setup does it");
    const data = join(dir, "whole");
    const { kubectl, stop } = await native(t, data);
    assert.equal(
      await kubectl("-n", "zoo", "get", "zebra", "marty", "-o", "name"),
      "zebra.example.com/marty",
    );
    await kubectl("-n", "zoo", "rollout", "status", "deployment/web", "--timeout=120s");
    await kubectl("-n", "zoo", "create", "configmap", "made-natively");
    await stop();
    execFileSync("tar", ["-cf", `${data}-back.tar`, "-C", data, "store", "cluster"]);
  });

  test("what was deleted comes back, and a moment is kept as a cluster", async () => {
    await sh(page, "kubectl delete namespace zoo");
    await sh(page, "kubectl delete crd zebras.example.com");
    await page.evaluate(() => (location.hash = "#/checkpoints"));
    const past = page.locator("tn-checkpoints");
    const row = past.locator("tbody tr", { hasText: "kubectl delete namespace zoo" });
    const told = (text) =>
      past.locator("[role=status]", { hasText: text }).waitFor({ timeout: PATIENCE });
    await row.getByRole("button", { name: "What would change" }).click();
    await past.getByText("Deployment zoo/web").waitFor({ timeout: PATIENCE });
    await past.getByLabel("Name of the new cluster").fill("what-if");
    await past.getByRole("button", { name: "Keep as a cluster" }).click();
    await told("what-if has all objects");
    await past.getByRole("button", { name: "Go back to here" }).click();
    await told("came back");
    await screenshot(page, "checkpoints-real-desktop");
    await sh(page, "kubectl wait --for=condition=Established crd/zebras.example.com");
    // The API server serves a definition a moment after it is there again.
    await sh(page, "until kubectl -n zoo get zebra marty; do sleep 1; done");
    await sh(page, "kubectl -n zoo rollout status deployment web");
    await sh(page, "kubectl -n zoo wait --for=condition=Ready pod -l app=web --timeout=60s");
    const secret = await sh(page, "kubectl -n zoo get secret keeper -o jsonpath='{.type}'");
    assert.equal(secret, "Opaque");
    assert.match((await remembered()).at(-1)[1], /going back to/);
    diary = await firstPage();
  });

  test("what the page deletes or applies comes back, too", async () => {
    await page.evaluate(() => (location.hash = "#/apis/apps/v1/namespaces/zoo/deployments/web"));
    const inspector = page.locator("tn-inspector");
    await inspector.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.locator("dialog.ask");
    await dialog.getByText("The view Go back has the objects again").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await sh(page, "kubectl -n zoo wait --for=delete deployment/web --timeout=60s");
    const [id, why] = (await remembered()).at(-1);
    assert.match(why, /^kubectl delete deployment\/web -n zoo$/);
    await page.evaluate((id) => globalThis.tabernetes.restore(id), id);
    await sh(page, "kubectl -n zoo rollout status deployment web");

    await page.evaluate(() => (location.hash = "#/editor"));
    const editor = page.locator("tn-editor");
    await editor
      .locator(".cm-content")
      .fill("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied, namespace: zoo}\n");
    await editor.getByRole("button", { name: "Review" }).click();
    await editor.getByRole("button", { name: "Apply" }).click();
    await sh(page, "until kubectl -n zoo get configmap applied; do sleep 1; done");
    const last = (await remembered()).at(-1);
    assert.match(last[1], /^kubectl apply --server-side -f /);
    await page.evaluate((id) => globalThis.tabernetes.restore(id), last[0]);
    assert.equal(await sh(page, "kubectl -n zoo get configmap applied --ignore-not-found"), "");
  });

  test("a copy is another cluster, an imported file with keys is the same one", async () => {
    await show();
    await view().getByLabel("Name of the copy").fill("copy");
    await view().getByRole("button", { name: "Keep a copy" }).click();
    await says("copy has all objects of this cluster and its volumes");
    moments = await remembered();
    const choose = async (name, file) => {
      await view().getByLabel("Name of the imported cluster").fill(name);
      await view().getByLabel("File of a cluster").setInputFiles(file);
    };
    const torn = readFileSync(join(dir, "whole.tar")).subarray(0, 9000);
    await choose("torn", { name: "torn.tar", mimeType: "application/x-tar", buffer: torn });
    await says("copy or download");
    await choose("back", join(dir, "whole-back.tar"));
    await says("back has");
    const names = await view().locator("td.name").allInnerTexts();
    assert.deepEqual(names, ["back", "copy", "first", "what-if"]);
    for (const [name, same] of [
      ["copy", false],
      ["back", true],
    ]) {
      await show();
      const row = view().locator("tr", { has: page.getByText(name, { exact: true }) });
      await Promise.all([
        page.waitForEvent("load"),
        row.getByRole("button", { name: "Open" }).click(),
      ]);
      await ready(page);
      await sh(page, "kubectl -n zoo rollout status deployment web");
      const zebra = await sh(page, "kubectl -n zoo get zebra marty -o jsonpath='{.stripes}'");
      assert.equal(zebra, "26");
      assert.equal((await root()) === ca, same, `the CA of ${name}`);
      // A file has no files of volumes: whoever finds none writes its own.
      const made = await sh(page, "kubectl -n zoo get configmap -o name");
      assert.equal(made.includes("made-natively"), same, made);
      if (!same) assert.equal(await firstPage(), diary);
      else assert.match(await firstPage(), /wrote this/);
      await sh(page, "kubectl config set-credentials jane --token=token-of-jane");
      assert.match(await sh(page, "kubectl --user=jane auth whoami"), /Username +jane\n/);
    }
  });

  test("a renamed cluster has its moments, and nothing is left of a deleted one", async () => {
    await show();
    const row = (name) => view().locator("tr", { has: page.getByText(name, { exact: true }) });
    await row("first").getByRole("button", { name: "Rename" }).click();
    await view().getByLabel("New name").fill("renamed");
    await view().locator("td input + button").click();
    await says("first is called renamed now");
    for (const name of ["copy", "what-if"]) {
      await row(name).getByRole("button", { name: "Delete" }).click();
      await view()
        .getByRole("button", { name: `Delete ${name}`, exact: true })
        .click();
      await says(`${name} is deleted`);
    }
    const kept = await page.evaluate(async () => {
      const all = await (await navigator.storage.getDirectory()).getDirectoryHandle("tabernetes");
      const kept = {};
      for await (const [name, folder] of all.entries()) {
        kept[name] = [];
        for await (const [file] of folder.entries()) kept[name].push(file);
      }
      return kept;
    });
    assert.deepEqual(Object.keys(kept).sort(), ["back", "renamed"]);
    for (const kind of ["checkpoints-", "disk-", "journal-", "keys", "configuration"]) {
      assert.ok(
        kept.renamed.some((file) => file.startsWith(kind)),
        `no ${kind} among ${kept.renamed}`,
      );
    }
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), /"(copy|first)"/);
    await Promise.all([
      page.waitForEvent("load"),
      row("renamed").getByRole("button", { name: "Open" }).click(),
    ]);
    await ready(page);
    const now = await remembered();
    assert.deepEqual(now.slice(0, moments.length), moments);
    assert.equal(await root(), ca);
    assert.equal(await firstPage(), diary);
    // And one can go back to them.
    const [id] = now.find(([, why]) => why === "kubectl delete namespace zoo");
    await sh(page, "kubectl delete namespace zoo");
    await page.evaluate((id) => globalThis.tabernetes.restore(id), id);
    await sh(page, "kubectl -n zoo rollout status deployment web");
  });

  test("what people made is applied to a fresh cluster", async (t) => {
    await page.context().close();
    const fresh = await site.open(t, site.url, PHONE);
    await ready(fresh);
    const yaml = readFileSync(join(dir, "plain.yaml"), "utf8");
    const applied = await fresh.evaluate(
      (stdin) =>
        globalThis.tabernetes.shell(
          // A definition is served a moment after it is applied.
          `cat > all.yaml; for i in 1 2 3 4 5 6; do kubectl apply --server-side -f all.yaml && break; sleep 2; done`,
          { stdin },
        ),
      yaml,
    );
    assert.equal(applied.code, 0, applied.stderr);
    await sh(fresh, "kubectl -n zoo rollout status deployment web");
    await sh(fresh, "kubectl -n zoo get zebra/marty cronjob/feed service/web");
    await fresh.evaluate(() => (location.hash = "#/clusters"));
    await fresh.locator("tn-clusters h2").first().waitFor();
    await screenshot(fresh, "clusters-real-phone");
  });
});
