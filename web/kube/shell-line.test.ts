import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { kubectlArgument, kubectlArguments } from "./kubectl.ts";
import { actionsFor } from "./nodes.ts";
import { commandsFor } from "./selection.ts";
import { quote, sh } from "./shell-line.ts";
import type { Node, Row } from "./types.ts";

/** What the API lets somebody call an object, and what a shell or a terminal would make of it. */
const HOSTILE = [
  "x;echo owned",
  "$(echo owned)",
  "`echo owned`",
  "a b  c",
  "it's",
  '"',
  "\\",
  "a\necho owned",
  "\r\n",
  "&",
  "|cat",
  ">out",
  "#x",
  "~",
  "*",
  "{a,b}",
  "-rf",
  "!!",
  "=ls",
  "",
  "\u001b[201~\u0015echo owned\n",
  "\u001b]52;c;eA==\u0007",
  "\u0007'\u0007;echo owned;'",
  "\u202egpj.exe",
  "\u2066a\u2069",
  "\u200b",
  "مرحبا;echo owned",
  "𝒳é",
  "x".repeat(65_536),
];

test.each(HOSTILE)("bash sees %j as one word, and itself", (word) => {
  const line = sh`printf %s ${word}`;
  // Bytes, so that nothing is normalized on the way; UTF-8 is what $'…' has.
  expect(execFileSync("bash", { input: line }).toString()).toBe(word);
});

test.each(HOSTILE)("a shell that does not know $'…' runs nothing of %j", (word) => {
  expect(execFileSync("dash", { input: sh`printf '<%s>' ${word}` }).toString()).toMatch(/^<[^]*>$/);
  expect(execFileSync("dash", { input: sh`true ${word}` }).toString()).toBe("");
});

test.each(HOSTILE)("nothing unseen of %j is left in a line", (word) => {
  expect(quote(word)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("what is plain stays as people type it", () => {
  for (const word of ["web-1", "deployment.apps/web", "app=web", "v1.36.3", "a_b:8080", "50%"]) {
    expect(quote(word)).toBe(word === "50%" ? "'50%'" : word);
  }
  expect(sh`kubectl get ${["pods", "-l", "a in (b)"]} --tail=${3}`).toBe(
    "kubectl get pods -l 'a in (b)' --tail=3",
  );
});

const NAME = "x;kubectl create ns pwned";

test("every line about an object quotes its name", () => {
  const place = { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterroles" };
  const args = kubectlArguments({ ...place, name: NAME }, []);
  expect(args).toEqual([`clusterroles.rbac.authorization.k8s.io/${NAME}`]);
  expect(kubectlArgument({ ...place, name: NAME }, [])).toBe(
    `'clusterroles.rbac.authorization.k8s.io/${NAME}'`,
  );
  const selected = { kind: "pod", name: NAME, namespace: "a b", uid: "" };
  const lines = [
    ...commandsFor(selected),
    ...commandsFor(selected, args),
    ...commandsFor({ ...selected, kind: "node" }),
  ].map(({ line }) => line);
  const node = { object: { metadata: { name: NAME }, spec: {} } } as Row<Node>;
  lines.push(...actionsFor(node, undefined).map(({ line }) => line ?? ""));
  for (const line of lines) {
    // One command, and none after it.
    const words = execFileSync("bash", { input: `kubectl() { echo "$#"; }; ${line}` }).toString();
    expect(words, line).toMatch(/^\d+\n$/);
  }
});
