import { html, nothing } from "lit";

/** Where a browser breaks a word of code if it may. */
const BREAKS = /(\S*[-/?!|}]\S*)/;

/** Characters that fit on a line wherever there is one: the guide's narrowest, in a list. */
const SHORT = 20;

/** Characters that a line of prose has room for: a word that is broken takes the whole line, and none is left for a full stop. */
export const IN_PROSE = 40;

/**
 * Code, whose words are not broken inside: "--replicas" and "kube-scheduler" are one each. A longer one goes to the
 * next line in whole, and is broken only if it is wider than that; a short one needs no box of its own for it. With
 * `most`, as prose has it, one that has more characters than that is text as any other, and one that has less may be broken
 * in a table's cell.
 */
export function whole(code: string, most = Infinity): unknown[] {
  return code
    .split(BREAKS)
    .map((word, at) =>
      at % 2 && word.length <= most
        ? word.length > SHORT
          ? html`<span class="word">${most === Infinity ? word : pieces(word)}</span>`
          : html`<span class="word short">${word}</span>`
        : word,
    );
}

/** Where a table may break a word that is longer: behind a hyphen or a slash, and not before the first letter. */
function pieces(word: string): unknown[] {
  return word
    .split(/(?<=\w[-/])(?=\w)/)
    .map(
      (piece, at) => html`${at === 0 ? nothing : html`<wbr />`}<span class="piece">${piece}</span>`,
    );
}
