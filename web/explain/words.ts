/* What strangers have said, and numbers, as they stand in a sentence. */

/** Characters of a stranger's words that stand in a sentence. */
const LONGEST = 200;

/** What no reader sees, or what would turn the direction of what follows. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\s]+/gu;

/** A stranger's words on one line, bounded, without a full stop; "" for what is no text. */
export function told(text: unknown, longest = LONGEST): string {
  if (typeof text !== "string") return "";
  // Much longer ones are not searched through to their end.
  const line = text
    .slice(0, 4 * longest)
    .replace(UNSEEN, " ")
    .trim();
  const letters = Array.from(line);
  if (letters.length > longest) return `${letters.slice(0, longest).join("")}…`;
  return line.replace(/\.$/, "");
}

/** "the third time"; "" for the first. */
export function times(count: number): string {
  if (!(count > 1)) return "";
  const word = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];
  return `, the ${word[count - 2] ?? `${count}${ending(count)}`} time`;
}

function ending(count: number): string {
  const last = count % 100 > 10 && count % 100 < 14 ? 0 : count % 10;
  return ["th", "st", "nd", "rd"][last] ?? "th";
}

/** "1 pod", "3 pods". */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** "a", "a and b", "a, b and 3 more". */
export function listed(all: readonly string[], most = 3): string {
  const shown = all.length > most ? all.slice(0, most - 1) : all;
  const rest = all.length - shown.length;
  const last = rest > 0 ? `${rest} more` : shown.at(-1);
  const first = rest > 0 ? shown : shown.slice(0, -1);
  return first.length > 0 ? `${first.join(", ")} and ${last ?? ""}` : (last ?? "");
}

/** A sentence from its parts, the first letter large. */
export function sentence(...parts: readonly (string | false | undefined)[]): string {
  const text = parts.filter((part) => part).join("");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
