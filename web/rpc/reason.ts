/** The message of what was thrown, whatever it is: for the middle of a sentence. */
export function messageOf(error: unknown): string {
  // eslint-disable-next-line no-restricted-syntax -- here it is
  return error instanceof Error ? error.message : String(error);
}

/**
 * What went wrong and, if that is known, what to do (the hint of a CallError), in one text for a person.
 * By its shape, as two copies of the SDK in a page have a class each.
 */
export function reason(error: unknown): string {
  const message = messageOf(error);
  const hint = error instanceof Error && (error as { hint?: string }).hint;
  return hint ? `${message.replace(/[^.!?:]$/, "$&.")} ${hint}` : message;
}
