import type { AttachParams } from "../rpc/protocol.ts";
import { hold } from "../state/hold.ts";

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
  if (before && (await holdInstance(before))) return before;
  const made = newInstance();
  await holdInstance(made);
  return made;
}

/** 192 random bits. */
export function newInstance(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

/**
 * Holds it for as long as the page lives; false if another tab has it. The hub keeps the newer one
 * of two that were not told apart (nodehost/hub, registry.go).
 */
function holdInstance(instance: string): Promise<boolean> {
  return hold(`${KEY}.${instance}`).held;
}
