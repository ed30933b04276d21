import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused, step } from "../trace/steps.testing.ts";
import { answerAfter, besides, goesBack, lettersOf, otherWrites } from "./besides.ts";

const command = step(1, "kubectl.command");
const asked = step(2, "kubectl.request", { cause: 1 });
const request = step(3, "apiserver.request", { cause: 2, details: { code: 201 } });
const admission = step(4, "admission.mutating", { cause: 3 });
const put = step(5, "etcd.put", { cause: 3, details: { revision: 316 } });
const watched = step(6, "etcd.watched", { cause: 5 });
const audit = step(7, "apiserver.audit", { cause: 3 });
const story = [command, asked, request, admission, put, watched];

describe("the answer to a request", () => {
  test("goes back after the last of its steps that is told, and at no other", () => {
    const answers = (told: readonly TraceStep[]) =>
      told.map((one) => answerAfter(one, told, [...story, audit])?.to ?? "");
    expect(answers(story)).toEqual(["", "", "", "", "kubectl", ""]);
    expect(answers([...story, audit])).toEqual(["", "", "", "", "", "", "kubectl"]);
    const told = { steps: story, told: story };
    expect(besides(put, told, new Map())).toMatchObject({
      answer: { request, code: "201", to: "kubectl" },
      wrote: "",
    });
    expect(besides(undefined, told, new Map()).answer).toBeUndefined();
    // It takes time to read it.
    const said = goesBack({ code: "201", to: "kubectl" });
    expect(said).toBe("Then 201 goes back to kubectl.");
    expect(lettersOf(besides(put, told, new Map()))).toBe(said.length);
    expect(lettersOf(besides(admission, told, new Map()))).toBe(0);
  });

  test("is told of a refusal, too; of a request without a code nothing is known", () => {
    const refused = step(4, "authorization.forbidden", { cause: 3 });
    const forbidden = { ...request, details: { code: 403 } };
    const told = [command, asked, forbidden, refused];
    expect(
      besides(refused, { steps: told, told }, new Map(told.map((one) => [one.id, one]))),
    ).toEqual(
      expect.objectContaining({
        refused,
        answer: { request: forbidden, code: "403", to: "kubectl" },
      }),
    );
    const silent = { ...request, details: {} };
    expect(answerAfter(put, [silent, put], [asked, silent, put])).toBeUndefined();
    // Another step's put is no part of it.
    expect(answerAfter({ ...put, cause: 9 }, story, story)).toBeUndefined();
  });
});

describe("revisions between two told writes", () => {
  const wrote = (id: number, revision: number, resource?: string, kind = "etcd.put") =>
    step(id, kind, {
      ...(resource === undefined ? {} : { object: { resource } }),
      details: { revision, key: `/registry/${resource ?? "leases"}/kube-node-lease/node-1` },
    });
  const later = wrote(20, 322, "pods");

  test("are whose the trace says, by resource, and others' where it does not say", () => {
    const between = (...known: readonly TraceStep[]) =>
      otherWrites(later, [put, watched, later], [put, later, ...known]);
    expect(between()).toBe("Revisions 317 to 321 were others' writes.");
    expect(
      between(
        wrote(10, 317, "events"),
        wrote(11, 318, "deployments"),
        wrote(12, 319),
        wrote(13, 320, "events", "etcd.delete"),
        // Told twice, by the command and by the whole trace.
        wrote(13, 320, "events", "etcd.delete"),
        // What was written before or after, or not at all.
        wrote(14, 310, "secrets"),
        wrote(15, 323, "secrets"),
        step(16, "etcd.put", { object: { resource: "secrets" }, details: { succeeded: false } }),
        step(17, "etcd.watched", { object: { resource: "secrets" }, details: { revision: 318 } }),
      ),
    ).toBe("Revisions 317 to 321: 2 writes to events, 1 to deployments, 1 to leases, 1 by others.");
  });

  test("are none where they follow each other, before the first, and at a step that writes nothing", () => {
    const next = wrote(20, 317, "pods");
    expect(otherWrites(next, [put, next], [])).toBe("");
    expect(otherWrites(later, [command, later], [])).toBe("");
    expect(otherWrites(watched, [put, watched], [])).toBe("");
    // Two that began in another order than they were written.
    expect(otherWrites(put, [later, put], [])).toBe("");
  });

  test("one alone has its own words", () => {
    const one = wrote(20, 318, "pods");
    expect(otherWrites(one, [put, one], [])).toBe("Revision 317 was another's write.");
    expect(otherWrites(one, [put, one], [wrote(9, 317, "leases")])).toBe(
      "Revision 317: 1 write to leases.",
    );
  });

  test("of many resources the most written are named", () => {
    const far = wrote(30, 326, "pods");
    const all = ["a", "b", "b", "c", "d", "e"].map((name, i) => wrote(40 + i, 317 + i, name));
    expect(otherWrites(far, [put, far], all)).toBe(
      "Revisions 317 to 325: 2 writes to b, 1 to a, 1 to c, 2 more, 3 by others.",
    );
  });
});

test("where a command was turned back is shown until somebody asks for something else", () => {
  const steps = [
    caused(1, 0, "kubectl.command"),
    caused(2, 1, "apiserver.request", { object: { resource: "pods" } }),
    caused(3, 2, "admission.refused"),
    caused(4, 1, "apiserver.request", { object: { resource: "events" } }),
    caused(5, 1, "apiserver.request", { object: { resource: "replicasets" } }),
  ];
  const all = new Map(steps.map((one) => [one.id, one]));
  const at = (n: number) => besides(steps[n], { steps, told: steps }, all).refused?.id;
  expect([1, 2, 3, 4].map(at)).toEqual([undefined, 3, 3, undefined]);
  expect(besides(undefined, { steps, told: steps }, all).refused).toBeUndefined();
});
