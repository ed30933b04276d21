import { afterEach, expect, test, vi } from "vitest";
import { installed, type Workers } from "./installed.ts";
import { keepForOffline } from "./offline.ts";
import { REFUSED } from "./published.ts";

const SCRIPT = new URL("https://host.example/a/sw.js");

/** A service worker that is being installed, and the page's side of it. */
function fake(active: object | null = null) {
  const worker = Object.assign(new EventTarget(), { state: "installing" });
  const registration = { installing: worker, waiting: null, active };
  const container = Object.assign(new EventTarget(), {
    register: () => Promise.resolve(registration as unknown as ServiceWorkerRegistration),
  });
  return {
    registration,
    workers: container as Workers,
    becomes: (state: string) => {
      worker.state = state;
      if (state === "activating") registration.active = worker;
      worker.dispatchEvent(new Event("statechange"));
    },
    tells: (data: unknown) => container.dispatchEvent(new MessageEvent("message", { data })),
  };
}
/** Lets what is under way go on to where it waits. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

afterEach(() => vi.unstubAllGlobals());

test("the first visit waits until the site's files are kept", async () => {
  const { workers, registration, becomes } = fake();
  const done = vi.fn();
  const waits = installed(workers, SCRIPT).then(done);
  await turn();
  becomes("installed");
  await turn();
  expect(done).not.toHaveBeenCalled();
  becomes("activating");
  await waits;
  expect(done).toHaveBeenCalledWith(registration);
});

test("files that cannot be kept are told, with what the service worker says", async () => {
  const { workers, becomes, tells } = fake();
  const refused = expect(installed(workers, SCRIPT)).rejects.toThrow(
    "the site's files were not kept: page/a.js, as the host sends it, is not what was published. The next visit tries again",
  );
  await turn();
  tells("something else");
  tells({ type: REFUSED, why: 7 });
  tells({
    type: REFUSED,
    why: "page/a.js, as the host sends it, is not what was published",
  });
  becomes("redundant");
  await refused;
});

test("a reason that comes after the failure is told", async () => {
  const { workers, becomes, tells } = fake();
  const refused = expect(installed(workers, SCRIPT)).rejects.toThrow("page/b.js is not there");
  await turn();
  becomes("redundant");
  await turn();
  tells({ type: REFUSED, why: "page/b.js is not there" });
  await refused;
});

test("a browser that gives no reason is said to give none", async () => {
  const { workers, becomes } = fake();
  const refused = expect(installed(workers, SCRIPT)).rejects.toThrow("the browser did not say why");
  await turn();
  becomes("redundant");
  await refused;
});

test("a later visit waits for no newer version", async () => {
  const { workers, registration } = fake({});
  expect(await installed(workers, SCRIPT)).toBe(registration);
});

test("a page that may have no service worker says why", async () => {
  const assets = new URL("https://host.example/assets/");
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("isSecureContext", false);
  expect(await keepForOffline(Promise.resolve(), assets)).toEqual({
    is: "refused",
    why: expect.stringContaining("serve it by https, or on localhost") as unknown,
  });
  vi.stubGlobal("isSecureContext", true);
  expect(await keepForOffline(Promise.resolve(), assets)).toEqual({
    is: "refused",
    why: expect.stringContaining("no service worker") as unknown,
  });
});

test("what the browser refuses is told, whichever it is, of the script beside the assets", async () => {
  const { workers } = fake();
  const asked: string[] = [];
  workers.register = (script) => {
    asked.push(script);
    return Promise.reject(new Error("the script has an unsupported type"));
  };
  const assets = new URL("https://host.example/a/assets/");
  expect(await keepForOffline(Promise.resolve(), assets, workers)).toEqual({
    is: "refused",
    why: "the script has an unsupported type",
  });
  expect(asked).toEqual([SCRIPT.href]);
});
