import { expect, test } from "vitest";
import { readPlace } from "./place.ts";

test("a place is read of the history, and nothing that is none", () => {
  const place = { chapter: "etcd", top: 120, below: 40, key: "7", nth: 0 };
  expect(readPlace(place)).toEqual(place);
  expect(readPlace({ ...place, more: "x" })).toEqual(place);
  for (const odd of [undefined, null, 7, "etcd", [], {}]) expect(readPlace(odd)).toBeUndefined();
  for (const key of ["chapter", "top", "below", "key", "nth"] as const) {
    expect(readPlace({ ...place, [key]: undefined })).toBeUndefined();
    expect(readPlace({ ...place, [key]: [] })).toBeUndefined();
  }
  expect(readPlace({ ...place, top: Number.NaN })).toBeUndefined();
});
