import { describe, expect, test } from "vitest";
import { listPlace, objectPlace, objectRoute, selectionOf, withObject } from "./address.ts";
import { formatRoute, parseRoute, viewOf } from "./route.ts";

describe("a route", () => {
  test("is read from the address and written back", () => {
    const fragment = "#/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node?show=yaml";
    expect(formatRoute(parseRoute(fragment))).toBe(fragment);
    expect(viewOf(parseRoute(fragment))).toBe("objects");
    expect(parseRoute("#/editor?x=a%20b")).toEqual({ path: ["editor"], query: { x: "a b" } });
    expect(viewOf(parseRoute(""))).toBe("map");
    // A broken escape is taken as it stands.
    expect(parseRoute("#/%E0%A4%A").path).toEqual(["%E0%A4%A"]);
  });

  test("keeps the list of all namespaces when one object of it is selected", () => {
    const all = parseRoute("#/api/v1/pods?filter=web");
    const web = {
      group: "",
      version: "v1",
      resource: "pods",
      namespace: "default",
      name: "web",
    };
    const selected = withObject(all, web);
    expect(formatRoute(selected)).toBe("#/api/v1/namespaces/default/pods/web?filter=web&all=1");
    expect(listPlace(selected)).toEqual({ group: "", version: "v1", resource: "pods" });
    expect(objectPlace(selected)).toEqual(web);
    expect(formatRoute(withObject(selected, undefined))).toBe("#/api/v1/pods?filter=web");
  });

  test("names the object in its query in other views", () => {
    const map = withObject(parseRoute("#/map"), {
      group: "",
      version: "v1",
      resource: "nodes",
      name: "node-1",
    });
    expect(map.query.object).toBe("/api/v1/nodes/node-1");
    expect(objectPlace(map)?.name).toBe("node-1");
    expect(formatRoute(withObject(map, undefined))).toBe("#/map");
  });

  test("goes to the object's own list from another one", () => {
    const place = {
      group: "apps",
      version: "v1",
      resource: "deployments",
      namespace: "a",
      name: "web",
    };
    expect(withObject(parseRoute("#/api/v1/pods"), place)).toEqual(objectRoute(place));
  });

  test("keeps what is known of a selection that stays", () => {
    const known = { kind: "pod", name: "web", namespace: "a", uid: "u1" };
    const route = parseRoute("#/api/v1/namespaces/a/pods/web?show=yaml");
    expect(selectionOf(route, known)).toBe(known);
    expect(selectionOf(route, undefined)).toMatchObject({ name: "web", namespace: "a", uid: "" });
    expect(selectionOf(parseRoute("#/map"), known)).toBeUndefined();
  });
});
