import type { Storage } from "../term/line/history.ts";

const KEY = "tabernetes.start";
/** What no step takes, in milliseconds: something else has been written there. */
const TOO_LONG = 3_600_000;

/** How long each step of the last start took in this browser, in milliseconds, by its name. */
export type StepTimes = Readonly<Record<string, number>>;

/** What is known of the last start; undefined when there was none, or nothing can be kept. */
export function lastStart(storage: Storage | undefined): StepTimes | undefined {
  try {
    const kept: unknown = JSON.parse(storage?.getItem(KEY) ?? "null");
    if (typeof kept !== "object" || kept === null) return undefined;
    const valid = ([, time]: [string, unknown]) =>
      typeof time === "number" && time > 0 && time < TOO_LONG;
    return Object.fromEntries(Object.entries(kept).filter(valid));
  } catch {
    return undefined;
  }
}

export function keepStart(storage: Storage | undefined, times: StepTimes): void {
  try {
    storage?.setItem(KEY, JSON.stringify(times));
  } catch {
    // Full or forbidden: the next start then has nothing to compare with.
  }
}
