import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { returns } from "./returns.ts";

/** What core/checkpoint/scope.go leaves out, as resources of the API, some of which have another name there. */
function leftOut(): string[] {
  const go = readFileSync("core/checkpoint/scope.go", "utf8");
  const list = /var passing = \[\]string\{(.*?)\n\}/s.exec(go)?.[1] ?? "";
  const unserved = ["masterleases", "serverstorageversions", "peerserverleases"];
  return [...list.matchAll(/"([^"]+)\/"/g)]
    .map(([, key = ""]) => (key === "apiregistration.k8s.io" ? "apiservices" : key))
    .map((key) => key.replace("services/", ""))
    .filter((key) => !unserved.includes(key));
}

describe("whether what is deleted comes back", () => {
  it("is said as the checkpoints have it", () => {
    expect(leftOut()).toContain("events");
    for (const resource of leftOut())
      expect(returns({ group: "", resource }), resource).toMatch(/cannot be undone/);
    for (const resource of ["deployments", "namespaces", "secrets", "nodes"])
      expect(returns({ group: "", resource })).toMatch(/Go back has/);
  });

  it("somebody's own kind of that name does", () => {
    expect(returns({ group: "example.com", resource: "events" })).toMatch(/Go back has/);
    expect(returns({ group: "events.k8s.io", resource: "events" })).toMatch(/cannot be undone/);
  });
});
