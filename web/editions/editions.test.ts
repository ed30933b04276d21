import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileEditions } from "./compile.ts";
import { loadEditions } from "./editions.ts";

test("the page has every line of the document, as data", async () => {
  const lines = compileEditions(readFileSync("docs/editions.md", "utf8"));
  expect(lines.length).toBeGreaterThanOrEqual(46);
  expect(await loadEditions()).toEqual(lines);
  expect(lines[0]).toEqual({
    says: [
      { type: "code", text: "kubectl run" },
      " makes a Deployment, with ",
      { type: "code", text: "--replicas" },
    ],
    editions: ["a", "c", "d"],
    today: [
      "One Pod, since 1.18; ",
      { type: "code", text: "kubectl create deployment" },
      " makes the other; with ",
      { type: "code", text: "--replicas" },
      " it still does in our terminal, and says so",
    ],
    source: {
      name: "createDeployment",
      version: "v1.36.3",
      path: "staging/src/k8s.io/kubectl/pkg/cmd/create/create_deployment.go",
      line: 211,
    },
    here: "guide/kubectl",
  });
});

test("a line that is not as the others are is named", () => {
  const head = "| a | b | c | d | e |\n|---|---|---|---|---|\n";
  expect(() => compileEditions("no table")).toThrow("there is no table");
  expect(() => compileEditions(`${head}| x | a | y | z | \`#/etcd\` |\n`)).toThrow(
    '"x": its source',
  );
  expect(() =>
    compileEditions(
      `${head}| x | a | y | [\`f\`](https://github.com/kubernetes/kubernetes/blob/v1/a.go#L1) | etcd |\n`,
    ),
  ).toThrow('"x": its place');
});
