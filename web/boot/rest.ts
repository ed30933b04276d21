/** A rate says something only after a while, in milliseconds. */
const RATE_AFTER = 1500;

/** Milliseconds that a download will take yet, at the rate that it has had; undefined for too early to say. */
export function restOf(loaded: number, total: number, took: number): number | undefined {
  if (took < RATE_AFTER || loaded <= 0) return undefined;
  return (Math.max(0, total - loaded) / loaded) * took;
}
