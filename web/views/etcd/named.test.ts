import { expect, test } from "vitest";
import { named } from "./named.ts";

test("a name that says something else than what lies there is explained, and no other", () => {
  expect(named("/registry/minions/")).toBe("nodes, by their first name");
  expect(named("compact_rev_key")).toMatch(/^the revision up to which/);
  for (const key of ["/registry/pods/", "/registry/minions/node-1", "", "constructor"])
    expect(named(key)).toBe("");
});
