import { afterEach, expect, test, vi } from "vitest";
import { KEY, takePairing } from "./pairing.ts";

afterEach(() => vi.unstubAllGlobals());

/** The locks of one browser: a name is had by whoever asks first. */
function browserLocks() {
  const held = new Set<string>();
  return {
    request: (name: string, _options: LockOptions, callback: (lock: object | null) => unknown) => {
      const mine = !held.has(name);
      held.add(name);
      return Promise.resolve(callback(mine ? {} : null));
    },
  };
}

/** A tab that opens at an address with what its storage has; it tells what the storage has then. */
async function open(hash: string, stored: Map<string, string>, locks: object | undefined) {
  const address = { hash, href: `http://localhost:7080/${hash}`, pathname: "/", search: "" };
  const seen: string[] = [];
  vi.stubGlobal("location", address);
  vi.stubGlobal("history", {
    state: null,
    replaceState: (_state: unknown, _title: string, to: string) => seen.push(to),
  });
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  vi.stubGlobal("navigator", { locks });
  const pairing = await takePairing();
  return { pairing, seen };
}

test("the secret leaves the address, and a reload has it and the instance again", async () => {
  const stored = new Map<string, string>();
  const first = await open("#hub=SECRET&name=ada", stored, browserLocks());
  expect(first.seen).toEqual(["/"]);
  expect(first.pairing).toMatchObject({ secret: "SECRET", name: "ada" });
  // A reload lets the lock go.
  const again = await open("", stored, browserLocks());
  expect(again.pairing).toEqual(first.pairing);
});

test("a tab that was duplicated is an instance of its own; the first keeps its name", async () => {
  const locks = browserLocks();
  const stored = new Map<string, string>();
  const first = await open("#hub=SECRET&name=ada", stored, locks);
  const copy = new Map(stored);
  const second = await open("", copy, locks);
  expect(second.pairing?.secret).toBe("SECRET");
  expect(second.pairing?.instance).not.toBe(first.pairing?.instance);
  // What is kept of each stays its own, over a reload of the second as well.
  expect(JSON.parse(copy.get(KEY) ?? "")).toEqual(second.pairing);
  expect(JSON.parse(stored.get(KEY) ?? "")).toEqual(first.pairing);
});

test("a page without a hub has no pairing, and storage that is refused ends nothing", async () => {
  expect((await open("#/map", new Map(), browserLocks())).pairing).toBeUndefined();
  vi.stubGlobal("location", {
    hash: "#hub=S",
    href: "http://localhost/",
    pathname: "/",
    search: "",
  });
  vi.stubGlobal("history", { state: null, replaceState: () => undefined });
  vi.stubGlobal("navigator", { locks: browserLocks() });
  const refused = () => {
    throw new DOMException("refused", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", { getItem: refused, setItem: refused });
  expect(await takePairing()).toMatchObject({ secret: "S" });
});
