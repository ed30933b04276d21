import { expect, test } from "vitest";
import { endpointsOf } from "./endpoints.ts";

const metadata = { name: "web-x", namespace: "shop", uid: "s", resourceVersion: "1" };

test("endpoints are addresses with their ports, and who serves there", () => {
  const slice = {
    metadata,
    ports: [{ port: 80 }, { port: 443 }],
    endpoints: [
      { addresses: ["10.244.0.12"], conditions: { ready: false, terminating: true } },
      {
        addresses: ["10.244.0.5"],
        nodeName: "node-1",
        targetRef: { kind: "Pod", name: "web-1", uid: "u" },
      },
    ],
  };
  expect(endpointsOf([slice])).toEqual([
    {
      address: "10.244.0.5:80,443",
      ready: true,
      terminating: false,
      nodeName: "node-1",
      target: { kind: "Pod", name: "web-1", namespace: "shop", uid: "u" },
    },
    {
      address: "10.244.0.12:80,443",
      ready: false,
      terminating: true,
      nodeName: "",
      target: undefined,
    },
  ]);
});

test("an empty slice has none: the API writes null", () => {
  expect(endpointsOf([{ metadata, endpoints: null, ports: null }])).toEqual([]);
});
