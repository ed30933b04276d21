import type { Key } from "./line/keys.ts";
import { width } from "./line/width.ts";

/**
 * What is typed while a command runs: it waits for whoever asks first, and is shown meanwhile among the command's
 * output.
 */
export class Ahead {
  /** Keys not taken yet. */
  #keys: Key[] = [];
  /** How many of them stand on the screen. */
  #echoed = 0;
  /** Nothing has been written behind the echo. */
  #isLast = false;

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  push(...keys: readonly Key[]): void {
    this.#keys.push(...keys);
  }

  /** The next one, and whether it stands on the screen already. */
  take(): { key: Key; echoed: boolean } | undefined {
    const key = this.#keys.shift();
    const echoed = this.#echoed > 0;
    if (echoed) this.#echoed--;
    return key && { key, echoed };
  }

  /** Takes the interrupts, each of which also takes what was typed before it. Gives how many there were. */
  takeInterrupts(): number {
    const last = this.#keys.findLastIndex(isInterrupt);
    const taken = this.#keys.splice(0, last + 1);
    return taken.filter(isInterrupt).length;
  }

  /** What is to be written so that all of it stands on the screen. */
  echo(): string[] {
    const rest = this.#keys.slice(this.#echoed);
    if (rest.length > 0) this.#isLast = true;
    this.#echoed = this.#keys.length;
    return rest.flatMap((key) => {
      if (key.type !== "key") return key.text;
      return key.name === "enter" ? "\r\n" : [];
    });
  }

  /** Something else was written. */
  writtenOver(): void {
    this.#isLast = false;
  }

  /** The echo is not there any more: the prompt shows once more what was typed for it. */
  notEchoed(): void {
    this.#echoed = 0;
  }

  /** Columns before the cursor that are the echo. */
  get width(): number {
    if (!this.#isLast) return 0;
    const echoed = this.#keys.slice(0, this.#echoed);
    const line = echoed.slice(echoed.findLastIndex(({ type }) => type === "key") + 1);
    return line.reduce((sum, key) => sum + (key.type === "text" ? width(key.text) : 0), 0);
  }

  forget(): void {
    this.#keys = [];
  }
}

function isInterrupt(key: Key): boolean {
  return key.type === "key" && key.name === "interrupt";
}
