/*
 * Pods that take what they can get, all at once, in the real cluster: it goes on answering, each pod
 * ends as it should, and another pod runs afterwards. Here are the ways that differ in a browser, with
 * one thread and a memory that only grows; all that are known, one by one and with less to have, are
 * core/node/cri/hostile_test.go, which is sooner through with them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ready } from "./browser.mjs";
import { until } from "./look.mjs";
import { over } from "./visits.mjs";

const SMALL = { memory: "8Mi" };
/** A variable of 4 kB. */
const LONG = "l=$(head -c 4096 /dev/zero | tr '\\0' x);";

/**
 * What each runs, how it ends (for its memory, by itself with an error, put out by its kubelet, or not
 * at all), and its limits if it has any.
 */
const TABLES = {
  "memory, output and forks": {
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
  },
  // Limits of their own, and long lines: with what a container may have without limits, in lines of one
  // character, the same takes minutes of the one thread.
  "tools that keep what does not end": {
    array: [`${LONG} awk -v s="$l" 'BEGIN { while (1) a[i++] = s i }'`, "OOMKilled", SMALL],
    string: ["awk 'BEGIN { s = \"x\"; while (1) s = s s }'", "OOMKilled", SMALL],
    record: ["awk 1 /dev/zero", "OOMKilled", SMALL],
    calls: [
      `awk 'function f(s) { f(s "x") } BEGIN { f(sprintf("%999999d", 1)) }'`,
      "OOMKilled",
      SMALL,
    ],
    sort: [`${LONG} yes "$l" | sort`, "OOMKilled", SMALL],
    tail: [`${LONG} yes "$l" | tail -n 1000000000`, "OOMKilled", SMALL],
    bytes: ["tail -c 100G /dev/zero", "OOMKilled", SMALL],
    sed: [`${LONG} yes "$l" | sed ':a;N;ba'`, "OOMKilled", SMALL],
    argument: [`${LONG} yes "$l" | tr -d '\\n' | xargs echo`, "OOMKilled", SMALL],
    commands: ["yes | xargs -n 1 echo", "Running"],
  },
  // Memory that is made from little in one step, and steps that would take minutes: of the latter a
  // kill is the end, which nobody gets to where the thread is theirs.
  "tools that make much of little": {
    replaced: [
      "head -c 1000000 /dev/zero | tr '\\0' x | sed \"s/.*/$(head -c 4500 /dev/zero | tr '\\0' '&')/\"",
      "OOMKilled",
      SMALL,
    ],
    variables: [
      "v=$(head -c 300000 /dev/zero | tr '\\0' x); export v; yes '$v' | head -n 3000 | tr -d '\\n' | envsubst | head -c 1; exit 1",
      "Error",
      SMALL,
    ],
    expression: [
      "head -c 1000000 /dev/zero | tr '\\0' x > /tmp/l; grep -cE '(x?){1000}$' /tmp/l & sleep 3; kill -9 $!; wait $!; [ $? != 137 ] || exit 1",
      "Error",
      SMALL,
    ],
    difference: [
      "awk 'BEGIN { for (i = 0; i < 60000; i++) print int(rand()*150) }' > /tmp/a; awk 'BEGIN { srand(2); for (i = 0; i < 60000; i++) print int(rand()*150) }' > /tmp/b; diff /tmp/a /tmp/b | wc -l; exit 1",
      "Error",
      SMALL,
    ],
  },
  // What is empty takes an entry only, of which a node has a quarter of a million: that they come to an
  // end is tried natively, with few (hostile_test.go). Here the cluster goes on meanwhile.
  "many of what is small": {
    files: [
      `${LONG} i=0; while echo "$l" > /tmp/$((i+=1)); do :; done`,
      "Evicted",
      { "ephemeral-storage": "2Mi" },
    ],
    directories: ["i=0; while mkdir /tmp/$((i+=1)); do :; done", "Running"],
    variables: [`${LONG} i=0; while :; do i=$((i+1)); eval "v$i=$l"; done`, "OOMKilled", SMALL],
    descriptors: ["f() { { f; } 3</etc/passwd 4</etc/passwd 5</etc/passwd; }; f; exit 1", "Error"],
    // Far more than it may have. Who is refused the last process, f or what calls it, is chance: of f alone
    // one could die for each that begins, for ever.
    pipes: ["f() { yes | sleep 3600; }; for i in $(seq 2000); do f & done; exit 1", "Error"],
    subshells: ["f() { (f); }; f", "Error"],
  },
};

// Loops that never end are what V8 optimises for: without, filling a disk takes minutes.
const site = over("out/site", ["--js-flags="]);
let page;
let context;
before(async () => {
  await site.begun;
  const pretend = {
    name: "hostile-pods",
    diagnostic: () => undefined,
    after: (f) => (context = f),
  };
  page = await site.open(pretend);
  await ready(page);
});
after(async () => {
  await context?.();
});

const run = async (line, stdin) => {
  const answer = await page.evaluate(
    ([l, options]) => globalThis.tabernetes.kubectl(l, options),
    [line, { stdin }],
  );
  assert.equal(answer.code, 0, `${line}: ${answer.stderr}`);
  return answer.stdout;
};

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

/** Pods of a table of its own have come to their ends, or to none; another pod runs afterwards. */
const outlived = async (t, pods) => {
  const items = Object.entries(pods).map(([name, [script, , limits = {}]]) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      containers: [
        // No share of a node is asked for: that all run at once is the point.
        {
          name: "c",
          image: "busybox",
          command: ["sh", "-c", script],
          resources: {
            limits,
            requests: Object.fromEntries(Object.keys(limits).map((of) => [of, "0"])),
          },
        },
      ],
    },
  }));
  await run("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  // A node that is full evicts; whom, is the kubelet's choice.
  const settled = (name, state) => state === pods[name][1] || state === "Evicted";
  const since = new Map();
  let seen = {};
  // Filling a node's files takes as long as the machine lets it: the pods share one thread.
  for (const begin = Date.now(); Date.now() < begin + 300_000; await sleep(1000)) {
    seen = await states();
    for (const name of Object.keys(pods)) {
      if (settled(name, seen[name]) && !since.has(name)) since.set(name, Date.now() - begin);
    }
    if (Object.keys(pods).every((name) => settled(name, seen[name]))) break;
  }
  for (const name of Object.keys(pods)) {
    t.diagnostic(`${name}: ${seen[name]}, after ${Math.round(since.get(name) / 1000)} s`);
  }
  const wrong = Object.keys(pods).filter((name) => !settled(name, seen[name]));
  assert.deepEqual(Object.fromEntries(wrong.map((name) => [name, seen[name]])), {});
  const memory = await page
    .workers()[0]
    .evaluate(() => globalThis.tabernetesMemory.buffer.byteLength);
  t.diagnostic(`memory of the module: ${Math.round(memory / 2 ** 20)} MiB`);

  // Elsewhere than where the files were full, which drops logs until the kubelet has tidied up.
  const full = pods.file ? await run("get pod file -o jsonpath={.spec.nodeName}") : "";
  if (full) await run(`cordon ${full}`);
  await run("delete pods --all --wait=true --timeout=60s");
  await run("wait nodes --all --for=condition=Ready --timeout=30s");
  await run("run after --image=busybox --restart=Never -- echo still here");
  await run("wait pod/after --for=jsonpath={.status.phase}=Succeeded --timeout=60s");
  assert.equal(await run("logs after"), "still here\n");
  await run("delete pod after");
  // What comes next is not to find its files full: on a fast machine that is before the kubelet has tidied up.
  if (full) {
    await until(
      page,
      ({ availableBytes, capacityBytes }) => availableBytes * 2 > capacityBytes,
      async () =>
        JSON.parse(await run(`get --raw /api/v1/nodes/${full}/proxy/stats/summary`)).node.fs,
      180_000,
    );
    await run(`uncordon ${full}`);
  }
};

for (const [name, pods] of Object.entries(TABLES)) {
  test(`a pod cannot take the cluster down: ${name}`, (t) => outlived(t, pods));
}

test("nor can an object that is nested as deep as upstream's decoder goes", async () => {
  const status = await page.evaluate(async (levels) => {
    const nested = "[".repeat(levels) + "]".repeat(levels);
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"nested":${nested}}`;
    const path = "/api/v1/namespaces/default/configmaps";
    const headers = { "Content-Type": "application/json" };
    const answer = await globalThis.tabernetes.fetch(path, { method: "POST", headers, body });
    return answer.status;
  }, 9000);
  assert.equal(status, 201);
});
