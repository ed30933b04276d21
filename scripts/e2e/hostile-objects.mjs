/* Objects with hostile names and values (hostile.mjs) in the fake cluster, and what they must not have done. */
import assert from "node:assert/strict";

/** Where kinds are that are not of the core group. */
const PATHS = {
  deployments: "/apis/apps/v1",
  endpointslices: "/apis/discovery.k8s.io/v1",
  ingresses: "/apis/networking.k8s.io/v1",
};

/** Puts an object into the fake cluster, as its owner would. */
export const put = (page, kind, object) =>
  page.evaluate(
    async ([path, body]) => {
      const { ok, status } = await globalThis.tabernetes.fetch(path, { method: "PUT", body });
      if (!ok) throw new Error(`PUT ${path}: ${status}`);
    },
    [
      `${PATHS[kind] ?? "/api/v1"}/${kind}/${encodeURIComponent(object.metadata.name)}`,
      JSON.stringify({ apiVersion: "v1", ...object }),
    ],
  );

export const exists = (page, namespace) =>
  page.evaluate(
    (name) =>
      globalThis.tabernetes
        .fetch("/api/v1/namespaces")
        .then(async (r) =>
          (await r.json()).rows.some(({ object }) => object.metadata.name === name),
        ),
    namespace,
  );

export const go = (page, hash) => page.evaluate((h) => (globalThis.location.hash = h), hash);

export function configMap(name, values) {
  const labels = Object.fromEntries(Object.entries(values).map(([k, v]) => [k, v]));
  const metadata = { name, namespace: "default", uid: `uid-${name}`, labels, annotations: labels };
  return { kind: "ConfigMap", metadata, data: labels };
}

export function pod(name, value) {
  return {
    kind: "Pod",
    metadata: { name, namespace: "default", uid: `uid-${name}`, annotations: { value } },
    spec: { nodeName: "node-1", containers: [{ name: value.slice(0, 300), image: value }] },
    status: {
      phase: value,
      conditions: [{ type: value, status: value, reason: value, message: value }],
      containerStatuses: [
        {
          name: value.slice(0, 300),
          ready: false,
          restartCount: 3,
          state: { waiting: { reason: value, message: value } },
          lastState: { terminated: { exitCode: 7, reason: value, message: value } },
        },
      ],
    },
  };
}

export function event(name, value) {
  const about = { apiVersion: "v1", kind: "Pod", namespace: "default", name };
  const metadata = { name: `e-${name}`, namespace: "default", uid: `e-${name}` };
  const lastTimestamp = new Date().toISOString();
  return {
    ...{ kind: "Event", metadata, lastTimestamp, involvedObject: about },
    ...{ type: "Warning", reason: value.slice(0, 1000), message: value },
  };
}

export function node(name, value) {
  const conditions = [{ type: "Ready", status: "False", reason: value, message: value }];
  return {
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, labels: { value } },
    spec: {},
    status: { conditions, capacity: { cpu: "4", memory: "8Gi", pods: "110" } },
  };
}

/** Nothing ran, nothing became an element or a link, nothing left the page's edge. */
export async function unharmed(page, where) {
  const found = await page.evaluate(() => {
    const found = [];
    const look = (root) => {
      for (const e of root.querySelectorAll("*")) {
        if (
          e.matches("img:not(.cm-widgetBuffer), iframe, object, embed") ||
          e.getAttribute("onerror") !== null
        )
          found.push(e.outerHTML.slice(0, 100));
        if (/^\s*javascript:/i.test(e.getAttribute("href") ?? "")) found.push("a javascript: link");
        if (e.shadowRoot) look(e.shadowRoot);
      }
    };
    look(document.body);
    if (globalThis.pwned !== undefined) found.push("a value was run");
    const wider = document.documentElement.scrollWidth - innerWidth;
    if (wider > 0) found.push(`${wider} px wider than the window`);
    return found;
  });
  assert.deepEqual(found, [], where);
  assert.equal(await exists(page, "pwned"), false, `${where}: a name was run as a command`);
}
