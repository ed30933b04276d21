import type { GoRuntime } from "./gohost.ts";

/** What the program's clocks are made of; the real ones are the browser's. */
export interface Time {
  /** Milliseconds since 1970 (Date.now). */
  wall(): number;
  /** Milliseconds that only grow (performance.now). */
  steady(): number;
}

const BROWSER: Time = { wall: () => Date.now(), steady: () => performance.now() };

/** Milliseconds between two looks at the clock after which the program has been asleep. */
const ASLEEP = 10_000;
/** How often somebody looks, so that only a sleep can make that gap. */
const LOOK = 1000;

/** Writes a number as the 64-bit integer that the program reads there. */
function setInt64(go: GoRuntime, at: number, value: number): void {
  go.mem.setUint32(at, value, true);
  go.mem.setInt32(at + 4, Math.floor(value / 2 ** 32), true);
}

/** The program's clocks, as the Worker handles them. */
export interface Clock {
  /** Looks at the monotonic clock, so that it is known that somebody was there: milliseconds. */
  look: () => number;
  stop: () => void;
  /** The monotonic clock stands still from now on: the cluster is put to sleep. */
  hold: () => void;
  /** It goes on where it stood. */
  release: () => void;
}

/**
 * Gives the program its two clocks, where wasm_exec.js has its own. Everything that tells the
 * program the time is here.
 */
export function installClock(
  go: GoRuntime,
  onSleep: (milliseconds: number) => void = () => undefined,
  time: Time = BROWSER,
): Clock {
  const { steady, hold, release } = steadyClock(time, onSleep);
  Object.assign(go.importObject.gojs ?? {}, {
    "runtime.walltime": wallClock(go, time),
    "runtime.nanotime1": (sp: number): void => {
      setInt64(go, (sp >>> 0) + 8, steady() * 1_000_000);
    },
  });
  let timer = setInterval(steady, LOOK);
  return {
    look: steady,
    stop: () => clearInterval(timer),
    hold: () => {
      clearInterval(timer);
      hold();
    },
    release: () => {
      release();
      clearInterval(timer);
      timer = setInterval(steady, LOOK);
    },
  };
}

/**
 * A wall clock on which no two readings are the same. A browser's counts in milliseconds; upstream
 * names each Event after its object and the nanosecond at which it happened, so that the second of
 * two Events within a millisecond would be refused and lost.
 *
 * The time is the browser's, with how often it was read within the millisecond as nanoseconds.
 */
function wallClock(go: GoRuntime, time: Time): (sp: number) => void {
  let last = 0;
  let readings = 0;
  return (sp) => {
    const now = time.wall();
    readings = now === last ? Math.min(readings + 1, 999_999) : 0;
    last = now;
    const at = sp >>> 0;
    setInt64(go, at + 8, Math.floor(now / 1000));
    go.mem.setInt32(at + 16, (now % 1000) * 1_000_000 + readings, true);
  };
}

/**
 * The monotonic clock, which times out leases, probes and evictions: it stands still while the tab
 * sleeps, as Linux' does while a machine is suspended (ADR 15). A tab that is frozen for a minute
 * could not hear its nodes; without this it would find them all gone when it wakes.
 */
function steadyClock(
  time: Time,
  onSleep: (milliseconds: number) => void,
): { steady: () => number; hold: () => void; release: () => void } {
  let last = time.steady();
  let slept = 0;
  let held = false;
  /** What lies between two looks was slept through. */
  const skip = (gap: number) => {
    slept += gap;
    // Not from here: the program is in the middle of something.
    if (gap > ASLEEP) setTimeout(() => onSleep(gap));
  };
  const steady = () => {
    if (held) return last - slept;
    const now = time.steady();
    const gap = now - last;
    last = now;
    if (gap > ASLEEP) skip(gap);
    return now - slept;
  };
  return {
    steady,
    hold: () => {
      steady();
      held = true;
    },
    release: () => {
      if (!held) return;
      held = false;
      const now = time.steady();
      const gap = now - last;
      last = now;
      skip(gap);
    },
  };
}
