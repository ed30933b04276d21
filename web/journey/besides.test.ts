import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused, step } from "../trace/steps.testing.ts";
import { whatFor } from "./what-for.ts";
import { answerAfter, besides, goesBack, lettersOf } from "./besides.ts";

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
    });
    expect(besides(undefined, told, new Map()).answer).toBeUndefined();
    // It takes time to read it.
    const said = goesBack({ code: "201", to: "kubectl" });
    expect(said).toBe("Then 201 goes back to kubectl.");
    expect(lettersOf(put, "", told, new Map())).toBe(said.length);
    expect(lettersOf(admission, "", told, new Map())).toBe(0);
    // What it is for stands beside it, and is to be read as well.
    expect(lettersOf(watched, "told", told, new Map())).toBe(
      "told".length + whatFor(watched, story).length,
    );
    expect(whatFor(watched, story)).not.toBe("");
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
