import { describe, expect, test } from "vitest";
import { contentOf, MOST_OBJECTS } from "./content.ts";
import { seen } from "./seen.ts";

const CRD = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

describe("a manifest that is opened", () => {
  test("is listed as it says it, and applied as it stands", () => {
    const text =
      "# mine\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n---\n{apiVersion: v1, kind: Pod, metadata: {generateName: x-}}\n";
    expect(contentOf(text)).toEqual({
      objects: [
        { apiVersion: "v1", kind: "ConfigMap", namespace: "b", name: "a" },
        { apiVersion: "v1", kind: "Pod", namespace: "", name: "" },
      ],
      definitions: "",
      rest: text,
    });
  });

  test("has its kinds defined first", () => {
    const { definitions, rest } = contentOf(
      `---\napiVersion: e.com/v1\nkind: Z\nmetadata: {name: z}\n---\n${CRD}metadata: {name: zs.e.com}\n---\nkind: List\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: s\n`,
    );
    expect(definitions).toBe(`---\n${CRD}metadata: {name: zs.e.com}\n`);
    expect(contentOf(rest).objects.map(({ kind }) => kind)).toEqual(["Z", "Secret"]);
    expect(contentOf(`${CRD}metadata: {name: zs.e.com}\n`).definitions).toBe("");
  });

  test.each([
    ["nothing", "", "empty"],
    ["a comment", "# nothing\n", "empty"],
    ["a page", "<!doctype html><html></html>", "no manifest"],
    ["no version", "kind: Pod", "no apiVersion"],
    ["no end", "a: [", "no YAML"],
    ["a kind that is none", "kind: Pod\napiVersion: v1\n---\nkind: [a]\n", "document 2"],
    ["brackets", "[".repeat(100_000), "levels deep"],
    ["lists", "- ".repeat(100_000), "levels deep"],
    ["maps", "a: ".repeat(100_000), "levels deep"],
    ["keys", "? ".repeat(100_000), "levels deep"],
    ["aliases", "a: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]", "no kind"],
    ["many", "kind: A\napiVersion: v1\n---\n".repeat(MOST_OBJECTS + 1), `${MOST_OBJECTS} are`],
  ])("is refused in words: %s", (_what, text, words) => {
    expect(() => contentOf(text)).toThrow(words);
  });

  test("shows what cannot be seen", () => {
    expect(seen("a\tb\nc\r\n")).toBe("a\tb\nc\n");
    expect(seen("rm\u202Efdp\u200B\u0000\u001B[2J\uFEFF\u{E0041}")).toBe(
      "rm‹U+202E›fdp‹U+200B›‹U+0000›‹U+001B›[2J‹U+FEFF›‹U+E0041›",
    );
  });
});
