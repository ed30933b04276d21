/** What xterm.js reports as data, taken apart. */
export type Key =
  { type: "text"; text: string } | { type: "paste"; text: string } | { type: "key"; name: KeyName };

export type KeyName =
  | "enter"
  | "tab"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word-left"
  | "word-right"
  | "kill-end"
  | "kill-start"
  | "kill-word"
  | "kill-word-right"
  | "yank"
  | "clear"
  | "interrupt"
  | "eof"
  | "search"
  | "cancel"
  | "transpose"
  | "escape";

/** Escape sequences and control characters, as GNU readline binds them by default. */
const NAMES: Record<string, KeyName> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x1b[3~": "delete",
  "\x1b[D": "left",
  "\x1bOD": "left",
  "\x02": "left",
  "\x1b[C": "right",
  "\x1bOC": "right",
  "\x06": "right",
  "\x1b[A": "up",
  "\x1bOA": "up",
  "\x10": "up",
  "\x1b[B": "down",
  "\x1bOB": "down",
  "\x0e": "down",
  "\x1b[H": "home",
  "\x1bOH": "home",
  "\x1b[1~": "home",
  "\x01": "home",
  "\x1b[F": "end",
  "\x1bOF": "end",
  "\x1b[4~": "end",
  "\x05": "end",
  "\x1b[1;5D": "word-left",
  "\x1b[1;3D": "word-left",
  "\x1bb": "word-left",
  "\x1b[1;5C": "word-right",
  "\x1b[1;3C": "word-right",
  "\x1bf": "word-right",
  "\x0b": "kill-end",
  "\x15": "kill-start",
  "\x17": "kill-word",
  "\x1b\x7f": "kill-word",
  "\x1bd": "kill-word-right",
  "\x19": "yank",
  "\x0c": "clear",
  "\x03": "interrupt",
  "\x04": "eof",
  "\x12": "search",
  "\x07": "cancel",
  "\x14": "transpose",
  "\x1b": "escape",
};

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";
// CSI and SS3 sequences; what a terminal answers to a program's question (OSC, DCS, SOS, PM, APC), up
// to its end; ESC with one more character, or one control character.
const SEQUENCE =
  // eslint-disable-next-line no-control-regex
  /^(?:\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO[@-~]|\x1b[^[O]|[\x00-\x1f\x7f])/;

/** Takes one report of xterm.js apart. Sequences that stand for nothing here are dropped. */
export function parseKeys(data: string): Key[] {
  const keys: Key[] = [];
  let rest = data;
  while (rest !== "") {
    if (rest.startsWith(PASTE_BEGIN)) {
      const end = rest.indexOf(PASTE_END);
      const text = rest.slice(PASTE_BEGIN.length, end < 0 ? undefined : end);
      keys.push({ type: "paste", text: text.replace(/\r\n?/g, "\n") });
      rest = end < 0 ? "" : rest.slice(end + PASTE_END.length);
      continue;
    }
    const sequence = SEQUENCE.exec(rest)?.[0];
    if (sequence !== undefined) {
      const name = NAMES[sequence];
      if (name) keys.push({ type: "key", name });
      rest = rest.slice(sequence.length);
      continue;
    }
    // eslint-disable-next-line no-control-regex
    const text = /^[^\x00-\x1f\x7f]+/.exec(rest)?.[0] ?? rest;
    keys.push({ type: "text", text });
    rest = rest.slice(text.length);
  }
  return keys;
}
