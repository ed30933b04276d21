/**
 * Whether a shell line needs another line before it can run: an open quote, heredoc, bracket or
 * compound command, a trailing `\`, `|`, `&&` or `||`. Only the page's prompt asks this; the
 * shell in the Worker parses the line for itself and has the last word on errors.
 */
export function needsMore(text: string): boolean {
  const scan = new Scan(text);
  return scan.openAtEnd();
}

const OPENERS: Record<string, string> = {
  if: "fi",
  case: "esac",
  do: "done",
  "{": "}",
};
/** Words after which a command begins again, so that keywords count there. */
const STARTS_COMMAND = new Set(["then", "else", "elif", "do", "{", "!", "if", "while", "until"]);

class Scan {
  readonly #text: string;
  #at = 0;
  /** What must come to close what is open, the innermost last. */
  readonly #closers: string[] = [];
  readonly #heredocs: { word: string; tabs: boolean }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  openAtEnd(): boolean {
    let commandStart = true;
    let continued = false;
    while (this.#at < this.#text.length) {
      const c = this.#text.charAt(this.#at);
      const rest = this.#text.slice(this.#at);
      if (c === "\\") {
        if (this.#at + 1 >= this.#text.length) return true;
        // A backslash before the last newline asks for the line after it.
        if (rest === "\\\n") return true;
        this.#at += 2;
        if (rest.charAt(1) !== "\n") commandStart = continued = false;
      } else if (c === "'") {
        if (!this.#skipTo("'")) return true;
        commandStart = continued = false;
      } else if (c === '"') {
        if (!this.#skipDouble()) return true;
        commandStart = continued = false;
      } else if (c === "#" && this.#atWordStart()) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (/^<<-?(?!<)/.test(rest) && !rest.startsWith("<<<")) {
        if (!this.#readHeredoc(rest)) return true;
        commandStart = continued = false;
      } else if (rest.startsWith("<<<")) {
        this.#at += 3;
      } else if (c === "\n") {
        this.#at++;
        if (!this.#skipHeredocs()) return true;
        commandStart = true;
      } else if (rest.startsWith("&&") || rest.startsWith("||")) {
        this.#at += 2;
        commandStart = continued = true;
      } else if (c === "|") {
        this.#at++;
        commandStart = continued = true;
      } else if (c === ";" || c === "&") {
        this.#at++;
        // `;;` ends a branch of case: what follows is a pattern.
        commandStart = true;
        continued = false;
      } else if (c === "(") {
        this.#closers.push(")");
        this.#at++;
        commandStart = true;
        continued = false;
      } else if (c === ")") {
        // In a branch of case a lone ")" ends the pattern.
        if (this.#closers.at(-1) === ")") this.#closers.pop();
        this.#at++;
        commandStart = true;
      } else if (/\s/.test(c)) {
        this.#at++;
      } else {
        const word = /^[^\s;&|()<>'"\\]+/.exec(rest)?.[0] ?? c;
        this.#at += word.length;
        if (commandStart) this.#keyword(word);
        commandStart = STARTS_COMMAND.has(word);
        continued = false;
      }
    }
    return continued || this.#closers.length > 0 || this.#heredocs.length > 0;
  }

  #keyword(word: string): void {
    if (this.#closers.at(-1) === word) this.#closers.pop();
    else if (Object.hasOwn(OPENERS, word)) this.#closers.push(OPENERS[word] ?? "");
    else if (word === "for" || word === "while" || word === "until") {
      // Closed by the `done` that belongs to the `do` still to come.
      if (!/\bdo\b/.test(this.#text.slice(this.#at))) this.#closers.push("done");
    }
  }

  #atWordStart(): boolean {
    return this.#at === 0 || /[\s;&|(]/.test(this.#text.charAt(this.#at - 1));
  }

  #skipTo(quote: string): boolean {
    const end = this.#text.indexOf(quote, this.#at + 1);
    if (end < 0) return false;
    this.#at = end + 1;
    return true;
  }

  #skipDouble(): boolean {
    for (let i = this.#at + 1; i < this.#text.length; i++) {
      const c = this.#text.charAt(i);
      if (c === "\\") i++;
      else if (c === '"') {
        this.#at = i + 1;
        return true;
      }
    }
    return false;
  }

  #readHeredoc(rest: string): boolean {
    const match = /^<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|([^\s;&|()<>'"]+))/.exec(rest);
    if (!match) return false;
    const word = match[2] ?? match[3] ?? (match[4] ?? "").replaceAll("\\", "");
    this.#heredocs.push({ word, tabs: match[1] === "-" });
    this.#at += match[0].length;
    return true;
  }

  /** Moves behind the heredocs announced on the line that just ended. */
  #skipHeredocs(): boolean {
    while (this.#heredocs.length > 0) {
      const { word, tabs } = this.#heredocs[0] ?? { word: "", tabs: false };
      const end = this.#text.indexOf("\n", this.#at);
      const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
      if ((tabs ? line.replace(/^\t+/, "") : line) === word) this.#heredocs.shift();
      else if (end < 0) return false;
      if (end < 0) {
        this.#at = this.#text.length;
        return this.#heredocs.length === 0;
      }
      this.#at = end + 1;
    }
    return true;
  }
}
