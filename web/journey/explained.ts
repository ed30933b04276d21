/*
 * Words of the trade in what is said of a step, which the guide's glossary explains.
 */

/** A part of a sentence: words as they are, or one that is explained, by the glossary's name. */
export type Said = string | { readonly name: string; readonly said: string };

/** How a sentence says a word, by its name in the glossary; each by a group of its own in one expression. */
const TERMS: readonly (readonly [name: string, said: string])[] = [
  ["informer", "informer"],
  ["handler", "handlers?"],
  ["sandbox", "sandbox"],
  ["pause", "pause"],
  ["watch", "watch"],
  ["revision", "revision"],
  ["service-account", "service account"],
  ["projected-token", "serviceAccountToken"],
  ["work-queue", "(?<=from its )queue"],
  ["linux-namespace", "(?<=holds its )namespaces"],
  ["field-manager", "noted as who set"],
];

// A name is not a word of the sentence: pods may be called anything.
const WORDS = new RegExp(
  `(?<![\\w./-])(?:${TERMS.map(([, said]) => `(${said})`).join("|")})(?![\\w./-])`,
  "g",
);

/** A sentence in its parts: of each word that is explained the first time that it is said. */
export function explained(sentence: string): readonly Said[] {
  const parts: Said[] = [];
  const known = new Set<string>();
  let from = 0;
  for (const match of sentence.matchAll(WORDS)) {
    const name = TERMS[match.slice(1).findIndex(Boolean)]?.[0];
    if (name === undefined || known.has(name)) continue;
    known.add(name);
    parts.push(sentence.slice(from, match.index), { name, said: match[0] });
    from = match.index + match[0].length;
  }
  return [...parts, sentence.slice(from)].filter((part) => part !== "");
}

/** The names of the glossary's words that sentences have. */
export const EXPLAINED: readonly string[] = TERMS.map(([name]) => name);
