import { html } from "lit";

/** Where a browser breaks a word of code if it may. */
const BREAKS = /(\S*[-/?!|}]\S*)/;

/** Characters that fit on a line wherever there is one: the guide's narrowest, in a list. */
const SHORT = 20;

/** Characters that a line of prose has room for: a word that is broken takes the whole line, and none is left for a full stop. */
export const IN_PROSE = 40;

/**
 * Code, whose words are not broken inside: "--replicas" and "kube-scheduler" are one each. A longer one goes to the
 * next line in whole, and is broken only if it is wider than that; a short one needs no box of its own for it. With
 * `most` one that has more characters than that is text as any other.
 */
export function whole(code: string, most = Infinity): unknown[] {
  return code
    .split(BREAKS)
    .map((word, at) =>
      at % 2 && word.length <= most
        ? html`<span class=${word.length > SHORT ? "word" : "word short"}>${word}</span>`
        : word,
    );
}
