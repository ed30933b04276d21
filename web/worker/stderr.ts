/**
 * The last lines the Go program wrote to standard error. When it ends, they say why: a panic
 * prints its goroutines there, `klog.Fatal` its message.
 */
export class StderrTail {
  readonly #lines: string[] = [];
  readonly #limit: number;
  readonly #decoder = new TextDecoder();
  #open = "";

  /** @param limit how many lines to keep */
  constructor(limit = 400) {
    this.#limit = limit;
  }

  /** Takes bytes as they were written; returns the lines they completed. */
  write(bytes: Uint8Array): string[] {
    const lines = (this.#open + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#open = lines.pop() ?? "";
    this.#lines.push(...lines);
    if (this.#lines.length > this.#limit) this.#lines.splice(0, this.#lines.length - this.#limit);
    return lines;
  }

  text(): string {
    return [...this.#lines, ...(this.#open ? [this.#open] : [])].join("\n");
  }
}
