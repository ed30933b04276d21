import { expect, test } from "vitest";
import { check, text } from "./options.ts";

const BESIDE = new URL("https://kube.example/sdk/tabernetes.js");

test("nothing given is three nodes and the assets beside the script", () => {
  const { assets, config, manifests } = check({}, BESIDE);
  expect(assets.href).toBe("https://kube.example/assets/");
  expect(config).toEqual({ nodes: 3 });
  expect(manifests).toEqual([]);
});

test("files of the configuration are handed on as they are, and a lesson by its address", () => {
  const files = { schedulerConfig: "kind: KubeSchedulerConfiguration", admissionConfig: "a: b" };
  const configuration = {
    "kube-apiserver.flags": "--etcd-prefix=/lab",
    "audit.yaml": "kind: Policy",
  };
  const lesson = "https://kube.example/lessons/first/";
  const checked = check({ ...files, configuration, lesson }, BESIDE);
  expect(checked.config).toEqual({ nodes: 3, ...files, configuration });
  expect(checked.lesson?.href).toBe(lesson);
});

test("an address of assets is a folder, with or without its slash", () => {
  for (const assets of ["/a/b", "/a/b/", new URL("https://kube.example/a/b")]) {
    expect(check({ assets }, BESIDE).assets.href).toBe("https://kube.example/a/b/");
  }
});

test.each([
  [{ nodes: 51 }, "nodes is a whole number from 0 to 50"],
  [{ nodes: "3" }, "nodes is a whole number"],
  [{ nodes: 1.5 }, "nodes is a whole number"],
  [{ nodeCPU: Number.NaN }, "nodeCPU is a whole number from 1 to 64"],
  [{ nodeMemory: -1 }, "nodeMemory is a whole number"],
  [{ refuseImages: "no" }, "refuseImages is true or false"],
  [{ node: 3 }, 'knows no option "node"'],
  [{ keep: "mine" }, 'knows no option "keep"'],
  [{ __proto__x: 1 }, "knows no option"],
  [{ assets: "javascript:alert(1)" }, "by http or https"],
  [{ assets: "data:text/html,x" }, "by http or https"],
  [{ assets: "http://[" }, "the address of a folder"],
  [{ manifests: "kind: Pod" }, "manifests is a list"],
  [{ manifests: [{}] }, "a manifest is a text"],
  [{ schedulerConfig: 7 }, "schedulerConfig is a text"],
  [{ admissionConfig: {} }, "admissionConfig is a text"],
  [{ configuration: "--v=8" }, "configuration is an object"],
  [{ configuration: [""] }, "configuration is an object"],
  [{ configuration: { "audit.yaml": 7 } }, "configuration: audit.yaml is a text"],
  [{ auditConfig: "" }, 'knows no option "auditConfig"'],
  [{ lesson: "lessons/first/" }, "lesson is the whole address of a folder"],
  [{ lesson: "data:text/markdown,a" }, "by http or https"],
  [{ lesson: 7 }, "lesson is the whole address of a folder"],
])("%j is refused, by name", (options, why) => {
  expect(() => check(options as never, BESIDE)).toThrow(why);
  expect(() => check(options as never, BESIDE)).toThrow(TypeError);
});

test("a text without end is refused before it is sent", () => {
  expect(() => text("a manifest", "x".repeat((4 << 20) + 1))).toThrow("4194304 are allowed");
});
