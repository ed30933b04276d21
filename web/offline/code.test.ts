import { expect, test } from "vitest";
import { keepCode, noteOf, type Browser } from "./code.ts";

const URL = "https://host.example/assets/tabernetes.wasm";

/** A browser, and what was done in it, in order. */
function browser(why = "") {
  const did: string[] = [];
  const kept = new Map<string, string>();
  const cache = {
    match: (url: string) =>
      Promise.resolve(kept.has(url) ? new Response(kept.get(url)) : undefined),
    put: async (url: string, response: Response) => {
      kept.set(url, await response.text());
      did.push(`noted ${kept.get(url)}`);
    },
  };
  const fake: Browser = {
    userAgentData: { brands: [{ brand: "Not=A?Brand" }, { brand: "Chromium" }] },
    caches: { open: () => Promise.resolve(cache as unknown as Cache) },
    ask: (url) => {
      did.push(`asked for ${url}`);
      return why ? Promise.reject(new Error(why)) : Promise.resolve();
    },
    pause: (milliseconds) => {
      did.push(`paused ${milliseconds}`);
      return Promise.resolve();
    },
  };
  return { fake, did, kept };
}

test("the module is asked for once more when its program has run for a while, and later", async () => {
  const { fake, did } = browser();
  await keepCode(URL, fake);
  const asked = `asked for ${URL}`;
  expect(did).toEqual([
    ...["paused 2000", asked, "noted 1"],
    ...["paused 13000", asked],
    ...["paused 45000", asked],
  ]);
});

test("in three visits, and no more", async () => {
  const { fake, did } = browser();
  for (let visit = 1; visit <= 3; visit++) await keepCode(URL, fake);
  expect(did.filter((what) => what.startsWith("noted"))).toEqual(["noted 1", "noted 2", "noted 3"]);
  did.length = 0;
  await keepCode(URL, fake);
  expect(did).toEqual([]);
});

test("a count that somebody wrote is none", async () => {
  const { fake, kept } = browser();
  kept.set(noteOf(URL), "<script>");
  await keepCode(URL, fake);
  expect(kept.get(noteOf(URL))).toBe("1");
});

test("what a browser has cleared is not counted", async () => {
  const { fake, did } = browser("the cache does not have it: 404");
  await expect(keepCode(URL, fake)).rejects.toThrow("404");
  expect(did).toEqual(["paused 2000", `asked for ${URL}`]);
});

test("a browser that would compile all of it again, or has little memory, is left alone", async () => {
  const { fake, did } = browser();
  const unknown = { ...fake };
  delete unknown.userAgentData;
  const others: Browser[] = [
    unknown,
    { ...fake, userAgentData: { brands: [{ brand: "Other" }] } },
    { ...fake, deviceMemory: 2 },
  ];
  for (const other of others) await keepCode(URL, other);
  expect(did).toEqual([]);
});
