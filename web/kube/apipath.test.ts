import { describe, expect, test } from "vitest";
import { parsePlace, placeParts, placePath } from "./apipath.ts";

describe("a place in the API", () => {
  test.each([
    ["/api/v1/pods", { group: "", version: "v1", resource: "pods" }],
    ["/api/v1/namespaces", { group: "", version: "v1", resource: "namespaces" }],
    [
      "/api/v1/namespaces/default",
      { group: "", version: "v1", resource: "namespaces", name: "default" },
    ],
    [
      "/api/v1/namespaces/default/pods",
      { group: "", version: "v1", resource: "pods", namespace: "default" },
    ],
    [
      "/apis/apps/v1/namespaces/shop/deployments/web",
      { group: "apps", version: "v1", resource: "deployments", namespace: "shop", name: "web" },
    ],
  ])("%s", (path, place) => {
    expect(parsePlace(path.slice(1).split("/"))).toEqual(place);
    expect(placePath(place)).toBe(path);
    expect(placeParts(place)).toEqual(path.slice(1).split("/"));
  });

  test("is none for less than a resource", () => {
    for (const path of ["", "map", "api", "api/v1", "apis/apps", "apis/apps/v1"]) {
      expect(parsePlace(path.split("/"))).toBeUndefined();
    }
  });
});
