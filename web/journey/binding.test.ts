import { describe, expect, test } from "vitest";
import { wordsOf } from "./binding.ts";
import { sceneOf } from "./scene.ts";

describe.each([false, true])("what stands at a Binding's line, narrow: %j", (narrow) => {
  const scene = sceneOf(["node-1", "node-2", "node-3"], [], narrow);

  test("says that it is none, in no box and within the drawing", () => {
    const words = wordsOf(scene);
    expect(words.map(({ text }) => text).join(" ")).toMatch(/^Binding: .*no connection$/);
    for (const { x, y, anchor, text } of words) {
      const wide = text.length * 8.4;
      const left = anchor === "end" ? x - wide : x;
      expect(left).toBeGreaterThan(0);
      expect(left + wide).toBeLessThan(scene.width);
      for (const place of scene.places.values()) {
        const apart =
          left + wide < place.x - place.width / 2 ||
          left > place.x + place.width / 2 ||
          y < place.y - place.height / 2 ||
          y - 11 > place.y + place.height / 2;
        expect(apart || place.shape !== "box", place.id).toBe(true);
      }
    }
  });

  test("leaves their room to nodes that are counted", () => {
    const many = Array.from({ length: 9 }, (_, i) => `node-${i}`);
    const words = wordsOf(sceneOf(many, [], narrow));
    expect(words.at(-1)?.text).toContain("no connection");
    expect(words).toHaveLength(1);
  });
});
