import { afterEach, describe, expect, it, vi } from "vitest";
import { ask as askPerson, tell } from "../ui/ask.ts";
import { askDelete, type ActionNeeds } from "./object.ts";

vi.mock("../ui/ask.ts", () => ({ ask: vi.fn(), tell: vi.fn() }));

const place = {
  group: "",
  version: "v1",
  resource: "configmaps",
  namespace: "default",
  name: "mine",
};

/** What it did, in order; `fails` is why nothing can be remembered. */
function over(fails?: string): { on: ActionNeeds; did: string[] } {
  const did: string[] = [];
  const session = {
    catalog: { served: { state: { resources: [] } } },
    remember: (line: string) => {
      did.push(`remember ${line}`);
      return fails === undefined ? Promise.resolve() : Promise.reject(new Error(fails));
    },
    fetch: (path: string, init?: RequestInit) => {
      did.push(`${init?.method ?? "GET"} ${path.split("?")[0] ?? ""}`);
      return Promise.resolve(new Response("{}"));
    },
  };
  return { on: { session, page: {} } as unknown as ActionNeeds, did };
}

afterEach(() => vi.clearAllMocks());

describe("deleting an object", () => {
  it("what there was is remembered first, under the line that the question shows", async () => {
    vi.mocked(askPerson).mockResolvedValue(true);
    const { on, did } = over();
    askDelete(on, place);
    await vi.waitFor(() => expect(tell).toHaveBeenCalled());
    const { text, line } = vi.mocked(askPerson).mock.lastCall?.[0] ?? {};
    expect(text).toMatch(/Go back has the objects again/);
    expect(did).toEqual([
      `remember ${line ?? ""}`,
      "DELETE /api/v1/namespaces/default/configmaps/mine",
    ]);
  });

  it("nothing is deleted that could not be remembered, which is said", async () => {
    vi.mocked(askPerson).mockResolvedValue(true);
    const { on, did } = over("the store is closed");
    askDelete(on, place);
    await vi.waitFor(() => expect(tell).toHaveBeenCalled());
    expect(did).toHaveLength(1);
    expect(vi.mocked(tell).mock.lastCall?.[0]).toMatch(/the store is closed/);
  });

  it("nobody who says no has anything done", async () => {
    vi.mocked(askPerson).mockResolvedValue(false);
    const { on, did } = over();
    askDelete(on, place);
    await vi.waitFor(() => expect(askPerson).toHaveBeenCalled());
    expect(did).toEqual([]);
  });
});
