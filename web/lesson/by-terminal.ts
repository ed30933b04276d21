import type { Tabernetes } from "../cluster/api.ts";
import { sh } from "../kube/shell-line.ts";
import { webAddress } from "../share/address.ts";
import { MOST } from "./lesson.ts";
import { cameFrom, noPage, refused, tooLong, type Reads } from "./reads.ts";

/** Seconds that a host has for each file. */
const PATIENCE = 30;

/** What the terminal's curl prints below a body: the status, and the address that answered. */
const ANSWERED = /\n(\d{3}) (\S*)$/;
/** Characters of that. */
const LONGEST = 4096;

/**
 * Reads by the terminal's curl: the workbench itself reads nothing from elsewhere (ADR 42). One file at a time,
 * in a shell of its own.
 */
export function byTerminal(api: Pick<Tabernetes, "shell">): Reads {
  let last: Promise<unknown> = Promise.resolve();
  return (address, signal) => {
    const next = last.then(() => read(address, api, signal));
    last = next.catch(() => undefined);
    return next;
  };
}

async function read(
  address: URL,
  api: Pick<Tabernetes, "shell">,
  signal: AbortSignal,
): Promise<string> {
  const { href } = webAddress(address.href, "lesson");
  const enough = new AbortController();
  let length = 0;
  try {
    const { code, stdout, stderr } = await api.shell(
      sh`curl -sS -m ${PATIENCE} -w ${"\\n%{http_code} %{url_effective}"} ${href}`,
      {
        session: "open",
        signal: AbortSignal.any([signal, enough.signal]),
        output: (text) => {
          length += text.length;
          if (length > MOST.file + LONGEST) enough.abort();
        },
      },
    );
    const [end = "", status = "0", from = ""] = ANSWERED.exec(stdout.slice(-LONGEST)) ?? [];
    if (code !== 0 || end === "")
      throw new Error(`${href} cannot be read: ${stderr.trim().slice(0, 1000)}`);
    cameFrom(address, from);
    if (status !== "200") throw refused(address, Number(status));
    return noPage(address, stdout.slice(0, -end.length));
  } catch (error) {
    if (enough.signal.aborted && !signal.aborted) throw tooLong(href);
    throw error;
  }
}
