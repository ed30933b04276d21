import { expect, test } from "vitest";
import { fieldSelector } from "./fields.ts";

test("a value is one value, whatever is in it", () => {
  expect(fieldSelector({ "metadata.name": "web", "involvedObject.kind": "Pod" })).toBe(
    "metadata.name=web,involvedObject.kind=Pod",
  );
  // As k8s.io/apimachinery/pkg/fields, EscapeValue: backslash, comma, equals sign.
  expect(fieldSelector({ "metadata.name": "x,metadata.namespace=kube-system" })).toBe(
    "metadata.name=x\\,metadata.namespace\\=kube-system",
  );
  expect(fieldSelector({ "metadata.name": "a\\,b" })).toBe("metadata.name=a\\\\\\,b");
});
