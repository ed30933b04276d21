import { expect, test } from "vitest";
import { CallError } from "./client.ts";
import { messageOf, reason } from "./reason.ts";

test.each([
  [new CallError({ message: "no such pod", hint: "Look again." }), "no such pod. Look again."],
  [new CallError({ message: "It ran out.", hint: "Reload." }), "It ran out. Reload."],
  [new CallError({ message: "no shell" }), "no shell"],
  [new Error("plain"), "plain"],
  ["a word", "a word"],
])("a person reads what went wrong and what to do: %s", (error, text) => {
  expect(reason(error)).toBe(text);
});

test("a sentence's middle is the message alone", () => {
  expect(messageOf(new CallError({ message: "no such pod", hint: "Look again." }))).toBe(
    "no such pod",
  );
  expect(messageOf(undefined)).toBe("undefined");
});
