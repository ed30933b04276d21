/*
 * What the inspector says of pods and Services, and what a phone offers, in numbers: over the page in
 * mode "fake", whose API takes any object that a test puts there.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DESKTOP, PHONE, ready, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

const SIZES = { desktop: DESKTOP, phone: PHONE };

/** Puts an object into the fake. */
const put = (page, path, object) =>
  page.evaluate(
    async ([path, body]) => {
      const response = await globalThis.tabernetes.fetch(path, { method: "PATCH", body });
      if (!response.ok) throw new Error(await response.text());
    },
    [path, JSON.stringify(object)],
  );

const go = (page, hash) => page.evaluate((hash) => (location.hash = hash), hash);

const PODS = "/api/v1/namespaces/default/pods";
const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();
const pod = (name, spec, status) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name, creationTimestamp: ago(60) },
  spec,
  status,
});

describe("the summary of a pod", () => {
  for (const [name, options] of Object.entries(SIZES)) {
    test(`that crashes: which container, how it ended, when it starts again: ${name}`, async (t) => {
      const page = await site.visit(t, "", options);
      const crash = pod(
        "crash",
        { containers: [{ name: "c", image: "busybox:1.37" }] },
        {
          phase: "Running",
          containerStatuses: [
            {
              name: "c",
              restartCount: 3,
              state: {
                waiting: {
                  reason: "CrashLoopBackOff",
                  message: "back-off 5m0s restarting failed container=c pod=crash_default(crash)",
                },
              },
              lastState: { terminated: { exitCode: 7, reason: "Error", finishedAt: ago(12) } },
            },
          ],
        },
      );
      await put(page, `${PODS}/crash`, crash);
      await go(page, `#${PODS}/crash`);
      const containers = page.locator("tn-inspector .containers");
      await containers.waitFor();
      const words = await containers.innerText();
      for (const wanted of [
        /busybox:1\.37/,
        /CrashLoopBackOff, starts again in 4m\d+s/,
        /Restarted 3 times\. Before: Ended with code 7 \(Error\) 1\ds ago/,
      ]) {
        assert.match(words, wanted);
      }
      const why = page.locator("tn-explanation");
      // Its last words are asked for once the rest stands there.
      await why.locator(".sentence", { hasText: "last words" }).waitFor();
      assert.match(
        await why.locator(".sentence").innerText(),
        /^Container c ended with code 7, the fourth time; next start in 4m\d+s; last words: “.+”\.$/,
      );
      // Above what the table and the labels say, within the first screen.
      const at = await containers.boundingBox();
      const facts = await page.locator("tn-inspector .panel dl").first().boundingBox();
      assert.ok(at.y < facts.y && at.y + at.height < options.viewport.height, JSON.stringify(at));
      assert.ok(at.x + at.width <= options.viewport.width);
      await screenshot(page, `views-facts-crash-${name}`);
      // It stands above every tab, and its command goes to the prompt.
      await page.locator("tn-inspector").getByRole("tab", { name: "Events" }).click();
      await why.getByRole("button", { name: /^Type, Look further/ }).click();
      await page
        .locator("tn-terminal .xterm-rows")
        .getByText("kubectl logs crash -c c --previous")
        .waitFor();
    });
  }

  test("that no node takes says why before anything else, and nothing of <none>", async (t) => {
    const page = await site.visit(t, "", DESKTOP);
    const message = "0/3 nodes are available: 3 Insufficient cpu.";
    const pending = pod(
      "huge",
      { containers: [{ name: "c", image: "nginx" }] },
      { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", message }] },
    );
    await put(page, `${PODS}/huge`, pending);
    await go(page, `#${PODS}/huge`);
    const why = page.locator("tn-explanation .sentence");
    await why.waitFor();
    assert.equal(await why.innerText(), "None of 3 nodes takes it: 3 have not enough CPU left.");
    // The scheduler's own words stay, with the condition.
    await page.locator("tn-inspector .conditions").getByText(message).waitFor();
    assert.ok(!(await page.locator("tn-inspector .panel").innerText()).includes("<none>"));
    await screenshot(page, "views-facts-pending-desktop");
  });
});

describe("a Service", () => {
  const meta = { name: "web", namespace: "default", uid: "svc-web", creationTimestamp: ago(60) };
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "web-x7k2p",
      namespace: "default",
      uid: "slice-web",
      labels: { "kubernetes.io/service-name": "web" },
      ownerReferences: [
        { apiVersion: "v1", kind: "Service", name: "web", uid: "svc-web", controller: true },
      ],
    },
    ports: [{ port: 80 }],
    endpoints: [
      {
        addresses: ["10.244.0.5"],
        nodeName: "node-1",
        targetRef: { kind: "Pod", name: "web-1", namespace: "default", uid: "web-1" },
      },
      {
        addresses: ["10.244.1.6"],
        conditions: { ready: false },
        nodeName: "node-2",
        targetRef: { kind: "Pod", name: "web-2", namespace: "default", uid: "web-2" },
      },
    ],
  };
  const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

  for (const [name, options] of Object.entries(SIZES)) {
    test(`shows its endpoints, and in its tree the pods behind it: ${name}`, async (t) => {
      const page = await site.visit(t, "", options);
      for (const n of [1, 2]) {
        const spec = { containers: [{ name: "c", image: "nginx" }] };
        await put(page, `${PODS}/web-${n}`, pod(`web-${n}`, spec, { phase: "Running" }));
      }
      const service = { apiVersion: "v1", kind: "Service", metadata: meta, spec: {} };
      await put(page, "/api/v1/namespaces/default/services/web", service);
      await go(page, "#/api/v1/namespaces/default/services/web");
      const endpoints = page.locator("tn-endpoints");
      await endpoints.getByText("None: no pod matches its selector").waitFor();
      await put(page, `${SLICES}/web-x7k2p`, slice);
      await endpoints.getByText("10.244.0.5:80").waitFor();
      assert.match(
        (await endpoints.locator("ul").innerText()).replaceAll(/\s+/g, " "),
        /10\.244\.0\.5:80 pod\/web-1 node-1 ready 10\.244\.1\.6:80 pod\/web-2 node-2 not ready/,
      );
      await screenshot(page, `views-facts-service-${name}`);
      await page.locator("tn-inspector").getByRole("tab", { name: "Tree" }).click();
      const tree = page.locator("tn-object-tree");
      await tree.getByRole("link", { name: "Pod/web-2" }).waitFor();
      const left = (link) => tree.getByRole("link", { name: link }).boundingBox();
      const [slices, pods] = [await left(/EndpointSlice/), await left("Pod/web-1")];
      assert.ok(pods.x > slices.x && pods.y > slices.y, "the pods stand below their slice");
      await screenshot(page, `views-facts-tree-${name}`);
      await tree.getByRole("link", { name: "Pod/web-1" }).click();
      await page.locator("tn-inspector h2", { hasText: "pod/web-1" }).waitFor();
    });
  }
});

describe("a phone", () => {
  test("has one way to each view, and buttons that a finger hits", async (t) => {
    const page = await site.visit(t, "", PHONE);
    const sizes = await page
      .locator("tn-terminal .tools button.quiet:visible:not(.close)")
      .evaluateAll((all) =>
        all.map((button) => {
          const { width, height } = button.getBoundingClientRect();
          return [button.textContent.trim(), Math.round(width), Math.round(height)];
        }),
      );
    assert.ok(sizes.length >= 6, JSON.stringify(sizes));
    for (const [label, width, height] of sizes) {
      assert.ok(width >= 36 && height >= 40, `${label} is ${width} by ${height}`);
    }
    await screenshot(page, "views-facts-terminal-phone");
    const bar = page.locator("tn-panes");
    for (const name of ["Map", "Objects", "Events"]) {
      await bar.getByRole("button", { name }).click();
      await page.locator(`tn-stage a[href='#/${name.toLowerCase()}']`).waitFor({ state: "hidden" });
    }
    await page.locator("tn-events-page").waitFor();
    await screenshot(page, "views-facts-events-phone");
    await page.locator("tn-stage").getByRole("link", { name: "Nodes" }).click();
    await page.locator("tn-nodes tbody tr").nth(2).waitFor();
    const beyond = await page
      .locator("tn-nodes tbody tr:first-child .act button")
      .evaluateAll((all) => all.map((b) => b.getBoundingClientRect().right).filter((x) => x > 390));
    assert.deepEqual(beyond, [], "an action is beyond the right edge");
    await screenshot(page, "views-facts-nodes-phone");
  });

  test("pastes by a button, as one paste", async (t) => {
    const page = await site.open(t, site.url, {
      ...PHONE,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await ready(page);
    await page.locator(".boot").waitFor({ state: "detached" });
    await page.evaluate(() => navigator.clipboard.writeText("echo from the clipboard"));
    await page.getByRole("button", { name: "Paste" }).click();
    await page.waitForFunction(() =>
      document.querySelector("tn-terminal").text().includes("$ echo from the clipboard"),
    );
  });
});
