import { expect, test } from "vitest";
import { Words } from "./word.ts";

type Drawn = Awaited<ReturnType<NonNullable<ConstructorParameters<typeof Words>[1]>>>;

test("what words mean is fetched once, when somebody comes near one", async () => {
  let asked = 0;
  let drawn = 0;
  const view = {} as Drawn;
  const words = new Words(
    () => drawn++,
    () => {
      asked++;
      return Promise.resolve(view);
    },
  );
  expect(asked).toBe(0);
  words.ask();
  expect(words.drawn).toBe("");
  words.ask();
  await Promise.resolve();
  expect([asked, drawn]).toEqual([1, 1]);
  expect(words.drawn).toBe(view);
});

test("that they could not be fetched is said, and what to do", async () => {
  const words = new Words(
    () => undefined,
    () => Promise.reject(new Error("offline")),
  );
  words.ask();
  await new Promise((done) => setTimeout(done));
  expect(words.drawn).toMatch(/could not be loaded: Error: offline\. Check the connection/);
});
