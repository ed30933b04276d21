/*
 * What a stranger may write into an object: its name, where the API takes any path segment for one
 * (roles, bindings, signing requests), and its values. For a shell, for HTML, for a terminal, for a
 * reader, and for whoever thought that texts are short.
 */

/** Would make the namespace "pwned", were it a line for a shell. */
export const COMMAND = "x;kubectl create ns pwned";

const MARKUP = "<img src=x onerror='globalThis.pwned=1'><script>globalThis.pwned=1<\u002fscript>";

export const NAMES = {
  command: COMMAND,
  substitution: "$(kubectl create ns pwned)",
  quotes: `it's "a\\name"`,
  selector: "x,metadata.name=y",
  markup: MARKUP.replaceAll("/", "|"),
  template: "${globalThis.pwned=1}{{constructor}}",
  terminal: "\u001b[2J\u001b]52;c;eA==\u0007\u001b[201~\u0015kubectl create ns pwned\r",
  backwards: "\u202egpj.exe\u2066 \u05d0\u05d1\u05d2",
  lines: "one\ntwo\u2028three",
  long: "n".repeat(65_536),
};

export const VALUES = {
  ...NAMES,
  markup: MARKUP,
  link: "javascript:globalThis.pwned=1",
  wide: "w".repeat(65_536),
  tall: "tall\n".repeat(13_000),
};
