import type { Session } from "../session/session.ts";
import { MOST_TEXT, pack, ShareError } from "./pack.ts";

/** What is shared of a cluster. */
export interface Shared {
  /** What people made in it, as a manifest (core/manifest); "" if that is nothing. */
  text: string;
  /** How it stands in a link; "" where it does not fit. */
  packed: string;
  /** Why it does not fit. */
  problem: string;
}

/** Reads what people made in a cluster, and packs it. Secrets are in it only if asked for. */
export async function share(
  { api, cluster }: Pick<Session, "api" | "cluster">,
  secrets: boolean,
): Promise<Shared> {
  await api.ready;
  const decoder = new TextDecoder();
  let text = "";
  const call = cluster.client.call(
    "manifest",
    { secrets },
    {
      data: (chunk) => {
        text += decoder.decode(chunk, { stream: true });
        // Beyond what fits, whatever follows: the rest is not waited for.
        if (text.length > MOST_TEXT) call.cancel();
        return undefined;
      },
    },
  );
  try {
    await call.result;
  } catch (error) {
    if (text.length <= MOST_TEXT) throw error;
  }
  if (text === "") return { text, packed: "", problem: "" };
  try {
    return { text, packed: await pack(text), problem: "" };
  } catch (error) {
    if (!(error instanceof ShareError)) throw error;
    return { text, packed: "", problem: error.message };
  }
}
