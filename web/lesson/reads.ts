/* How files of a lesson's folder are read: by the page, of any host that lets it. All are a stranger's. */
import { MOST } from "./lesson.ts";

/** Reads a file as its host has it. Rejects in words for the reader; with MissingError where there is none. */
export type Reads = (address: URL, signal: AbortSignal) => Promise<string>;

/** Reads a picture as an address that shows it. Rejects as Reads does. */
export type Pictures = (address: URL) => Promise<string>;

/** A host has no such file, or answers with a page that says so. */
export class MissingError extends Error {
  override readonly name = "MissingError";
  /** The same, where it is said which file. */
  readonly short: string;

  constructor(message: string, short = "its host has no such file") {
    super(message);
    this.short = short;
  }
}

/**
 * An address leads to another host, which nobody has named: neither the reader who opened the lesson nor the
 * author who put it into a page. Whoever wants it from there says so.
 */
export class MovedError extends Error {
  override readonly name = "MovedError";
  readonly to: URL;

  constructor(from: URL, to: URL) {
    super(
      `${from.href} leads to another host, ${to.host}: nothing was taken from there. If the lesson is to come from it, open ${to.href.slice(0, 300)} itself.`,
    );
    this.to = to;
  }
}

/** Throws MovedError where a file came from another host than was asked, or without the TLS that was. */
export function cameFrom(asked: URL, said: string): void {
  const to = URL.canParse(said) ? new URL(said) : asked;
  const bare = asked.protocol === "https:" && to.protocol !== "https:";
  if (bare || to.host !== asked.host) throw new MovedError(asked, to);
}

/** What begins so is a page of a host's, whatever it was asked for. */
const PAGE = /^\s*(?:<!doctype html|<html)\b/i;

/** Reads by the page itself, within its policy. */
export const byPage: Reads = async (address, signal) => {
  let response: Response;
  try {
    response = await fetch(address, { signal, cache: "no-cache" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(
      `${address.href} cannot be read: its host does not answer, does not let this page read it, or this page's policy (connect-src) forbids it.`,
      { cause: error },
    );
  }
  const { status, ok, headers } = response;
  cameFrom(address, response.url);
  if (!ok) throw refused(address, status);
  if (/html/i.test(headers.get("content-type") ?? "")) throw answeredWithPage(address);
  return noPage(address, await text(response));
};

export function refused(address: URL, status: number): Error {
  const what = `${address.href} cannot be read: its host says ${status}.`;
  return status === 404 || status === 410 ? new MissingError(what) : new Error(what);
}

/** A text, unless it is a page. */
export function noPage(address: URL, said: string): string {
  if (PAGE.test(said.slice(0, 1000))) throw answeredWithPage(address);
  return said;
}

export function tooLong(address: string): Error {
  return new Error(`${address} has more than ${MOST.file} bytes: that is no lesson.`);
}

/** Reads each file once: what a reader was shown is what is used. */
export function once(reads: Reads): Reads {
  const had = new Map<string, string>();
  return async (address, signal) => {
    const said = had.get(address.href) ?? (await reads(address, signal));
    had.set(address.href, said);
    return said;
  };
}

function answeredWithPage(address: URL): MissingError {
  const folder = new URL(".", address).href;
  const name = address.href.slice(folder.length);
  return new MissingError(
    `${folder} has no ${name}: its host answered with a page. Put the lesson's folder there.`,
  );
}

/** A body as text, of as many bytes as a lesson may have. */
async function text(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || !value) break;
    size += value.length;
    if (size > MOST.file) {
      await reader?.cancel();
      throw tooLong(response.url);
    }
    parts.push(value);
  }
  return new Blob(parts).text();
}
