import { count } from "../trace/count.ts";

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

/** What those are that a station asks. */
const ASKED: Readonly<Record<string, string>> = {
  authentication: "authenticator",
  authorization: "authorizer",
  admission: "plugin",
  validation: "plugin",
};

/**
 * Of those that were `passed` whose word it was, or how many they are; else how many would be asked. The first of them
 * by its name was taken for who asks.
 */
export function stationWords(
  station: string,
  names: readonly string[],
  passed: boolean,
  room: number,
): StationWords {
  if (names.length === 0) return { text: "", size: BIG };
  const what = Object.hasOwn(ASKED, station) ? ASKED[station] : undefined;
  if (what !== undefined && (!passed || what === "plugin"))
    return fit(count(names.length, what), room);
  return fit(names.at(-1) ?? "", room);
}

function fit(name: string, room: number): StationWords {
  const most = Math.floor(room / (LEAST * LETTER));
  const text = name.length > most ? `${name.slice(0, most - 1)}…` : name;
  return { text, size: Math.max(LEAST, Math.min(BIG, room / (text.length * LETTER))) };
}
