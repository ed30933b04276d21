const collator = new Intl.Collator("en", { numeric: true });

/** The order of names in which node-2 comes before node-10. `localeCompare` makes a collator at each call. */
export function byName(a: string, b: string): number {
  return collator.compare(a, b);
}
