import { expect, test } from "vitest";
import { caused, step } from "../trace/steps.testing.ts";
import type { Reader } from "./blocks.ts";
import { behind, isOther } from "./legend.ts";
import { lookedAt } from "./reader.ts";

const made = caused(3, 2, "apiserver.request", {
  object: { resource: "deployments", namespace: "default", name: "web" },
  details: { code: 201 },
});
const asked = (method: string) => caused(2, 1, "kubectl.request", { details: { method } });

test("another command is one that has ended, or asked for something else, and made no Deployment", () => {
  const command = step(1, "kubectl.command");
  const exit = caused(9, 1, "kubectl.exit");
  expect(isOther([])).toBe(false);
  // Nobody knows yet what it will ask for, or that it was allowed.
  expect(isOther([command, asked("POST")])).toBe(false);
  expect(isOther([command, asked("POST"), made, exit])).toBe(false);
  expect(isOther([command, asked("POST"), exit])).toBe(true);
  // One that watches does not end.
  expect(isOther([command, asked("GET")])).toBe(true);
});

test("beside another command only that is lit which is true of any", () => {
  const accepted = caused(3, 2, "authentication.accepted");
  const reader = behind({ step: () => accepted } as unknown as Reader);
  const claim = { kind: "authentication.accepted" } as const;
  expect(reader.step(claim)).toBeUndefined();
  expect(reader.step({ ...claim, any: true })).toBe(accepted);
});

test("of what it did in a chapter now is what the step that is told is a part of", () => {
  const sync = step(1, "controllers.reconcile");
  const request = caused(2, 1, "apiserver.request");
  const put = caused(3, 2, "etcd.put");
  const heard = caused(4, 3, "controllers.informed");
  const steps = [sync, request, put, heard];
  expect(lookedAt([sync], put, steps)).toBe(sync);
  expect(lookedAt([sync, heard], heard, steps)).toBe(heard);
  expect(lookedAt([sync], heard, steps)).toBeUndefined();
  expect(lookedAt([sync], step(9, "etcd.put"), steps)).toBeUndefined();
});
