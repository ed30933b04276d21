import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const html = readFileSync(new URL("../../index.html", import.meta.url), "utf8");
const content = (name: string) =>
  new RegExp(`<meta\\s+(?:name|property)="${name}"\\s+content="([^"]*)"`).exec(html)?.[1];

test("a link to the page says what it is", () => {
  const title = /<title>([^<]*)<\/title>/.exec(html)?.[1];
  expect(title).toMatch(/^Tabernetes: .*Kubernetes/);
  expect(content("og:title")).toBe(title);
  expect(content("og:description")).toBe(content("description"));
  expect(content("description")).toContain("Kubernetes");
});
