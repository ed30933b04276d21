import { expect, test } from "vitest";
import { Store } from "../state/store.ts";
import type { KubeObject, Node, Pod } from "../kube/types.ts";
import { Inside, placeOfAddress, type Addressed } from "./inside.ts";

const metadata = (name: string, namespace = "default") => ({ name, namespace, uid: name });
const service = (name: string, spec: object, ip?: string) =>
  ({
    metadata: metadata(name),
    spec,
    status: ip ? { loadBalancer: { ingress: [{ ip }] } } : {},
  }) as unknown as KubeObject;

const on: Addressed = {
  services: [
    service("web", { clusterIP: "10.96.0.7", ports: [{ port: 80, nodePort: 30080 }] }, "10.97.0.1"),
    service("dex", { clusterIP: "10.96.0.8", ports: [{ name: "https", port: 443 }] }, "10.97.0.2"),
    service("udp", { clusterIP: "10.96.0.9", ports: [{ port: 53, protocol: "UDP" }] }),
    service("headless", { clusterIP: "None", ports: [{ port: 80 }] }),
  ],
  ingresses: [
    {
      metadata: metadata("shop", "demo"),
      spec: {
        rules: [{ host: "shop.example", http: { paths: [{ path: "/" }, { path: "/cart" }] } }],
      },
      status: { loadBalancer: { ingress: [{ ip: "10.97.0.254" }] } },
    } as unknown as KubeObject,
  ],
  pods: [
    {
      metadata: metadata("one"),
      spec: { containers: [{ ports: [{ containerPort: 8080 }] }] },
      status: { podIP: "10.244.1.5" },
    } as unknown as Pod,
  ],
  nodes: [
    {
      metadata: metadata("node-1"),
      status: {
        addresses: [{ type: "InternalIP", address: "172.30.0.11" }],
        conditions: [{ type: "Ready", status: "True" }],
      },
    } as unknown as Node,
  ],
};
const find = (url: string) => {
  const place = placeOfAddress(new URL(url), on);
  return place && [place.resource, place.namespace, place.name, place.entry, place.at].join(" ");
};

test("an address of the cluster opens what it is of, at its path", () => {
  const web = "services default web 80 /";
  for (const url of [
    "http://10.97.0.1",
    "http://10.97.0.1:80/",
    "http://10.96.0.7/",
    "http://172.30.0.11:30080",
    "http://node-1:30080/",
    "http://web.default/",
    "http://web.default.svc.cluster.local/",
  ]) {
    expect(find(url), url).toBe(web);
  }
  expect(find("https://10.97.0.2/dex/device?user_code=AB-CD")).toBe(
    "services default dex 443 /dex/device?user_code=AB-CD",
  );
  expect(find("http://shop.example/cart/1")).toBe("ingresses demo shop shop.example/cart /cart/1");
  expect(find("https://shop.example/")).toBe("ingresses demo shop shop.example/ /");
  expect(find("http://10.244.1.5:8080/x")).toBe("pods default one 8080 /x");
});

test("an address that nobody here has opens nothing", () => {
  for (const url of [
    "http://10.97.0.1:8080/",
    "http://10.97.0.9/",
    "http://172.30.0.11:30081/",
    "http://udp.default:53/",
    "http://headless.default/",
    "http://shop.example:8080/",
    "http://another.example/",
    "http://10.244.1.5/",
    "https://127.0.0.1:6443/",
  ]) {
    expect(find(url), url).toBeUndefined();
  }
});

test("many addresses of a screen ask the cluster once; who may not look has none", async () => {
  let asked = 0;
  const fetch = () => {
    asked++;
    return Promise.resolve(new Response("no", { status: 403 }));
  };
  const none = new Store((old: { rows: ReadonlyMap<string, never> }) => old, {
    rows: new Map<string, never>(),
  });
  const inside = new Inside({ fetch, pods: none, nodes: none });
  const found = await Promise.all(
    ["http://10.97.0.1", "http://10.97.0.2"].map((url) => inside.find(new URL(url))),
  );
  expect(found).toEqual([undefined, undefined]);
  expect(asked).toBe(2); // Services and Ingresses
});
