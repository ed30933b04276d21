import type { Key } from "./line/keys.ts";

/**
 * The command that a pasted manifest is meant for. It is put at the prompt and not run: whoever has
 * pasted it sees what Enter will do.
 */
export function asApply(key: Key): string | undefined {
  if (key.type !== "paste") return undefined;
  const text = key.text.trim();
  if (!/^(?:(?:#.*|---.*|\s*)\n)*apiVersion:/.test(text)) return undefined;
  const lines = text.split("\n");
  let end = "EOF";
  while (lines.includes(end)) end += "F";
  // The text is a heredoc's, which expands nothing, and its end is not in it.
  // eslint-disable-next-line no-restricted-syntax
  return `kubectl apply -f - <<'${end}'\n${text}\n${end}`;
}
