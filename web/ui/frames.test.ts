import type { ReactiveControllerHost } from "lit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { leave, redraw } from "./frames.ts";

let now = 0;
let frames: (() => void)[] = [];
let drawn: string[] = [];

beforeEach(() => {
  now = 0;
  frames = [];
  drawn = [];
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => frames.push(draw));
  vi.spyOn(performance, "now").mockImplementation(() => now);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** An element that takes so many milliseconds to draw. */
function element(name: string, takes: number, drawing?: () => void): ReactiveControllerHost {
  let update = Promise.resolve(true);
  return {
    addController: vi.fn(),
    removeController: vi.fn(),
    requestUpdate() {
      update = update.then(() => {
        now += takes;
        drawn.push(name);
        drawing?.();
        return true;
      });
    },
    get updateComplete() {
      return update;
    },
  };
}

/** Lets one frame pass, and says who drew in it. */
async function frame(): Promise<string> {
  drawn = [];
  for (const draw of frames.splice(0)) draw();
  await new Promise((resolve) => setTimeout(resolve));
  return drawn.join(" ");
}

test("elements that take long draw in frames of their own, in the order in which they asked", async () => {
  for (const host of [element("a", 3), element("b", 20), element("c", 20), element("d", 1)])
    redraw(host);
  expect(await frame()).toBe("a b");
  expect(await frame()).toBe("c");
  expect(await frame()).toBe("d");
  expect(frames).toEqual([]);
});

test("who asks twice draws once, and who leaves does not draw", async () => {
  const [a, b] = [element("a", 1), element("b", 1)];
  redraw(a);
  redraw(a);
  redraw(b);
  leave(b);
  expect(await frame()).toBe("a");
  expect(frames).toEqual([]);
});

test("who asks again while it draws has the next frame", async () => {
  let again = 1;
  const a: ReactiveControllerHost = element("a", 1, () => {
    if (again-- > 0) redraw(a);
  });
  redraw(a);
  expect(await frame()).toBe("a");
  expect(await frame()).toBe("a");
  expect(frames).toEqual([]);
});

test("an element that fails holds up nobody, and is told of", async () => {
  const told = vi.fn();
  process.once("unhandledRejection", told);
  redraw(
    element("a", 1, () => {
      throw new Error("boom");
    }),
  );
  redraw(element("b", 1));
  expect(await frame()).toBe("a b");
  expect(told).toHaveBeenCalledOnce();
});
