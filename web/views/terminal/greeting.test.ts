import { expect, test } from "vitest";
import { greeting } from "./greeting.ts";

const lines = (cols: number) =>
  greeting(cols)
    // eslint-disable-next-line no-control-regex -- colours are no text
    .replaceAll(/\x1b\[\d+m/g, "")
    .split("\r\n");

test("on a phone what to type first is in sight to its end, and one command to who copies it", () => {
  for (const cols of [36, 44, 57, 69]) {
    expect(lines(cols).filter((line) => line.length > cols)).toEqual([]);
    const copied = lines(cols)
      .slice(1)
      .join("\n")
      .replaceAll(/\\\n */g, "");
    expect(copied).toMatch(/^kubectl create deployment nginx --image=nginx --replicas=3\n/);
  }
  expect(lines(90)[0]).toBe("Kubernetes in this tab. ");
  expect(greeting(90)).not.toContain("kubectl create");
});
