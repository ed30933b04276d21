import type { GoRuntime } from "./gohost.ts";

/**
 * Gives the program a wall clock on which no two readings are the same. A browser's counts in
 * milliseconds; upstream names each Event after its object and the nanosecond at which it
 * happened, so that the second of two Events within a millisecond would be refused and lost.
 *
 * The time is the browser's (Date.now), with how often it was read within the millisecond as
 * nanoseconds. It is written where wasm_exec.js writes it.
 */
export function installClock(go: GoRuntime): void {
  let last = 0;
  let readings = 0;
  const walltime = (sp: number): void => {
    const now = Date.now();
    readings = now === last ? Math.min(readings + 1, 999_999) : 0;
    last = now;
    const at = sp >>> 0;
    const seconds = Math.floor(now / 1000);
    go.mem.setUint32(at + 8, seconds, true);
    go.mem.setInt32(at + 12, Math.floor(seconds / 2 ** 32), true);
    go.mem.setInt32(at + 16, (now % 1000) * 1_000_000 + readings, true);
  };
  Object.assign(go.importObject.gojs ?? {}, { "runtime.walltime": walltime });
}
