/** Milliseconds between two reports of the download. */
const REPORT_EVERY = 100;
/** Milliseconds without a byte after which the download says so. */
const STALLED_AFTER = 10_000;

/** Counts bytes as they come, and says so now and then. */
export class Meter {
  bytes = 0;
  readonly #report: (bytes: number, note?: string) => void;
  readonly #watchdog: ReturnType<typeof setInterval>;
  #lastReport = 0;
  #lastByte = performance.now();

  constructor(report: (bytes: number, note?: string) => void) {
    this.#report = report;
    this.#watchdog = setInterval(() => {
      const silent = performance.now() - this.#lastByte;
      if (silent > STALLED_AFTER) {
        report(this.bytes, `waiting: nothing has arrived for ${Math.round(silent / 1000)} s`);
      }
    }, 1000);
  }

  add(bytes: number): void {
    this.bytes += bytes;
    this.#lastByte = performance.now();
    if (this.#lastByte - this.#lastReport < REPORT_EVERY) return;
    this.#lastReport = this.#lastByte;
    this.#report(this.bytes);
  }

  stop(): void {
    clearInterval(this.#watchdog);
  }

  /** Counts a body without keeping it. Settles when that has ended, in whatever way; never rejects. */
  async count(response: Response): Promise<{ bytes: number; failed?: unknown }> {
    try {
      const reader = response.body?.getReader();
      while (reader) {
        const { done, value } = await reader.read();
        if (done) break;
        this.add(value.byteLength);
      }
      return { bytes: this.bytes };
    } catch (failed) {
      return { bytes: this.bytes, failed };
    } finally {
      this.stop();
    }
  }
}
