/*
 * Lines for a shell. Names come from the API, and there a name may be nearly anything: those of
 * roles, bindings and signing requests are only kept from being "." or "..", or having "/" or "%".
 */

/** What no shell reads as anything but itself, wherever it stands after the command. */
const PLAIN = /^[A-Za-z0-9_@+:,./-][A-Za-z0-9_@+:,./=-]*$/;

/**
 * What a terminal or a reader would take for something else: control characters, and those that
 * Unicode does not show or that turn the direction of what follows.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/u;

const encoder = new TextEncoder();

/**
 * One word, so that a POSIX shell takes it as it is. What cannot be seen becomes `$'\033'` with
 * octal bytes, which bash, zsh, busybox and the page's shell undo; a shell that does not know the
 * form gets another word, but never a second command, as there is no quote inside of it.
 */
export function quote(word: string): string {
  if (PLAIN.test(word)) return word;
  if (word === "") return "''";
  return word
    .split(new RegExp(`(${UNSEEN.source})`, "u"))
    .filter((part) => part !== "")
    .map((part) => {
      if (UNSEEN.test(part)) return `$'${octal(part)}'`;
      return PLAIN.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`;
    })
    .join("");
}

function octal(text: string): string {
  return [...encoder.encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}

/** Words as one line. */
export function quoteAll(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

/**
 * A line with every value quoted: sh`kubectl logs ${name} -n ${namespace}`. A list becomes as many
 * words. ESLint refuses lines that are put together in any other way (eslint.config.js).
 */
export function sh(
  fixed: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): string {
  return fixed.reduce((line, text, i) => {
    const value = values[i - 1] ?? "";
    const words = typeof value === "object" ? quoteAll(value) : quote(String(value));
    return `${line}${words}${text}`;
  });
}
