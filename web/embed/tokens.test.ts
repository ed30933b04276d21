import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostTokens } from "./tokens.ts";

test("the page's tokens, for an element whose author sets some of them", () => {
  const css = hostTokens(readFileSync("web/style/tokens.css", "utf8"));
  expect(css).not.toContain(":root");
  expect(css).not.toContain("color-scheme:");
  // Each in light and in dark.
  expect(css.match(/--panel: var\(--tabernetes-panel, #/g)).toHaveLength(2);
  expect(css.match(/--failing: var\(--tabernetes-failed, #/g)).toHaveLength(2);
  expect(css).toMatch(/--mono: var\(--tabernetes-mono,\s+ui-monospace/);
  expect(css).toContain(":host([data-dark]) {");
});
