import { describe, expect, test } from "vitest";
import { sourceOf, webAddress } from "./address.ts";

describe("what an address asks to be opened", () => {
  test("is a manifest in it, or a file in the Internet", () => {
    const open = (query: Record<string, string>) => sourceOf({ path: ["open"], query });
    expect(open({ state: "abc" })).toEqual({ from: "link", packed: "abc" });
    const url = "https://raw.githubusercontent.com/o/r/main/web.yaml";
    expect(open({ url })).toEqual({ from: "web", address: new URL(url) });
    expect(() => open({})).toThrow("nothing to open");
    expect(() => open({ state: "a", url })).toThrow("only one");
  });

  test("is a name that the site keeps", () => {
    const short = (id: string) => sourceOf({ path: ["shared", id], query: {} });
    expect(short("aA0-_aA0-_aA0-_x")).toEqual({ from: "site", id: "aA0-_aA0-_aA0-_x" });
    for (const id of ["", "../../api", "aA0-_aA0-_aA0-_", "aA0-_aA0-_aA0-_x?"]) {
      expect(() => short(id), id).toThrow("damaged");
    }
  });

  test.each([
    "",
    "web.yaml",
    "http://example.com/a",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/yaml,kind: Pod",
    "https://user:pass@example.com/",
    "https://kubernetes/api",
    "https://kubernetes.default.svc/api",
    "https://kubernetes.default.svc./api",
    "https://tab.tabernetes.internal/",
    "https://10.96.0.1/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://[::1]/",
    "https://localhost/",
    `https://example.com/${"a".repeat(3000)}`,
  ])("is never inside of the cluster, or another scheme: %.60s", (url) => {
    expect(() => webAddress(url)).toThrow("cannot be read");
  });
});
