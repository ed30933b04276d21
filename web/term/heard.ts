import type { Terminal } from "@xterm/xterm";
import { Disposables, type Disposable } from "../state/disposable.ts";

/**
 * What a screen reader has of a terminal, beyond xterm.js' screen reader mode: each thing that is printed
 * once, and the line that is typed, whoever typed it, as the text of a field.
 */
export class Heard implements Disposable {
  readonly #textarea: HTMLTextAreaElement;
  readonly #held = new Disposables();
  #line: { text: string; cursor: number } = { text: "", cursor: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `element` is the one that the terminal was opened in. */
  constructor(element: HTMLElement, terminal: Terminal, textarea: HTMLTextAreaElement) {
    this.#textarea = textarea;
    this.#sayOnce(element);
    this.#takeKeyless(element, terminal);
    this.#held.add({ dispose: () => clearTimeout(this.#timer) });
  }

  /**
   * xterm.js writes all that was printed since the last key again with each piece that comes, and so all
   * of it would be said again. What is said here are the pieces.
   */
  #sayOnce(element: HTMLElement): void {
    element.querySelector(".xterm-accessibility-tree")?.setAttribute("aria-label", "Screen");
    const all = element.querySelector(".live-region");
    if (!all) return;
    all.setAttribute("aria-live", "off");
    all.setAttribute("aria-hidden", "true");
    const said = document.createElement("div");
    said.className = "said";
    said.role = "log";
    said.ariaLabel = "Printed";
    all.after(said);
    let before = "";
    const observer = new MutationObserver(() => {
      const now = all.textContent;
      const goesOn = now.startsWith(before) && before !== "";
      const piece = goesOn ? now.slice(before.length) : now;
      before = now;
      if (!goesOn) said.replaceChildren();
      if (piece === "") return;
      const line = document.createElement("div");
      line.textContent = piece;
      said.append(line);
    });
    observer.observe(all, { childList: true, characterData: true, subtree: true });
    this.#held.add({ dispose: () => observer.disconnect() });
  }

  /**
   * In that mode the field keeps what was typed, and xterm.js takes from it neither what comes without a
   * key (dictation, a panel of emoji) nor what an input method puts anywhere but at its end.
   */
  #takeKeyless(element: HTMLElement, terminal: Terminal): void {
    const textarea = this.#textarea;
    let byKey = false;
    let composing = false;
    let taken = false;
    let reading = 0;
    // xterm.js reads the field in the turn after the event: what stands there until then is the browser's.
    const read = () => {
      reading++;
      setTimeout(() =>
        setTimeout(() => {
          reading--;
          this.#put();
        }, 0),
      );
    };
    // Above the field: before xterm.js looks.
    element.addEventListener(
      "keydown",
      (event) => {
        byKey = true;
        // The key's own name is "Process", "Unidentified" or "Dead" by browser and system; the code is one.
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- xterm.js goes by it, too
        if (event.keyCode !== COMPOSING) return;
        if (textarea.selectionEnd < textarea.value.length) textarea.value = "";
        // What the input method makes of the key may come turns later, and xterm.js counts from the field's end.
        taken = true;
      },
      true,
    );
    const released = () => {
      byKey = false;
      if (!taken) return;
      taken = false;
      read();
    };
    element.addEventListener("keyup", released, true);
    textarea.addEventListener("blur", released);
    textarea.addEventListener("input", (event) => {
      const { inputType, data } = event;
      if (!byKey && inputType === "insertText" && data) terminal.input(data);
    });
    textarea.addEventListener("compositionstart", () => (composing = true));
    textarea.addEventListener("compositionend", () => {
      composing = false;
      read();
    });
    this.#put = () => {
      const { text, cursor } = this.#line;
      if (composing || taken || reading > 0) return;
      if (textarea.value !== text) textarea.value = text;
      if (textarea.selectionEnd !== cursor) textarea.setSelectionRange(cursor, cursor);
    };
  }

  #put: () => void = () => undefined;

  /** The line as it stands at the prompt: what came of a completion or of the history is in the field, too. */
  line(text: string, cursor: number): void {
    this.#line = { text, cursor };
    clearTimeout(this.#timer);
    // The browser puts what was typed into the field after xterm.js has had it.
    this.#timer = setTimeout(() => this.#put(), 0);
  }

  dispose(): void {
    this.#held.dispose();
  }
}

/** The code of a key that an input method has taken. */
const COMPOSING = 229;
