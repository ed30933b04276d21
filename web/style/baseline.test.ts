import { readdirSync, readFileSync } from "node:fs";
import css from "@eslint/css";
import { Linter } from "eslint";
import { expect, test } from "vitest";

/*
 * The style sheets inside views (css`…`) use nothing that Firefox or Safari lack, by Baseline
 * (https://web.dev/baseline); eslint.config.js checks those in files of their own.
 */
const linter = new Linter();
const config = {
  files: ["**/*.css"],
  language: "css/css",
  plugins: { css },
  rules: { "css/use-baseline": ["error", { available: "newly" }] },
} as unknown as Linter.Config;

const views = readdirSync("web", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => `web/${path}`)
  .filter((path) => /\bcss`/.test(readFileSync(path, "utf8")));

test.each(views)("%s", (path) => {
  for (const [, sheet = ""] of readFileSync(path, "utf8").matchAll(/\bcss`([^`]*)`/g)) {
    const text = sheet
      // Rules that are put in whole are looked at where they stand.
      .replace(/^\s*\$\{[^}]*\}$/gm, "")
      .replace(/\$\{[^}]*\}/g, "inherit");
    const found = linter.verify(text, config, { filename: "view.css" });
    expect(found.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
  }
});

test("a property that only one engine has is found", () => {
  const found = linter.verify("a { animation-timeline: scroll(); }", config, "view.css");
  expect(found).not.toEqual([]);
});
