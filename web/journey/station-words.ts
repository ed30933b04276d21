/*
 * What stands below a station's name: who was asked there, or would be. A name stands whole wherever it has room.
 */

/** How big the words are, and how small long ones, in units of the viewBox; how wide a letter is by that. */
const BIG = 14;
const LEAST = 11.5;
const LETTER = 0.6;

export interface StationWords {
  readonly text: string;
  readonly size: number;
}

/** Of those that were `passed` whose word it was, or how many they are; else the first of them, and how many more. */
export function stationWords(
  station: string,
  names: readonly string[],
  passed: boolean,
  room: number,
): StationWords {
  if (names.length === 0) return { text: "", size: BIG };
  const plugins = station === "admission" || station === "validation";
  if (passed && plugins) {
    return fit(`${names.length} ${names.length === 1 ? "plugin" : "plugins"}`, "", room);
  }
  if (passed) return fit(names.at(-1) ?? "", "", room);
  return fit(names[0] ?? "", names.length > 1 ? ` +${names.length - 1}` : "", room);
}

/** A name and a count after it that is never cut. */
function fit(name: string, count: string, room: number): StationWords {
  const most = Math.floor(room / (LEAST * LETTER)) - count.length;
  const text = (name.length > most ? `${name.slice(0, most - 1)}…` : name) + count;
  return { text, size: Math.max(LEAST, Math.min(BIG, room / (text.length * LETTER))) };
}
