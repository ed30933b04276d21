/*
 * Pods that take what they can get, all at once, in the real cluster: it goes on answering, each pod
 * ends as it should, and another pod runs afterwards. Here are the ways that differ in a browser, with
 * one thread and a memory that only grows; all that are known, one by one and with less to have, are
 * core/node/cri/hostile_test.go, which is sooner through with them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ready } from "./browser.mjs";
import { over } from "./visits.mjs";

/** What each runs, and how it ends: for its memory, by itself with an error, or not at all. */
const PODS = {
  double: ["a=xxxxxxxx; while :; do a=$a$a; done", "OOMKilled"],
  output: ["a=$(yes)", "OOMKilled"],
  // As much as a container may have, made in one step.
  replace: [
    "a=xxxxxxxxxxxxxxxx; a=$a$a$a$a$a$a; a=$a$a$a$a$a$a; a=$a$a$a$a$a$a; a=$a$a$a$a; echo ${a//x/$a}",
    "OOMKilled",
  ],
  recursion: ["f() { f; }; f", "Error"],
  // Go's calls are on the engine's own stack, too, which is smaller.
  script: ["yes 'if true; then' | sh", "Error"],
  file: ["head -c 100G /dev/zero > /tmp/x; exit 1", "Error"],
  log: ["yes", "Running"],
  forks: ["f() { f | f & }; f; sleep 3600", "Running"],
};

const site = over("out/site");

test("a pod cannot take the cluster down", async (t) => {
  const page = await site.open(t);
  await ready(page);
  const run = async (line, stdin) => {
    const answer = await page.evaluate(
      ([l, options]) => globalThis.tabernetes.kubectl(l, options),
      [line, { stdin }],
    );
    assert.equal(answer.code, 0, `${line}: ${answer.stderr}`);
    return answer.stdout;
  };
  const items = Object.entries(PODS).map(([name, [script]]) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "c", image: "busybox", command: ["sh", "-c", script] }],
    },
  }));
  await run("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));

  /** How each pod stands: the reason of its end, its pod's, or its phase. */
  const states = async () => {
    const { items } = JSON.parse(await run("get pods -o json"));
    return Object.fromEntries(
      items.map(({ metadata, status }) => [
        metadata.name,
        status.reason ??
          status.containerStatuses?.[0].state.terminated?.reason ??
          (status.containerStatuses?.[0].state.running ? "Running" : status.phase),
      ]),
    );
  };
  // A node that is full evicts; whom, is the kubelet's choice.
  const settled = (name, state) => state === PODS[name][1] || state === "Evicted";
  let seen = {};
  // Filling a node's files takes as long as the machine lets it: the pods share one thread.
  for (const deadline = Date.now() + 300_000; Date.now() < deadline; await sleep(1000)) {
    seen = await states();
    if (Object.keys(PODS).every((name) => settled(name, seen[name]))) break;
  }
  t.diagnostic(JSON.stringify(seen));
  const wrong = Object.keys(PODS).filter((name) => !settled(name, seen[name]));
  assert.deepEqual(Object.fromEntries(wrong.map((name) => [name, seen[name]])), {});
  // As deep as upstream's decoder goes.
  const deep = await page.evaluate(async (levels) => {
    const nested = "[".repeat(levels) + "]".repeat(levels);
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"nested":${nested}}`;
    const path = "/api/v1/namespaces/default/configmaps";
    const headers = { "Content-Type": "application/json" };
    const answer = await globalThis.tabernetes.fetch(path, { method: "POST", headers, body });
    return answer.status;
  }, 9000);
  assert.equal(deep, 201);
  const memory = await page
    .workers()[0]
    .evaluate(() => globalThis.tabernetesMemory.buffer.byteLength);
  t.diagnostic(`memory of the module: ${Math.round(memory / 2 ** 20)} MiB`);

  // Elsewhere than where the files were full, which drops logs until the kubelet has tidied up.
  const full = await run("get pod file -o jsonpath={.spec.nodeName}");
  await run(`cordon ${full}`);
  await run("delete pods --all --wait=true --timeout=60s");
  await run("wait nodes --all --for=condition=Ready --timeout=30s");
  await run("run after --image=busybox --restart=Never -- echo still here");
  await run("wait pod/after --for=jsonpath={.status.phase}=Succeeded --timeout=60s");
  assert.equal(await run("logs after"), "still here\n");
});
