/* Why there is no image of a cluster's memory, in words for people. */

/** Why there is none where a hub is dialled. */
export const DROPPED = "it was dropped";

/** Kinds of what a program may hold and no image can have, by JavaScript's name of them. */
const HELD: [RegExp, string][] = [
  [/WebSocket/, "a connection with a hub"],
  [/Worker/, "a container whose image a page has defined"],
  [/Response|Request|ReadableStream|Headers|Abort|Blob/, "a request to the web"],
];

/** A sentence's end: why the last image could not be taken or written. */
export function forPeople(why: string): string {
  if (why === DROPPED) {
    return "a hub was dialled, and whoever comes through it remembers what an image would not know";
  }
  const held = /^the program holds (.*)$/s.exec(why)?.[1];
  if (held !== undefined) {
    const known = HELD.filter(([kind]) => kind.test(held)).map(([, what]) => what);
    return `something is open that no image can have: ${known.length > 0 ? known.join(", ") : held}`;
  }
  if (/quota|not all of it was written|no space/i.test(why)) {
    return "the browser's storage for this page is full: delete clusters that you do not need";
  }
  return why.replace(/\.$/, "");
}
