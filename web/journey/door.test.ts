import { describe, expect, test } from "vitest";
import { caused } from "../trace/steps.testing.ts";
import { onceThroughTheDoor, passesAgain } from "./door.ts";
import { story } from "./story.ts";

const by = (name: string) => ({ details: { asked: [{ name: "first" }, { name }] } });
const plugins = (...all: readonly object[]) => ({ details: { plugins: all } });

/** A request that writes, and all that it passes; ids from `id` on. */
function request(id: number, cause: number, who: string, may: string, changes: readonly string[]) {
  return [
    caused(id, cause, "apiserver.request", { object: { resource: "pods" } }),
    caused(id + 1, id, "authentication.accepted", by(who)),
    caused(id + 2, id, "authorization.allowed", by(may)),
    caused(id + 3, id, "apiserver.decoded", { object: { resource: "pods" } }),
    caused(
      id + 4,
      id,
      "admission.mutating",
      plugins({ name: "Idle" }, ...changes.map((name) => ({ name, changed: true }))),
    ),
    caused(id + 5, id, "registry.created"),
    caused(id + 6, id, "admission.validating", plugins({ name: "Idle" })),
    caused(id + 7, id, "etcd.put", { object: { resource: "pods", name: `p${id}` } }),
  ];
}

const ids = (steps: readonly { readonly id: number }[]) => steps.map(({ id }) => id);

describe("the door of kube-apiserver", () => {
  test("is told in full once, and later what is another way through it", () => {
    const told = onceThroughTheDoor([
      ...request(10, 0, "certificate", "masters", []),
      ...request(20, 0, "certificate", "masters", []),
      ...request(30, 0, "token", "masters", []),
      ...request(40, 0, "token", "RBAC", ["ServiceAccount"]),
      ...request(50, 0, "certificate", "RBAC", ["ServiceAccount"]),
    ]);
    expect(ids(told)).toEqual([
      10, 11, 12, 13, 14, 15, 16, 17, 20, 27, 30, 31, 37, 40, 42, 44, 47, 50, 57,
    ]);
  });

  test("is told where it is shut, whoever was turned back before", () => {
    const refused = plugins({ name: "Quota", refused: true });
    const shut = [
      caused(2, 1, "admission.validating", refused),
      caused(3, 1, "admission.validating", refused),
      caused(4, 1, "authorization.forbidden"),
      caused(5, 1, "authorization.forbidden"),
    ];
    expect(onceThroughTheDoor(shut)).toEqual(shut);
  });

  test("shows each object that is sent, and one change of each sort", () => {
    const sent = (id: number, resource: string, variant?: string) =>
      caused(id, 1, "apiserver.decoded", { object: { resource }, ...(variant && { variant }) });
    const all = [
      sent(2, "pods"),
      sent(3, "services"),
      sent(4, "pods", "patch"),
      sent(5, "services", "patch"),
      sent(6, "pods", "update"),
    ];
    expect(ids(onceThroughTheDoor(all))).toEqual([2, 3, 4, 6]);
  });

  test("is said of a request that passes it as another did, by the parts of which nothing is told", () => {
    const steps = [
      caused(1, 0, "kubectl.command"),
      ...request(10, 1, "certificate", "masters", []),
      ...request(20, 17, "token", "masters", []),
    ];
    const told = story(steps);
    const said = steps.map((step) => passesAgain(step, steps, told)).filter(Boolean);
    expect(said).toEqual(["Authorization and admission: as before."]);
    expect(passesAgain(steps[9] ?? caused(0, 0, ""), steps, steps)).toBe("");
  });

  test("believes no shape of a step's details", () => {
    for (const details of [undefined, null, "x", { asked: "x" }, { plugins: [null, 3, "x"] }]) {
      const odd = ["authentication.accepted", "admission.mutating"].map((kind, i) =>
        caused(i + 2, 1, kind, { details }),
      );
      expect(onceThroughTheDoor(odd)).toEqual(odd);
    }
  });
});
