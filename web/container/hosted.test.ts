import { expect, test, vi } from "vitest";
import { checked, measured } from "./frame-wire.ts";
import { Hosted, mayRun } from "./hosted.ts";

const ORIGIN = "https://a";

test.each<[string, string, string[] | undefined, boolean]>([
  ["an opaque origin", "null", ["https://evil"], true],
  ["a page of its own", ORIGIN, [ORIGIN], true],
  ["a page of another", ORIGIN, ["https://evil"], false],
  ["a page of another around its own", ORIGIN, [ORIGIN, "https://evil"], false],
  ["who is not told what is around it", ORIGIN, undefined, false],
])("below %s: %s", (_what, origin, ancestors, may) => {
  expect(mayRun({ origin, parent: {} }, ancestors)).toBe(may);
});

test("no frame at all runs nothing", () => {
  const top = { origin: "null", parent: undefined as unknown };
  top.parent = top;
  expect(mayRun(top, [])).toBe(false);
});

test.each([
  null,
  "begun",
  { type: "begun", number: 1 },
  { type: "begun", number: -1, begun: true },
  { type: "failed", number: 1, message: {} },
  { type: "pong", number: "1" },
  { type: "pong", number: 1e300 },
  { type: "other", number: 1 },
])("%j is no message of a frame's", (data) => expect(checked(data)).toBeUndefined());

test("what a frame says is cut, and what it measures is numbers", () => {
  expect(checked({ type: "failed", number: 1, message: "x".repeat(1e4), more: 1 })).toEqual({
    ...{ type: "failed", number: 1, message: "x".repeat(300) },
  });
  const good = { number: 1, bytes: 2 };
  expect(measured([good, null, { number: 1, bytes: 0.5 }, { number: -1, bytes: 1 }])).toEqual([
    good,
  ]);
  expect(measured(Array(65).fill(good))).toEqual([]);
  expect(measured({ length: 1 })).toEqual([]);
});

test("a module that may not be read is not run, and one that is ended meanwhile does not begin", async () => {
  const said: unknown[] = [];
  const port = { postMessage: (data: unknown) => said.push(data) } as unknown as MessagePort;
  const start = vi.fn();
  let may: (may: boolean) => void = () => undefined;
  new Hosted(port, start, () => new Promise((resolve) => (may = resolve)));
  const tell = (data: unknown, ports: unknown[] = []): unknown =>
    port.onmessage?.({ data, ports } as unknown as MessageEvent);
  tell({ type: "begin", number: 1, module: "https://a/b.js" }, [{}]);
  may(false);
  await vi.waitFor(() => expect(said).toEqual([{ type: "begun", number: 1, begun: false }]));
  tell({ type: "begin", number: 2, module: "https://a/b.js" }, [{}]);
  tell({ type: "end", number: 2 });
  may(true);
  await Promise.resolve();
  expect(start).not.toHaveBeenCalled();
});
