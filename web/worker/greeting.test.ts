import { expect, test } from "vitest";
import worker from "./worker.ts?raw";

test("before the program has said its version, the worker tells of the first two steps only", () => {
  // The page takes any other step for that of a module which is too old to greet (web/rpc/client.ts).
  const told = [...worker.matchAll(/progress\(\{ step: "(\w+)"/g)].map(([, step]) => step);
  expect(told).toEqual(["compile"]);
});
