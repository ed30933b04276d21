/* The browser view, as its tests have it: opened at a Service, over pages of pods. */
import { sh } from "./browser.mjs";

/** What the frame in front shows. */
export const shown = (page) => page.frameLocator("tn-browser iframe:not([data-next])");
export const status = (page) => page.locator("tn-browser .status");

/** Opens a Service's page. */
export async function go(page, name, { resource = "services", at = "" } = {}) {
  const to = `#/browser/${resource}/default/${name}${at ? `?at=${encodeURIComponent(at)}` : ""}`;
  await page.evaluate((hash) => (location.hash = hash), to);
}

/** A page of a pod's: nginx with files of a ConfigMap, and a configuration of its own if one is given. */
export async function serve(page, name, files, conf) {
  const data = Object.fromEntries(Object.entries(files));
  const mounted = {
    "/usr/share/nginx/html": name,
    ...(conf && { "/etc/nginx/conf.d": `${name}-conf` }),
  };
  const objects = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `${name}-conf` },
      data: { "default.conf": conf ?? "" },
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { app: name } },
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx",
            ports: [{ containerPort: 80 }],
            volumeMounts: Object.entries(mounted).map(([mountPath, name]) => ({ name, mountPath })),
          },
        ],
        volumes: Object.values(mounted).map((name) => ({ name, configMap: { name } })),
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ port: 80 }] },
    },
  ];
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  await sh(page, `kubectl apply -f - <<'EOF'\n${list}\nEOF`);
  await sh(page, `kubectl wait --for=condition=Ready pod/${name} --timeout=120s`);
}
