import { describe, expect, it } from "vitest";
import type { KubeObject, Node } from "../kube/types.ts";
import { entriesOf, isOpenable, servicesOf, sitesOf } from "./sites.ts";

const metadata = { name: "web", namespace: "default", uid: "1", resourceVersion: "1" };
const of = (spec: unknown, status: unknown = {}) => ({ metadata, spec, status }) as KubeObject;
const node = (ready: string, address: string) =>
  ({
    metadata,
    spec: {},
    status: {
      conditions: [{ type: "Ready", status: ready }],
      addresses: [{ type: "InternalIP", address }],
    },
  }) as Node;
const origins = (...entries: Parameters<typeof sitesOf>[0]) => [...sitesOf(entries).keys()];

describe("the entries of an object", () => {
  const ports = [
    { port: 80, nodePort: 30080 },
    { port: 443, name: "https", nodePort: 30443 },
    { port: 53, protocol: "UDP" },
  ];

  it("are a Service's TCP ports by the address that its type gives", () => {
    const balanced = of(
      { clusterIP: "10.96.0.7", ports },
      { loadBalancer: { ingress: [{ ip: "10.97.0.1" }] } },
    );
    expect(
      entriesOf("services", balanced).map(({ name, site }) => [name, site.origin, site.address]),
    ).toEqual([
      ["80", "http://10.97.0.1", "10.97.0.1:80"],
      ["443", "https://10.97.0.1", "10.97.0.1:443"],
    ]);
    const nodes = [node("Unknown", "172.30.0.11"), node("True", "172.30.0.12")];
    expect(
      entriesOf("services", of({ clusterIP: "10.96.0.7", ports }), nodes)[0]?.site.origin,
    ).toBe("http://172.30.0.12:30080");
    const inside = of({ clusterIP: "10.96.0.7", ports: [{ port: 8080 }] });
    expect(entriesOf("services", inside, nodes)[0]?.site.address).toBe("10.96.0.7:8080");
    for (const none of [{ clusterIP: "None", ports }, { type: "ExternalName", ports }, {}]) {
      expect(entriesOf("services", of(none))).toEqual([]);
    }
  });

  it("are an Ingress' hosts and paths, by http and https", () => {
    const ingress = of(
      {
        tls: [{ hosts: ["safe.example"] }],
        rules: [
          {
            host: "web.example",
            http: { paths: [{ path: "/shop", backend: { service: { name: "shop" } } }] },
          },
          { host: "safe.example", http: { paths: [{ backend: { service: { name: "safe" } } }] } },
          {
            host: "*.wild.example",
            http: { paths: [{ path: "/", backend: { service: { name: "shop" } } }] },
          },
          { host: "not a host", http: { paths: [{ path: "/" }] } },
        ],
      },
      { loadBalancer: { ingress: [{ ip: "10.97.0.254" }] } },
    );
    const entries = entriesOf("ingresses", ingress);
    expect(
      entries.map(({ name, site: { origin, address }, path }) => [name, origin, address, path]),
    ).toEqual([
      ["web.example/shop", "http://web.example", "10.97.0.254:80", "/shop"],
      ["safe.example/", "https://safe.example", "10.97.0.254:443", "/"],
      ["www.wild.example/", "http://www.wild.example", "10.97.0.254:80", "/"],
    ]);
    expect(servicesOf("ingresses", ingress)).toEqual(["shop", "safe"]);
    const [first] = entries;
    expect(first && origins(first)).toEqual(["http://web.example", "https://web.example"]);
    expect(entriesOf("ingresses", of({ rules: [{ host: "a", http: { paths: [{}] } }] }))).toEqual(
      [],
    );
  });

  it("are a pod's ports, once it has an address", () => {
    const spec = {
      containers: [
        { ports: [{ containerPort: 8080 }, { containerPort: 53, protocol: "UDP" }] },
        {},
      ],
    };
    expect(entriesOf("pods", of(spec))).toEqual([]);
    const [entry] = entriesOf("pods", of(spec, { podIP: "10.244.1.7" }));
    expect(entry?.site).toEqual({
      origin: "http://10.244.1.7:8080",
      address: "10.244.1.7:8080",
      tls: false,
    });
    expect(entry && origins(entry)).toEqual(["http://10.244.1.7:8080"]);
  });

  it("are of these resources only", () => {
    expect(isOpenable("services", "")).toBe(true);
    expect(isOpenable("services", "serving.knative.dev")).toBe(false);
    expect(isOpenable("ingresses", "networking.k8s.io")).toBe(true);
    expect(isOpenable("ingresses", "")).toBe(false);
  });
});
