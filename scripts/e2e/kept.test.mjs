/* A cluster that is kept in the browser: it goes on after a reload, and after the tab was killed. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DESKTOP, ready, screenshot, sh } from "./browser.mjs";
import { ahead, beforeWorkers, until } from "./kept-memory.mjs";
import { over } from "./visits.mjs";

/** For what a busy machine takes its time for, in milliseconds. */
const PATIENCE = 90_000;
const DAY_MS = 86_400_000;

const site = over("out/site");

/** What must be the same afterwards. */
async function identity(page) {
  return {
    ca: await sh(page, "kubectl get configmap kube-root-ca.crt -o jsonpath='{.data}'"),
    deployment: await sh(page, "kubectl get deployment web -o jsonpath='{.metadata.uid}'"),
    pods: await sh(
      page,
      "kubectl get pods -l app=web -o jsonpath='{range .items[*]}{.metadata.uid} {end}'",
    ),
    nodes: await sh(page, "kubectl get nodes -o name"),
  };
}

/** What a machine that loses power would take with it, and what not. */
const MACHINES = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: disk}
spec:
  selector: {matchLabels: {app: disk}}
  template:
    metadata: {labels: {app: disk}}
    spec:
      nodeName: node-1
      containers:
      - name: main
        image: busybox
        command: [sh, -c, "echo started >> /cache/starts; echo said-so; sleep 100000"]
        volumeMounts: [{name: cache, mountPath: /cache}, {name: memory, mountPath: /memory}]
      volumes:
      - {name: cache, emptyDir: {}}
      - {name: memory, emptyDir: {medium: Memory}}
---
apiVersion: v1
kind: Pod
metadata: {name: mine}
spec:
  nodeName: node-1
  securityContext: {runAsUser: 1000, runAsGroup: 1000, fsGroup: 2000}
  containers:
  - name: main
    image: busybox
    command: [sh, -c, "[ -e /cache/own ] || { echo own > /cache/own; chmod 640 /cache/own; }; sleep 100000"]
    volumeMounts: [{name: cache, mountPath: /cache}]
  volumes: [{name: cache, emptyDir: {}}]
---
apiVersion: v1
kind: Pod
metadata: {name: never}
spec:
  restartPolicy: Never
  containers: [{name: main, image: busybox, command: [sleep, "100000"]}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  template:
    spec:
      nodeName: node-1
      restartPolicy: OnFailure
      containers:
      - name: main
        image: busybox
        command: [sh, -c, "echo ran >> /host/runs"]
        volumeMounts: [{name: host, mountPath: /host}]
      volumes: [{name: host, hostPath: {path: /data/once, type: DirectoryOrCreate}}]
`;

/** Waits until the browser has a text in one of a cluster's files: of what it keeps of the nodes' disks, unless told. */
async function onDisk(page, text, files = "disk-") {
  for (const end = Date.now() + PATIENCE; ; await delay(250)) {
    const found = await page.evaluate(
      async ([wanted, files]) => {
        let at = await navigator.storage.getDirectory();
        for (const name of ["tabernetes", "cluster"]) at = await at.getDirectoryHandle(name);
        for await (const [name, handle] of at.entries()) {
          if (!name.startsWith(files)) continue;
          if ((await (await handle.getFile()).text()).includes(wanted)) return true;
        }
        return false;
      },
      [text, files],
    );
    if (found) return;
    assert.ok(Date.now() < end, `"${text}" is on no disk`);
  }
}

/** Whose the files of a pod that runs as user 1000 are, with their modes. */
const ownersOf = (page) => sh(page, "kubectl exec mine -- stat -c '%n %u %g %a' /cache/own /cache");

/** The process of this browser's that has a cluster: no other has its hundreds of megabytes. */
async function largestRenderer() {
  const devtools = await site.browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  await devtools.detach();
  const resident = (id) => Number(readFileSync(`/proc/${id}/statm`, "utf8").split(" ")[1]);
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  return renderers.toSorted((a, b) => resident(b) - resident(a))[0];
}

/** What is remembered to go back to. */
const momentsOf = (page) =>
  page.evaluate(async () =>
    (await globalThis.tabernetes.checkpoints()).map(({ id, why, time, objects }) => [
      id,
      why,
      Date.parse(time),
      objects,
    ]),
  );

const revision = async (page) =>
  Number(
    await sh(page, "kubectl create configmap r-$RANDOM -o jsonpath='{.metadata.resourceVersion}'"),
  );

describe("a cluster that is kept", () => {
  let page;
  let was;
  let last;
  let owners;
  let moments;

  test("the setting starts one", async (t) => {
    const context = { name: t.name, diagnostic: (m) => t.diagnostic(m), after: () => undefined };
    page = await site.open(context, `${site.url}#/settings`, DESKTOP);
    await ready(page);
    await page.getByRole("checkbox", { name: "Keep it in this browser" }).check();
    await screenshot(page, "kept-settings-desktop");
    await Promise.all([
      page.waitForEvent("load"),
      page.getByRole("button", { name: "Start a new cluster with these settings" }).click(),
    ]);
    await ready(page);
    await sh(page, "kubectl create deployment web --image=nginx --replicas=2");
    await sh(page, "kubectl rollout status deployment web");
    await page.evaluate(() => (location.hash = "#/nodes"));
    const nodes = page.locator("tn-nodes");
    const row = (name) => nodes.locator("tr", { hasText: name });
    await nodes.getByRole("button", { name: "Add a node" }).click();
    await row("node-4").waitFor({ timeout: PATIENCE });
    await nodes.getByRole("button", { name: /^Remove node-2/ }).click();
    await row("node-2").waitFor({ state: "detached", timeout: PATIENCE });
    await sh(page, "kubectl rollout status deployment web");
    was = await identity(page);
    assert.equal(was.nodes, "node/node-1\nnode/node-3\nnode/node-4\n");
    last = await revision(page);
  });

  test("what runs has files on its node's disk", async () => {
    await page.evaluate(
      (text) =>
        globalThis.tabernetes.shell(`cat > m.yaml <<'EOF'\n${text}\nEOF\nkubectl apply -f m.yaml`),
      MACHINES,
    );
    await sh(page, "kubectl rollout status deployment disk");
    await sh(page, "kubectl wait --for=condition=Complete job/once --timeout=90s");
    await sh(page, "kubectl wait --for=condition=Ready pod/never pod/mine --timeout=90s");
    owners = await ownersOf(page);
    assert.match(owners, /own 1000 2000 640\n.* \d+ 2000 2777\n/s);
    await sh(
      page,
      "kubectl exec deploy/disk -- sh -c 'echo mine > /cache/file; echo gone > /memory/file'",
    );
    await sh(page, "kubectl exec deploy/disk -- sh -c 'echo the-last-thing-written > /cache/last'");
    await onDisk(page, "the-last-thing-written");
  });

  test("moments to go back to are kept beside whoever changes something", async () => {
    await sh(page, "kubectl create namespace shop");
    await sh(page, "kubectl -n shop create configmap settings --from-literal=colour=green");
    await sh(page, "kubectl delete namespace shop --timeout=90s");
    moments = await momentsOf(page);
    await onDisk(page, "kubectl delete namespace shop", "checkpoints-");
  });

  test("after a reload it is the same one, and its pods run again", async () => {
    let asked = false;
    page.on("dialog", (dialog) => {
      asked = true;
      void dialog.accept();
    });
    await page.reload();
    await ready(page);
    assert.ok(!asked, "the browser asked whether to leave, although nothing is lost");
    assert.deepEqual(await identity(page), was);
    await sh(page, "kubectl rollout status deployment web");
    await sh(page, "kubectl exec deploy/web -- true");
    const next = await revision(page);
    assert.ok(next > last, `revision ${next} after ${last}`);
    const resumed = await page.evaluate(
      (rev) =>
        globalThis.tabernetes
          .fetch(`/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=${rev}`)
          .then((response) => response.text()),
      last,
    );
    assert.match(resumed, /"code":410/, "a watch that goes on from before is told so");
    last = next;
    const ids = await sh(
      page,
      "kubectl get pods -l app=web -o jsonpath='{.items[*].status.containerStatuses[*].ready}'",
    );
    assert.equal(ids, "true true");
  });

  test("and the moments are there to go back to", async () => {
    assert.deepEqual((await momentsOf(page)).slice(0, moments.length), moments);
    await page.evaluate(() => (location.hash = "#/checkpoints"));
    const view = page.locator("tn-checkpoints");
    await view.getByText("These moments are kept with the cluster").waitFor();
    const row = view.locator("tbody tr", { hasText: "kubectl delete namespace shop" }).last();
    await row.getByRole("button", { name: "What would change" }).click();
    await view.getByText("ConfigMap shop/settings").waitFor();
    await screenshot(page, "kept-checkpoints-desktop");
    await view.getByRole("button", { name: "Go back to here" }).click();
    await view.locator("[role=status]", { hasText: "came back" }).waitFor({ timeout: PATIENCE });
    const colour = "kubectl -n shop get configmap settings -o jsonpath='{.data.colour}'";
    assert.equal(await sh(page, colour), "green");
    await sh(page, "kubectl delete namespace shop --timeout=90s");
  });

  test("the nodes come back as machines after a loss of power", async () => {
    await sh(page, "kubectl rollout status deployment disk");
    const state = (what) =>
      sh(
        page,
        `kubectl get pod -l app=disk -o jsonpath='{.items[*].status.containerStatuses[0].${what}}'`,
      );
    assert.equal(await state("restartCount"), "1");
    await sh(page, "kubectl wait --for=condition=Ready pod/mine --timeout=90s");
    assert.equal(await ownersOf(page), owners);
    await sh(page, "kubectl exec mine -- sh -c 'echo more >> /cache/own'");
    assert.equal(await state("lastState.terminated.exitCode"), "255");
    assert.equal(await state("lastState.terminated.reason"), "Unknown");
    assert.equal(
      await sh(page, "kubectl exec deploy/disk -- cat /cache/starts /cache/file"),
      "started\nstarted\nmine\n",
    );
    assert.equal(await sh(page, "kubectl exec deploy/disk -- ls /memory"), "");
    assert.equal(await sh(page, "kubectl logs --previous deploy/disk"), "said-so\n");
    assert.match(await sh(page, "kubectl get pods -l app=disk"), /Running\s+1 \(/);
    await sh(page, "kubectl wait --for=jsonpath='{.status.phase}'=Failed pod/never --timeout=90s");
    assert.equal(await sh(page, "kubectl get job once -o jsonpath='{.status.succeeded}'"), "1");
    assert.equal(await sh(page, "kubectl get pods -l job-name=once --no-headers | wc -l"), "1\n");
    await sh(
      page,
      `kubectl run look --image=busybox --restart=Never --overrides='${JSON.stringify({
        spec: {
          nodeName: "node-1",
          containers: [
            {
              name: "look",
              image: "busybox",
              command: ["cat", "/host/runs"],
              volumeMounts: [{ name: "host", mountPath: "/host" }],
            },
          ],
          volumes: [{ name: "host", hostPath: { path: "/data/once" } }],
        },
      })}'`,
    );
    await sh(
      page,
      "kubectl wait --for=jsonpath='{.status.phase}'=Succeeded pod/look --timeout=90s",
    );
    assert.equal(await sh(page, "kubectl logs look"), "ran\n");
  });

  test("what was acknowledged when the tab was killed is there", async () => {
    const context = page.context();
    const written = page
      .evaluate(async () => {
        for (let i = 1; ; i++) {
          const { code } = await globalThis.tabernetes.kubectl(`create configmap kill-${i}`);
          if (code === 0) console.log(`acknowledged ${i}`);
        }
      })
      .catch(() => undefined);
    let acknowledged = 0;
    await new Promise((resolve) => {
      page.on("console", (message) => {
        const number = /^acknowledged (\d+)$/.exec(message.text());
        if (number) acknowledged = Number(number[1]);
        if (acknowledged === 12) resolve();
      });
    });
    page.goto("chrome://crash").catch(() => undefined);
    await page.waitForEvent("crash");
    await written;
    await page.close();
    page = await context.newPage();
    await page.goto(site.url);
    await ready(page);
    const found = (await sh(page, "kubectl get configmaps -o name")).split("\n");
    for (let i = 1; i <= acknowledged; i++) {
      assert.ok(found.includes(`configmap/kill-${i}`), `kill-${i} of ${acknowledged} is lost`);
    }
    assert.deepEqual(await identity(page), was);
    await sh(page, "kubectl rollout status deployment web");
  });

  test("a second tab takes it over, and the first one says so", async () => {
    const first = page;
    const second = await first.context().newPage();
    await second.goto(site.url);
    const take = second.getByRole("button", { name: "Go on with cluster here" });
    await take.waitFor({ timeout: PATIENCE });
    await screenshot(second, "kept-second-tab-desktop");
    await take.click();
    await first.getByText("The cluster goes on in another tab").waitFor({ timeout: PATIENCE });
    await screenshot(first, "kept-taken-desktop");
    await ready(second);
    assert.deepEqual(await identity(second), was);
    page = second;

    // Back in the first tab, while two ask for it at once: one has it, and the others say so.
    const third = await first.context().newPage();
    await Promise.all([first.reload(), third.goto(site.url)]);
    const asking = [first, third].map((tab) =>
      tab.getByRole("button", { name: "Go on with cluster here" }),
    );
    for (const button of asking) await button.waitFor({ timeout: PATIENCE });
    await Promise.all(asking.map((button) => button.click()));
    const ended = (tab) =>
      tab.getByText("The cluster goes on in another tab").waitFor({ timeout: PATIENCE });
    await ended(second);
    const loser = await Promise.any([first, third].map((tab) => ended(tab).then(() => tab)));
    page = loser === first ? third : first;
    await ready(page);
    assert.deepEqual(await identity(page), was);
    for (const tab of [loser, second]) await tab.close();
  });

  test("a tab that is frozen gives it up when it wakes", async () => {
    const first = page;
    const renderer = await largestRenderer();
    process.kill(renderer, "SIGSTOP");
    const second = await first.context().newPage();
    await second.goto(site.url);
    await second
      .getByRole("button", { name: "Go on with cluster here" })
      .click({ timeout: PATIENCE });
    await second.getByText("seems to be asleep").waitFor({ timeout: PATIENCE });
    await screenshot(second, "kept-frozen-desktop");
    process.kill(renderer, "SIGCONT");
    await first.getByText("The cluster goes on in another tab").waitFor({ timeout: PATIENCE });
    await ready(second);
    assert.deepEqual(await identity(second), was);
    await first.close();
    page = second;
    await sh(page, "kubectl rollout status deployment web");
  });

  test("a reset deletes it, and a new one is kept", async () => {
    await page.goto(`${site.url}#/settings`);
    await Promise.all([
      page.waitForEvent("load"),
      page.getByRole("button", { name: "Reset: start a new cluster" }).click(),
    ]);
    await ready(page);
    assert.equal(await sh(page, "kubectl get deployments"), "");
    const other = await sh(page, "kubectl get configmap kube-root-ca.crt -o jsonpath='{.data}'");
    assert.notEqual(other, was.ca);
  });

  test("asleep for a day: nobody is gone, nothing is started again, and what has an end has come to it", async () => {
    // A node that is new has been not ready for a moment: its taint NoExecute goes some seconds after the other one, and
    // with it upstream cancels the eviction of a pod that has come meanwhile, by the event that is looked for below.
    await until(
      () => sh(page, "kubectl get nodes -o jsonpath='{.items[*].spec.taints}'"),
      (taints) => taints === "",
    );
    await sh(page, "kubectl create deployment web --image=nginx --replicas=2");
    await sh(page, "kubectl rollout status deployment web");
    await sh(page, "kubectl create cronjob daily --image=busybox --schedule='0 12 * * *' -- true");
    const token = (await sh(page, "kubectl create token default")).trim();
    const whoIs = async (given) => {
      await sh(page, `kubectl config set-credentials bearer --token=${given}`);
      return page.evaluate(async () => {
        const line = "kubectl --user=bearer auth whoami";
        const { code, stdout } = await globalThis.tabernetes.shell(line);
        return code === 0 ? stdout : "";
      });
    };
    const restarts = () =>
      sh(
        page,
        "kubectl get pods -l app=web -o jsonpath='{range .items[*]}{.metadata.uid} {.status.containerStatuses[0].restartCount} {end}'",
      );
    const before = await restarts();
    assert.match(await whoIs(token), /serviceaccount:default:default/);
    const day = { wall: DAY_MS, steady: DAY_MS };
    // As a laptop that was closed: one moment is the next, and the clocks say that it was a day.
    await page.evaluate(ahead, day);
    for (const worker of page.workers()) await worker.evaluate(ahead, day);
    await page.evaluate(() => (location.hash = "#/nodes"));
    await page.getByText(/The tab was asleep from .* Leases and evictions stood still/).waitFor();
    await sh(page, "kubectl wait --for=condition=Ready node --all --timeout=60s");
    // The API server remembers for ten seconds, which stood still, that it was good.
    await until(
      () => whoIs(token),
      (who) => who === "",
    );
    const later = (await sh(page, "kubectl create token default")).trim();
    assert.match(await whoIs(later), /serviceaccount:default:default/);
    await sh(page, "kubectl exec deploy/web -- true");
    const found = await sh(
      page,
      "kubectl get events -A -o jsonpath='{range .items[*]}{.reason}: {.message}; {end}'",
    );
    assert.doesNotMatch(found, /NodeNotReady|TaintManagerEviction|Unhealthy|Killing/);
    assert.equal(await restarts(), before);

    // And opened a day later: as after any reload.
    await page.addInitScript(ahead, { wall: DAY_MS });
    await beforeWorkers(page, ahead, { wall: DAY_MS });
    await page.reload();
    await ready(page);
    await sh(page, "kubectl wait --for=condition=Ready node --all --timeout=60s");
    await sh(page, "kubectl rollout status deployment web");
    assert.match(await whoIs(later), /serviceaccount:default:default/);
    const jobs = (await sh(page, "kubectl get jobs -o name")).trim().split("\n").filter(Boolean);
    assert.ok(jobs.length <= 1, `a day's work was done ${jobs.length} times`);
    await page.context().close();
  });
});
