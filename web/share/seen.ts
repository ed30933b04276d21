/** Controls, what Unicode does not show, and what turns the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** A text with what cannot be seen in it made visible: a reader is to see what there is. */
export function seen(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSEEN, (one) => {
    if (one === "\n" || one === "\t") return one;
    return `‹U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}
