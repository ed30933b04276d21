import { expect, test } from "vitest";
import { counted, heldIn } from "./counted.ts";

test("what is told of the store says what it counts, so that 326 above and 325 below agree", () => {
  expect(heldIn({ keys: 326, bytes: 9 })).toBe("326 keys in all, 9 bytes");
  const directory = { directory: true, modRevision: 812 };
  expect(counted({ ...directory, keys: 325 })).toBe("325 keys");
  expect(counted({ ...directory, keys: 1 })).toBe("1 key");
  expect(counted({ ...directory, keys: 500, atLeast: true })).toBe("at least 500 keys");
  // compact_rev_key, which is the one more.
  expect(counted({ modRevision: 5 })).toBe("revision 5");
});
