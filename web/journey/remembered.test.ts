import { expect, test } from "vitest";
import { remembered } from "./remembered.ts";

test("what was answered is asked once, what was not there again, and the oldest are forgotten", async () => {
  const asked: number[] = [];
  const answers = remembered((id) => {
    asked.push(id);
    if (id === 2) return Promise.resolve(undefined);
    return id === 3 ? Promise.reject(new Error("ended")) : Promise.resolve(`step ${id}`);
  });
  expect(await answers(1)).toBe("step 1");
  expect(await answers(1)).toBe("step 1");
  for (let i = 0; i < 2; i++) expect(await answers(2)).toBeUndefined();
  for (let i = 0; i < 2; i++) await expect(answers(3)).rejects.toThrow("ended");
  expect(asked).toEqual([1, 2, 2, 3, 3]);
  for (let id = 10; id < 400; id++) await answers(id);
  asked.length = 0;
  await answers(1);
  await answers(399);
  expect(asked).toEqual([1]);
});
