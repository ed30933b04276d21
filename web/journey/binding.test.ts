import { describe, expect, test } from "vitest";
import { WORDS, wordsAt } from "./binding.ts";
import { sceneOf } from "./scene.ts";

describe.each([false, true])("what stands at a Binding's line, narrow: %j", (narrow) => {
  test.each([3, 9])(
    "has room in no box and on no other words, within the drawing, of %d nodes",
    (n) => {
      const nodes = Array.from({ length: n }, (_, i) => `node-${i}`);
      const scene = sceneOf(nodes, [], narrow);
      const { x, y, anchor, size } = wordsAt(scene);
      const wide = WORDS.length * size * 0.6;
      const left = anchor === "end" ? x - wide : x;
      expect(left).toBeGreaterThan(0);
      expect(left + wide).toBeLessThan(scene.width);
      for (const place of scene.places.values()) {
        const apart =
          left + wide < place.x - place.width / 2 ||
          left > place.x + place.width / 2 ||
          y < place.y - place.height / 2 ||
          y - 0.75 * size > place.y + place.height / 2;
        expect(apart, place.id).toBe(true);
      }
    },
  );
});
