/** How many warnings of one object or answer are shown. */
export const MOST = 32;

/** How many characters of one are shown. */
const LONGEST = 1000;

/** What type checking says of one expression; it is in `message`, too, which expression. */
export interface ExpressionWarning {
  field: string;
  message: string;
}

/** The warnings of a policy's `status.typeChecking`. */
export function expressionWarnings(typeChecking: unknown): ExpressionWarning[] {
  const { expressionWarnings: said } = record(typeChecking);
  if (!Array.isArray(said)) return [];
  return said.slice(0, MOST).flatMap((one) => {
    const { fieldRef, warning } = record(one);
    if (typeof fieldRef !== "string" || typeof warning !== "string") return [];
    // Below each sentence the expression is drawn with a mark at a column: the editor has its own.
    const lines = warning.slice(0, 4 * LONGEST).split("\n");
    const message = lines.filter((line) => line.trim() !== "" && !line.startsWith(" |")).join(" ");
    return [{ field: fieldRef, message: shortened(`${fieldRef}: ${message}`) }];
  });
}

/** A stranger's text as it is shown. */
export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The fields of a value, whatever it is. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
