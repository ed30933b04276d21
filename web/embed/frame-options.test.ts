import { expect, test } from "vitest";
import { frameOptions } from "./frame-options.ts";

const SITE = new URL("https://site.example/k8s/");

test("nothing is a terminal over three nodes", () => {
  expect(frameOptions("", SITE)).toEqual({ cluster: {}, terminal: {}, manifests: [], configs: {} });
});

test("options, lines in their order, and manifests", () => {
  const hash =
    "#nodes=2&theme=dark&run=kubectl+get+nodes&run=echo+%22a+%26+b%22&manifest=kind%3A+Pod&scheduler-config=kind%3A+K&awake=";
  expect(frameOptions(hash, SITE)).toEqual({
    cluster: { nodes: "2", awake: "" },
    terminal: { theme: "dark", run: 'kubectl get nodes\necho "a & b"' },
    manifests: ["kind: Pod"],
    configs: { scheduler: "kind: K" },
  });
});

test.each([
  ["#hub=wss://evil.example", '"hub", which it does not know'],
  ["#manifest=kind:+Pod&start=visible", "before anybody has seen it"],
  ["#admission-config=a&start=visible", '"admission-config" and "start"'],
  ["#audit-config=a", '"audit-config", which it does not know'],
  ["#onload=alert(1)", '"onload", which it does not know'],
  ["#assets=https://evil.example", '"assets", which it does not know'],
  [`#run=${"x".repeat(70_000)}`, "65536 are taken"],
  ["#progress=abc", 'without the "lesson"'],
  ["#lesson=lessons/walk&run=ls", "A lesson says by itself"],
  ["#lesson=", "no whole address"],
  ["#lesson=../other/", "no whole address"],
  ["#lesson=//evil.example/", "no whole address"],
  ["#lesson=http://evil.example/", "has to begin with https"],
  ["#lesson=javascript:alert(1)", "has to begin with https"],
  ["#lesson=blob:https://site.example/k8s/a", "has to begin with https"],
  ["#lesson=https://me:secret@evil.example/", "a name or a password"],
  ["#lesson=https://kubernetes.default.svc/", "inside of a cluster"],
  ["#lesson=https://127.0.0.1/", "no name of the Internet"],
  ["#run=ls%08%08rm", "cannot be seen"],
  ["#run=ls+%E2%80%AE", "cannot be seen"],
  ["#run=kubectl%E2%80%8B", "cannot be seen"],
])("%s is refused", (hash, why) => {
  expect(() => frameOptions(hash, SITE)).toThrow(why);
});

test.each([
  ["lessons/walk", "https://site.example/k8s/lessons/walk/"],
  ["./lessons/walk/lesson.md", "https://site.example/k8s/lessons/walk/"],
  ["https://raw.example.com/o/r/index.json?x=1#y", "https://raw.example.com/o/r/index.json"],
  ["https://raw.example.com/o/r/first?x=1#y", "https://raw.example.com/o/r/first/"],
])("a lesson's folder: %s", (text, folder) => {
  const { lesson } = frameOptions(`#lesson=${encodeURIComponent(text)}&progress=q1Y`, SITE);
  expect([lesson?.folder.href, lesson?.progress]).toEqual([folder, "q1Y"]);
});
