import type { Tabernetes } from "../cluster/api.ts";
import { sh } from "../kube/shell-line.ts";
import type { Source } from "./address.ts";
import { MOST_TEXT, ShareError, unpack } from "./pack.ts";
import type { ShortLinks } from "./short.ts";

/** Seconds that a host has to answer. */
const PATIENCE = 30;

/** The text that a link opens, as whoever made it wrote it. Throws ShareError. */
export async function read(
  source: Source,
  api: Pick<Tabernetes, "shell">,
  short: Pick<ShortLinks, "read">,
): Promise<string> {
  switch (source.from) {
    case "link":
      return unpack(source.packed);
    case "site":
      return unpack(await short.read(source.id));
    case "web":
      return fromWeb(source.address, api);
  }
}

/** The page itself reads nothing from elsewhere; the terminal does, by the browser's fetch (ADR 42). */
async function fromWeb(address: URL, api: Pick<Tabernetes, "shell">): Promise<string> {
  const enough = new AbortController();
  let length = 0;
  try {
    const { code, stdout, stderr } = await api.shell(
      sh`curl -fsSL -m ${PATIENCE} ${address.href}`,
      {
        session: "open",
        signal: enough.signal,
        output: (text) => {
          length += text.length;
          if (length > MOST_TEXT) enough.abort();
        },
      },
    );
    if (code === 0) return stdout;
    throw new ShareError(`${address.href} could not be read: ${stderr.trim().slice(0, 1000)}`);
  } catch (error) {
    if (!enough.signal.aborted) throw error;
    throw new ShareError(
      `${address.href} has more than ${MOST_TEXT} bytes, the most that is opened by a link. In the terminal kubectl apply -f takes any size.`,
    );
  }
}
