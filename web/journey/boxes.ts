/*
 * Which controllers have a box, of more than have room. Who wrote something is what a command is about; most
 * others only looked whether it concerns them.
 */

/** How many controllers are drawn; the others are counted. */
const CONTROLLERS = 3;

type Names = readonly (string | undefined)[];

/** A controller keeps its box as long as one command is told; who only looked gives it to who writes. */
export class Boxes {
  #command: number | undefined;
  #names: (string | undefined)[] = [];

  /** Who stands in each box: `names` are all of the command's controllers, in the order in which they came. */
  of(command: number | undefined, names: readonly string[], wrote: ReadonlySet<string>): Names {
    if (command !== this.#command || this.#names.length === 0) {
      this.#command = command;
      this.#names = Array.from({ length: CONTROLLERS }, () => undefined);
    }
    const boxes = this.#names;
    for (const name of wrote) {
      if (boxes.includes(name)) continue;
      const free = boxes.indexOf(undefined);
      const to = free >= 0 ? free : boxes.findLastIndex((one) => !wrote.has(one ?? ""));
      if (to >= 0) boxes[to] = name;
    }
    // From the other end: who writes comes before those who only looked.
    for (const name of names) {
      const free = boxes.lastIndexOf(undefined);
      if (free >= 0 && !boxes.includes(name)) boxes[free] = name;
    }
    return boxes;
  }
}

/** The same with those who do what is looked at, who have a box in any case: of one who only looked, if there is one. */
export function withActing(
  boxes: Names,
  acts: readonly string[],
  wrote: ReadonlySet<string>,
): Names {
  const drawn = [...boxes];
  for (const name of acts) {
    if (drawn.includes(name)) continue;
    const other = (one: string | undefined) => !acts.includes(one ?? "");
    const looked = drawn.findLastIndex((one) => other(one) && !wrote.has(one ?? ""));
    const to = looked >= 0 ? looked : drawn.findLastIndex(other);
    if (to >= 0) drawn[to] = name;
  }
  return drawn;
}
