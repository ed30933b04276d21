import { parseAllDocuments } from "yaml";
import type { Placed } from "./places.ts";

/** What is looked at while somebody types: longer texts are read by Check only. */
const LONGEST = 256 << 10;
/** A few places are enough for one look: what comes after is often their consequence. */
const MOST = 20;

/** Where a text is no YAML, and why, in the parser's words; empty if it is. */
export function syntaxErrors(text: string): Placed[] {
  if (text.length > LONGEST || text.trim() === "") return [];
  const documents = parseAllDocuments(text, {
    keepSourceTokens: false,
    prettyErrors: false,
    version: "1.1",
  });
  return documents
    .flatMap(({ errors }) => errors)
    .slice(0, MOST)
    .map(({ message, pos: [from, to] }) => ({
      from: Math.min(from, text.length),
      to: Math.min(Math.max(to, from + 1), text.length),
      message: `YAML: ${message}`,
    }));
}
