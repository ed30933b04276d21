import { describe, expect, test } from "vitest";
import { wordsOf } from "./binding.ts";
import { sceneOf } from "./scene.ts";

describe.each([false, true])("what stands at a Binding's line, narrow: %j", (narrow) => {
  const scene = sceneOf(["node-1", "node-2", "node-3"], [], narrow);

  test("says that nothing is sent along it, in no box and within the drawing", () => {
    const { x, y, anchor, text } = wordsOf(scene);
    expect(text).toContain("stored, not sent");
    const wide = text.length * 8.4;
    const left = anchor === "end" ? x - wide : x;
    expect(left).toBeGreaterThan(0);
    expect(left + wide).toBeLessThan(scene.width);
    for (const place of scene.places.values()) {
      if (place.shape !== "box") continue;
      const apart =
        left + wide < place.x - place.width / 2 ||
        left > place.x + place.width / 2 ||
        y < place.y - place.height / 2 ||
        y - 11 > place.y + place.height / 2;
      expect(apart, place.id).toBe(true);
    }
  });
});
