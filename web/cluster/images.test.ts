import { expect, test } from "vitest";
import { paramsOf, type ImageDefinition } from "./images.ts";

test("what is defined is sent as the cluster reads it", () => {
  const module = new URL("https://a/b.js");
  expect(paramsOf("mine", { module, env: { A: "b" } })).toEqual({
    ...{ name: "mine", module: "https://a/b.js", ports: [80], env: ["A=b"] },
  });
});

test.each<[string, unknown, string]>([
  ["a function", { module: () => 1 }, "a function cannot be sent"],
  ["nothing", {}, "address of a module"],
  ["no object", "https://a/b.js", "{ module: address }"],
  ["a path", { module: "b.js" }, "no whole address"],
  ["its source", { module: "data:text/javascript,1" }, "http or https, not data:"],
  ["a script", { module: "javascript:1" }, "http or https, not javascript:"],
  ["ports that are none", { module: "https://a", ports: ["80"] }, "list of numbers"],
  ["what it does not know", { module: "https://a", memory: 1 }, 'no option "memory"'],
])("%s as a module is refused, with what is possible", (_what, definition, why) => {
  expect(() => paramsOf("mine", definition as ImageDefinition)).toThrow(why);
});
