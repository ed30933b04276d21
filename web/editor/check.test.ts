import { expect, test } from "vitest";
import type { Catalog } from "../kube/catalog.ts";
import type { Resource } from "../kube/discovery.ts";
import { Checker, refuses } from "./check.ts";

const POLICIES: Resource = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  name: "validatingadmissionpolicies",
  singular: "validatingadmissionpolicy",
  kind: "ValidatingAdmissionPolicy",
  namespaced: false,
  verbs: ["create", "patch", "list"],
  shortNames: [],
  categories: [],
  subresources: ["status"],
};

const catalog = {
  use: () => Promise.resolve([POLICIES]),
  refresh: () => Promise.resolve([POLICIES]),
} as unknown as Catalog;

const TEXT = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: p
spec:
  validations:
  - expression: object.nope
`;

const stored = (generation: number, observed: number) =>
  `kind: ValidatingAdmissionPolicy
metadata: {name: p, generation: ${generation}}
status: {observedGeneration: ${observed}, typeChecking: {expressionWarnings: [{fieldRef: "spec.validations[0].expression", warning: "undefined field 'nope'"}]}}
`;

/** A server whose controller has looked at the policy when it is read for the second time. */
function server(generation: number, observed: number) {
  const asked: string[] = [];
  const fetch = (_path: string, init?: RequestInit) => {
    const method = init?.method ?? "GET";
    asked.push(method);
    const reads = asked.filter((one) => one === "GET").length;
    const body = stored(generation, reads > 1 ? generation : observed);
    return Promise.resolve(new Response(body, { headers: { warning: '299 - "it is old"' } }));
  };
  return { asked, checker: new Checker(fetch, catalog) };
}

const said = (outcomes: Awaited<ReturnType<Checker["run"]>>) =>
  outcomes.flatMap(({ findings }) =>
    findings.map(({ message, severity, from, to }) => [
      severity,
      message,
      TEXT.slice(from, to).split(":")[0],
    ]),
  );

const way = { how: "apply", force: false } as const;
const old = ["warning", "it is old", "apiVersion"];
const types = ["warning", "spec.validations[0].expression: undefined field 'nope'", "expression"];

test("what was applied is followed until it was type-checked, and each word has its place", async () => {
  const { asked, checker } = server(2, 1);
  const outcomes = await checker.run(TEXT, way, { dryRun: false });
  expect(said(outcomes)).toEqual([old, types]);
  expect(asked).toEqual(["PATCH", "GET", "GET"]);
  expect(outcomes.some(refuses)).toBe(false);
});

test("on trial nobody is asked again, and a status of another text says nothing of this one", async () => {
  const changed = server(2, 1);
  expect(said(await changed.checker.run(TEXT, way, { dryRun: true }))).toEqual([old]);
  expect(changed.asked).toEqual(["PATCH"]);
  const same = server(1, 1);
  expect(said(await same.checker.run(TEXT, way, { dryRun: true }))).toEqual([old, types]);
});
