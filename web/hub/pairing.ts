import type { AttachParams } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";

/** Where a tab keeps what it was opened with: for itself, and for as long as it is open. */
export const KEY = "tabernetes.hub";

/**
 * Takes the hub's secret out of the address (`#hub=SECRET&name=NAME`, as nodehost prints it), so
 * that it is neither seen nor copied along, and keeps it for reloads of this tab. Must run before
 * anything else reads the fragment.
 */
export async function takePairing(): Promise<AttachParams | undefined> {
  const given = new URLSearchParams(location.hash.replace(/^#/, ""));
  const secret = given.get("hub");
  let kept: Partial<AttachParams> = {};
  if (secret) {
    history.replaceState(history.state, "", location.pathname + location.search);
    kept = { secret, name: given.get("name") ?? "" };
  }
  try {
    const before = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<AttachParams>;
    kept = { ...before, ...kept };
  } catch {
    // Storage is forbidden: the pairing then lasts until the next reload.
  }
  if (!kept.secret) return undefined;
  const instance = await ownInstance(kept.instance);
  const pairing: AttachParams = {
    url: hubUrl(location.href),
    secret: kept.secret,
    name: kept.name ?? "",
    instance,
  };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(pairing));
  } catch {
    // As above.
  }
  return pairing;
}

/** The hub that served the page. */
export function hubUrl(page: string): string {
  const url = new URL("/hub/v1/tunnel", page);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/**
 * The instance of before, so that a reloaded tab keeps its name at the hub; a new one in a tab
 * that was duplicated, which has a copy of the storage while the first one is still open.
 */
async function ownInstance(before: string | undefined): Promise<string> {
  if (before && (await hold(before))) return before;
  const made = newInstance();
  await hold(made);
  return made;
}

/** 192 random bits. */
export function newInstance(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

/** Takes a lock as long as the page lives; false if another tab has it. */
function hold(instance: string): Promise<boolean> {
  // Browsers have locks at secure addresses only.
  if (!("locks" in navigator)) return holdByAsking(`${KEY}.${instance}`).held;
  return new Promise((resolve) => {
    void navigator.locks
      .request(`${KEY}.${instance}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock ? new Promise<never>(() => undefined) : undefined;
      })
      .catch(() => resolve(true));
  });
}

/** How long the other tabs of this browser have to say that they hold something, in milliseconds. */
const ANSWER_MS = 300;

/**
 * Holds a name among the tabs of this origin by asking them, and answers those that ask later. A tab
 * that is frozen says nothing; the hub then keeps the newer one (nodehost/hub, registry.go).
 */
export function holdByAsking(
  name: string,
  patience = ANSWER_MS,
): Disposable & { held: Promise<boolean> } {
  if (typeof BroadcastChannel === "undefined") {
    return { held: Promise.resolve(true), dispose: () => undefined };
  }
  const channel = new BroadcastChannel(name);
  const me = newInstance();
  const held = new Promise<boolean>((resolve) => {
    let asking = true;
    const settle = (mine: boolean) => {
      if (!asking) return;
      asking = false;
      if (!mine) channel.close();
      resolve(mine);
    };
    channel.onmessage = ({ data }: MessageEvent<{ asks?: string; held?: boolean }>) => {
      if (data.held) settle(false);
      else if (data.asks && !asking) channel.postMessage({ held: true });
      // Both ask at once: one of them has to give way.
      else if (data.asks && data.asks < me) settle(false);
    };
    channel.postMessage({ asks: me });
    setTimeout(() => settle(true), patience);
  });
  return { held, dispose: () => channel.close() };
}
