import { describe, expect, test } from "vitest";
import { clockTime, goneSince, isGone } from "./gone.ts";
import type { Node, Row } from "./types.ts";

const node = (name: string, status: string, lastTransitionTime = "2026-11-20T10:01:00Z") =>
  ({
    object: {
      metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: "" },
      spec: {},
      status: { conditions: [{ type: "Ready", status, lastTransitionTime }] },
    },
    cells: {},
  }) as unknown as Row<Node>;

/** Leases by node; asked counts who was asked for. */
function leases(renewed: Record<string, string>) {
  const asked: string[] = [];
  const fetch = (path: string) => {
    const name = path.split("/").at(-1) ?? "";
    asked.push(name);
    return Promise.resolve(
      name in renewed
        ? new Response(JSON.stringify({ spec: { renewTime: renewed[name] } }))
        : new Response("{}", { status: 404 }),
    );
  };
  return { asked, fetch };
}

describe("since when a node is gone", () => {
  test("it is gone when nobody knows, not when its kubelet says that it is not ready", () => {
    expect(isGone(node("a", "Unknown"))).toBe(true);
    expect(isGone(node("a", "False"))).toBe(false);
    expect(isGone(node("a", "True"))).toBe(false);
  });

  test("is when its lease was renewed last", async () => {
    const { asked, fetch } = leases({ gone: "2026-11-20T10:00:09.123456Z", here: "x" });
    const found = await goneSince(
      fetch,
      [node("gone", "Unknown"), node("here", "True")],
      new Map(),
    );
    expect([...found]).toEqual([["gone", Date.parse("2026-11-20T10:00:09.123Z")]]);
    expect(asked).toEqual(["gone"]);
  });

  test("without a lease, when its condition changed", async () => {
    const { fetch } = leases({});
    const found = await goneSince(fetch, [node("gone", "Unknown")], new Map());
    expect(found.get("gone")).toBe(Date.parse("2026-11-20T10:01:00Z"));
    expect((await goneSince(fetch, [node("gone", "Unknown", "")], new Map())).size).toBe(0);
  });

  test("is asked once, and forgotten when the node is back", async () => {
    const { asked, fetch } = leases({ gone: "2026-11-20T10:00:09Z" });
    const first = await goneSince(fetch, [node("gone", "Unknown")], new Map());
    const second = await goneSince(fetch, [node("gone", "Unknown")], first);
    expect(second).toEqual(first);
    expect(asked).toEqual(["gone"]);
    expect((await goneSince(fetch, [node("gone", "True")], second)).size).toBe(0);
  });
});

test("a time of another day has its day", () => {
  const noon = new Date(2026, 10, 20, 12, 0, 0).getTime();
  expect(clockTime(noon, noon + 3_600_000)).toBe("12:00:00");
  expect(clockTime(noon, noon + 86_400_000)).toBe("20 Nov 12:00:00");
});
