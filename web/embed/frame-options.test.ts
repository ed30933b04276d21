import { expect, test } from "vitest";
import { frameOptions } from "./frame-options.ts";

test("nothing is a terminal over three nodes", () => {
  expect(frameOptions("")).toEqual({ cluster: {}, terminal: {}, manifests: [] });
});

test("options, lines in their order, and manifests", () => {
  const hash =
    "#nodes=2&theme=dark&run=kubectl+get+nodes&run=echo+%22a+%26+b%22&manifest=kind%3A+Pod";
  expect(frameOptions(hash)).toEqual({
    cluster: { nodes: "2" },
    terminal: { theme: "dark", run: 'kubectl get nodes\necho "a & b"' },
    manifests: ["kind: Pod"],
  });
});

test.each([
  ["#hub=wss://evil.example", '"hub", which it does not know'],
  ["#manifest=kind:+Pod&start=visible", "before anybody has seen them"],
  ["#onload=alert(1)", '"onload", which it does not know'],
  ["#assets=https://evil.example", '"assets", which it does not know'],
  [`#run=${"x".repeat(70_000)}`, "65536 are taken"],
  ["#run=ls%08%08rm", "cannot be seen"],
  ["#run=ls+%E2%80%AE", "cannot be seen"],
  ["#run=kubectl%E2%80%8B", "cannot be seen"],
])("%s is refused", (hash, why) => {
  expect(() => frameOptions(hash)).toThrow(why);
});
