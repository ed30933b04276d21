import { expect, test } from "vitest";
import { event, why } from "./explained.testing.ts";

const parts = (spec: object, metadata: object = {}, status: object = {}) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  spec,
  metadata,
  status,
});
const nobody = event("NoIngressClass", "There is no IngressClass", {
  involvedObject: { kind: "Ingress", name: "web-1", namespace: "default" },
});

test.each([
  [
    parts({ ingressClassName: "nginx" }),
    [nobody],
    "There is no IngressClass “nginx”, so nobody serves it.",
    "kubectl get ingressclass",
  ],
  [
    parts({}, { annotations: { "kubernetes.io/ingress.class": "ng\u001binx" } }),
    [nobody],
    "There is no IngressClass “ng inx”, so nobody serves it.",
    "kubectl get ingressclass",
  ],
  [parts({}), [nobody], "It has no class, so nobody serves it.", "kubectl get ingressclass"],
  [
    parts({ ingressClassName: "traefik" }, { name: "a b" }),
    [],
    "The controller of its class “traefik” has not given it an address yet.",
    "kubectl describe ingress 'a b'",
  ],
])("an Ingress without an address (%#)", (ingress, events, sentence, line) => {
  expect(why(ingress, { events })).toMatchObject({ sentence, line });
});

test("an Ingress with an address, whatever was said of it before", () => {
  const status = { loadBalancer: { ingress: [{ ip: "10.97.0.254" }] } };
  const served = parts({ ingressClassName: "tabernetes" }, {}, status);
  expect(why(served, { events: [nobody] })).toBeUndefined();
});

test("an Ingress of other fields than it should have", () => {
  for (const broken of [
    parts({ ingressClassName: 7 }),
    parts({}, { annotations: null }),
    { ...parts({}), status: { loadBalancer: { ingress: "x" } } },
  ]) {
    expect(why(broken)?.sentence ?? "").not.toContain("undefined");
  }
});
