/** What went wrong, and what to do if that is known, in one text. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { hint } = error as { hint?: string };
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}
