import { expect, test } from "vitest";
import { sourceOf } from "./source.ts";

test("a line of upstream's source has its file and number", () => {
  const url =
    "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/scheduler/schedule_one.go#L815";
  expect(sourceOf({ url })).toEqual({ url, place: "pkg/scheduler/schedule_one.go:815" });
});

test("an address leads to one place or nowhere", () => {
  expect(sourceOf({ url: "" })).toBeUndefined();
  expect(sourceOf({ url: "javascript:alert(1)" })).toBeUndefined();
  expect(sourceOf({ url: "https://github.com.evil.example/x" })).toBeUndefined();
});
