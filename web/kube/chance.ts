/** Whether several nodes have the highest score: of those upstream's scheduler takes one by chance (selectHost). */
export function byChance(totals: readonly string[]): boolean {
  const best = Math.max(...totals.map(Number));
  return totals.filter((total) => Number(total) === best).length > 1;
}

/** How the best node was found, where its score does not say; empty if it does. */
export function amongBest(totals: readonly string[]): string {
  if (!byChance(totals)) return "";
  return `, one of those with ${Math.max(...totals.map(Number))}, taken by chance`;
}
