import { expect, it } from "vitest";
import { discarded } from "./discarded.ts";

it("says whether the cluster of a discarded tab is there", () => {
  expect(discarded("lab")).toMatch(/ended this tab.* lab goes on from what was kept/);
  expect(discarded("")).toMatch(/the cluster that was here: this is a new one/);
});
