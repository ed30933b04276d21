import { expect, test } from "vitest";
import { syntaxErrors } from "./syntax.ts";

const marked = (text: string) =>
  syntaxErrors(text).map(({ from, to, message }) => [text.slice(from, to), message]);

test("what is YAML is not marked", () => {
  for (const text of ["", "  \n", "a: 1\nb: [c, {d: e}]\n", "a: 1\n---\nb: 2\n", "# only this\n"]) {
    expect(marked(text)).toEqual([]);
  }
});

test("what is no YAML is marked where it breaks", () => {
  const [[where = "", why = ""] = []] = marked("a: [1, 2\nb: 3\n");
  expect(why).toMatch(/^YAML: /);
  expect(where).not.toBe("");
  expect(marked("a: 1\n\tb: 2\n")[0]?.[1]).toMatch(/tab/i);
  expect(marked("a: 1\na: 2\n")[0]).toEqual(["a", "YAML: Map keys must be unique"]);
  expect(marked("a: 'b\n").length).toBeGreaterThan(0);
});

test("a hostile text is read within bounds", () => {
  expect(syntaxErrors("{".repeat(300_000))).toEqual([]);
  const many = syntaxErrors("- a: 1\n  a: 2\n".repeat(1000));
  expect(many.length).toBe(20);
  // Aliases are not followed.
  let bomb = "l0: &l0 [x, x]\n";
  for (let i = 1; i < 40; i++) bomb += `l${i}: &l${i} [*l${i - 1}, *l${i - 1}]\n`;
  expect(syntaxErrors(bomb)).toEqual([]);
  for (const { from, to } of syntaxErrors('"')) expect(from <= to && to <= 1).toBe(true);
});
