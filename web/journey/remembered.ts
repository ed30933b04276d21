/** How many answers are kept. */
const MOST = 300;

/**
 * The same question, asked once: who goes through steps one by one asks for the same details again and again, of a
 * cluster that may have much to do. What was not there, or failed, is asked for again.
 */
export function remembered<T>(
  ask: (id: number) => Promise<T | undefined>,
): (id: number) => Promise<T | undefined> {
  const known = new Map<number, Promise<T | undefined>>();
  return (id) => {
    const before = known.get(id);
    if (before) return before;
    const asked = ask(id);
    known.set(id, asked);
    const forget = () => known.delete(id);
    asked.then((found) => found === undefined && forget(), forget);
    for (const oldest of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(oldest);
    }
    return asked;
  };
}
