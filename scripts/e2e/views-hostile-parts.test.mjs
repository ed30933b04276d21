/*
 * Hostile names and values (hostile.mjs) in what a view shows on a press or for one kind of object only, and in what
 * methods of the cluster answer, over the fake worker (web/dev), which says what this file has written for it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DESKTOP, PHONE, screenshot, terminalText } from "./browser.mjs";
import { COMMAND, NAMES, VALUES } from "./hostile.mjs";
import { configMap, go, node, pod, put, unharmed } from "./hostile-objects.mjs";
import { answered, until } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");
const kinds = Object.keys(NAMES);
const values = Object.values(VALUES);

/** One word of a line for the fake's shell, whatever is in it. */
const word = (text) =>
  `$'${[...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}'`;

/** Every text that the cluster answers with in the forms of web/rpc/protocol.ts is hostile. */
const verdicts = values.map((why, i) => ({ plugin: `p${i}`, verdict: "refused", why }));
const scores = values.map((why, i) => {
  return { plugin: `p${i}`, scored: false, raw: 0, normalized: 0, weighted: 0, why };
});
const attempt = (value) => ({
  ...{ namespace: value, name: value, uid: value, profile: value, attempt: 1, began: 0, took: 3 },
  filters: values.map((text) => text.slice(0, 100)),
  scores: values.map((text) => ({ name: text.slice(0, 100), weight: 1 })),
  rows: Object.values(NAMES).map((name) => ({
    node: name.slice(0, 253),
    passed: false,
    ...{ filters: verdicts, scores, total: 0 },
  })),
  ...{ moreRows: 0, feasible: 0, node: "", hint: value, nominated: value, message: value },
  preemption: value,
});
const ANSWERS = {
  packetPath: {
    hops: values.map((text) => ({ at: text, by: text, address: text, why: text })),
    arrives: false,
    subnets: values.map((text) => ({ node: text, pods: text, inTab: false })),
  },
  subjectaccessreviews: {
    ...{
      allowed: false,
      denied: true,
      reason: values.join(" "),
      evaluationError: values.join(" "),
    },
  },
  whoMay: {
    chain: values.map((text) => ({ type: text, name: text })),
    subjects: values.map((text) => {
      return { kind: "User", namespace: text, name: text, group: text, by: text };
    }),
    more: 0,
    problem: values.join(" "),
  },
  accessControls: {
    authenticators: [],
    authorizers: [],
    admission: values.map((text, i) => ({
      ...{ name: `${i} ${text.slice(0, 100)}`, on: true, default: true },
      last: { step: 1, at: 0, did: text, reason: text, user: text, verb: text, object: text },
    })),
  },
  checkpoints: {
    checkpoints: values.map((why, i) => {
      return {
        id: i + 1,
        time: new Date(0).toISOString(),
        why,
        asked: i % 2 > 0,
        revision: 1,
        objects: 1,
        bytes: 1,
      };
    }),
    kept: false,
    lost: VALUES.markup,
  },
  compareCheckpoint: {
    ...{ comesBack: values.length, changes: 0, goes: 0 },
    objects: values.map((text) => {
      return { what: "comes back", kind: text.slice(0, 100), namespace: text, name: text };
    }),
  },
};

/** What the page shows of each, by its address, and what brings it there. */
const press = (page, scope, name) =>
  page.locator(scope).getByRole("button", { name, exact: true }).first().click();
const PARTS = {
  network: (page) =>
    page
      .locator("tn-network ol li")
      .nth(values.length - 1)
      .waitFor(),
  "network?from=default/x;y&to=%3Cimg src=x%3E/%2e%2e": (page) =>
    page.locator("tn-network select").first().waitFor(),
  "configuration/rights": async (page) => {
    await press(page, "tn-rights", "Ask");
    await page
      .locator("tn-rights tbody tr")
      .nth(values.length - 1)
      .waitFor();
  },
  "configuration/access": (page) =>
    page
      .locator("tn-access-controls tbody tr")
      .nth(values.length - 1)
      .waitFor(),
  checkpoints: async (page) => {
    await press(page, "tn-checkpoints", "What would change");
    await page
      .locator("tn-checkpoints ul li")
      .nth(values.length - 1)
      .waitFor();
  },
  browser: (page) =>
    page
      .locator("tn-openables li")
      .nth(kinds.length - 1)
      .waitFor(),
  map: (page) =>
    page
      .locator("tn-map .storeys .thing")
      .nth(2 * kinds.length - 1)
      .waitFor(),
};

/** A Service, its endpoints, an Ingress and a Deployment of that name, whose texts are hostile, too. */
async function putAbove(page, kind) {
  const name = NAMES[kind];
  const value = VALUES[kind];
  const metadata = (of) => ({ name, namespace: "default", uid: `${of}-${kind}` });
  const ports = [{ name: value.slice(0, 100), port: 80, protocol: "TCP" }];
  await put(page, "services", {
    ...{ kind: "Service", metadata: metadata("s"), spec: { clusterIP: "10.96.0.9", ports } },
  });
  await put(page, "endpointslices", {
    ...{ kind: "EndpointSlice", ports },
    metadata: {
      ...metadata("e"),
      name: `slice-${kind}`,
      labels: { "kubernetes.io/service-name": name.split(",")[0] },
    },
    endpoints: [
      {
        addresses: [value.slice(0, 1000)],
        nodeName: value,
        targetRef: { kind: "Pod", name: value, namespace: value },
      },
    ],
  });
  const http = { paths: [{ path: value, backend: { service: { name } } }] };
  await put(page, "ingresses", {
    ...{ kind: "Ingress", metadata: metadata("i"), spec: { rules: [{ host: value, http }] } },
    status: { loadBalancer: { ingress: [{ ip: "10.97.0.254" }] } },
  });
  await put(page, "deployments", {
    ...{ kind: "Deployment", metadata: metadata("d"), spec: { replicas: 2 }, status: {} },
  });
}

async function fill(page) {
  const answers = Object.entries({ ...ANSWERS, decision: attempt(values.join(" ")) });
  const data = Object.fromEntries(answers.map(([method, says]) => [method, JSON.stringify(says)]));
  await put(page, "configmaps", { ...configMap("answers", {}), data });
  for (const kind of kinds) {
    await putAbove(page, kind);
    await put(page, "configmaps", configMap(NAMES[kind], { [kind]: VALUES[kind] }));
    const one = pod(`pod-${kind}`, VALUES[kind]);
    await put(page, "pods", { ...one, status: { ...one.status, podIP: "10.244.0.7" } });
    await put(page, "nodes", node(`node-${NAMES[kind].slice(0, 1000)}`, VALUES[kind]));
    const name = word(NAMES[kind].slice(0, 1000));
    await page.evaluate((line) => globalThis.tabernetes.kubectl(line), `create deployment ${name}`);
  }
}

/** The views there are, as the page registers them. */
function views() {
  const files = ["web/workbench.ts", "web/traced.ts"].map((file) => readFileSync(file, "utf8"));
  const names = files.flatMap((text) => [...text.matchAll(/^\s+name: "([a-z]+)",$/gm)]);
  return names.map(([, name]) => name);
}

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`what is behind a press is text, too: ${device}`, async (t) => {
    const page = await site.visit(t, "", options);
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await fill(page);
    for (const [address, shown] of Object.entries(PARTS)) {
      await go(page, `#/${address}`);
      await shown(page);
      await answered(page);
      await unharmed(page, address);
      await screenshot(page, `hostile-part-${address.replace(/[^a-z].*/, "")}-${device}`);
    }
    // What was typed stands above the guide, and no wider than that.
    const wider = await page.evaluate(() => {
      const { shadowRoot } = document.querySelector("tn-guide");
      const of = shadowRoot.querySelector(".of");
      return of.scrollWidth - of.clientWidth;
    });
    assert.equal(wider, 0, "the guide's command");
    // A phone draws the same texts: those that could make it wider are enough there.
    for (const kind of options === PHONE ? ["markup", "long"] : kinds) {
      const name = encodeURIComponent(NAMES[kind]);
      const places = {
        [`services/${name}`]: "tn-endpoints li, tn-endpoints p",
        [`configmaps/${name}?show=edit`]: "tn-object-edit .cm-line",
        [`pods/pod-${kind}?show=scheduling`]: "tn-object-scheduling table",
      };
      for (const [place, selector] of Object.entries(places)) {
        await go(page, `#/api/v1/namespaces/default/${place}`);
        await page.locator(selector).first().waitFor({ state: "attached" });
        await unharmed(page, `${kind}, ${place.replace(/%.*|n{9}.*/, "")}`);
      }
      const key = encodeURIComponent(`/registry/configmaps/default/${NAMES[kind]}`);
      await go(page, `#/etcd?key=${key}`);
      await page.locator("tn-etcd .detail h2").first().waitFor();
      await unharmed(page, `${kind}, etcd`);
    }
    // Every view there is, over such a cluster; a new one is here by itself.
    const all = views();
    assert.ok(all.length > 15 && all.includes("map") && all.includes("trace"), all.join());
    for (const view of all) {
      await go(page, `#/${view}`);
      await page.locator("tn-stage > :not([hidden])").first().waitFor({ state: "attached" });
      await answered(page);
      await unharmed(page, view);
    }
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("Control+k");
    for (const typed of ["pod-", "node-", NAMES.markup, COMMAND]) {
      await page.locator("tn-palette input").fill(typed);
      await page.locator("tn-palette [role=option], tn-palette [role=status]").first().waitFor();
      await answered(page);
      await unharmed(page, `palette, ${typed}`);
    }
    await screenshot(page, `hostile-part-palette-${device}`);
    assert.deepEqual(errors, []);
    // No view, and nothing that stands in one, wants more than the page's Content-Security-Policy lets it.
    assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
  });
}

test("what Tab offers, and what is said below a table, is text in the terminal", async (t) => {
  const page = await site.visit(t);
  const says = (text) =>
    page.waitForFunction((s) => document.querySelector("tn-terminal").text().includes(s), text);
  const words = Object.values(VALUES).map((text) => ({
    text: `p${text.slice(0, 2000)}`,
    help: text,
  }));
  const answer = async (complete) => {
    await page.evaluate(() =>
      globalThis.tabernetes.fetch("/api/v1/configmaps/answers", { method: "DELETE" }),
    );
    await put(page, "configmaps", {
      ...configMap("answers", {}),
      data: { complete: JSON.stringify({ from: 8, ...complete }) },
    });
  };
  await page.keyboard.type("echo before\r");
  await says("before");
  await answer({ words: words.map(({ text }) => ({ text })) });
  await page.keyboard.type("kubectl p");
  // The first press rings, the second lists, once the first was answered.
  await until(
    page,
    (text) => text.includes("gpj.exe"),
    async () => {
      await page.keyboard.press("Tab");
      return terminalText(page);
    },
  );
  await says("before");
  // With its help, a line each.
  await answer({ words });
  await page.keyboard.press("Tab");
  await says("before");
  await unharmed(page, "a list of words");
  await screenshot(page, "hostile-part-words-desktop");
  await answer({ words: [{ text: `p${VALUES.terminal}` }] });
  await page.keyboard.press("Tab");
  await says("before");
  await page.keyboard.press("Control+c");
  await page.keyboard.type("echo after\r");
  await says("after");
  await unharmed(page, "a word");
  // Why something fails, in its own words.
  const { terminal, backwards, lines, markup, wide } = VALUES;
  const one = pod("failing", [terminal, backwards, lines, markup, COMMAND, wide].join(" "));
  const [container] = one.status.containerStatuses;
  container.name = "main";
  container.state.waiting.reason = "CrashLoopBackOff";
  Object.assign(one.status, { phase: "CrashLoopBackOff", conditions: [] });
  await put(page, "pods", one);
  await page.keyboard.type("kubectl get pods\r");
  await says("pods/failing: Container main ended");
  await says("before");
  await unharmed(page, "a hint");
  await screenshot(page, "hostile-part-hint-desktop");
  // What a terminal obeys, and what turns a line around.
  assert.doesNotMatch((await terminalText(page)).replaceAll("\n", ""), /[\p{Cc}\u202e\u2066]/u);
});
