/*
 * The configuration that a new cluster is to begin with, handed over the reload that ends the old one: some of
 * it counts when a cluster starts only.
 */
const KEY = "tabernetes.configuration";

/** Texts by the names of their files (docs/configuration.md). */
export type Files = Readonly<Record<string, string>>;

/** Leaves files for the page that is loaded next in this tab. */
export function leaveForNextStart(files: Files, storage: Pick<Storage, "setItem">): void {
  storage.setItem(KEY, JSON.stringify(files));
}

/** Takes what the page before has left, once; undefined for nothing. */
export function takeForThisStart(
  storage: Pick<Storage, "getItem" | "removeItem"> | undefined,
): Files | undefined {
  const text = storage?.getItem(KEY) ?? null;
  if (text === null) return undefined;
  storage?.removeItem(KEY);
  try {
    const files = JSON.parse(text) as Files;
    return Object.values(files).every((file) => typeof file === "string") ? files : undefined;
  } catch {
    return undefined; // whatever it is, the page has to open
  }
}
