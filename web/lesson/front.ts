import { parse } from "yaml";
import { bytes, cut, MOST, type Lesson } from "./lesson.ts";

type Front = Pick<Lesson, "title" | "description" | "minutes" | "nodes" | "manifests">;

/** What stands between two lines of --- at the beginning; throws an Error that says what is wrong. */
export function readFront(text: string): Front {
  if (bytes(text) > MOST.front)
    throw new Error(`what stands between the lines of --- is longer than ${MOST.front} bytes`);
  const read = parse(text, { maxAliasCount: 0 }) as unknown;
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new Error("what stands between the lines of --- has no title");
  const front = read as Record<string, unknown>;
  const stray = Object.keys(front).find((key) => !KNOWN.has(key));
  if (stray !== undefined) throw new Error(`a lesson has no "${cut(stray)}"`);
  const title = words(front, "title", MOST.title);
  if (title === undefined) throw new Error(`a title of at most ${MOST.title} bytes is wanted`);
  const description = words(front, "description", 4 * MOST.title);
  const minutes = number(front, "minutes", MOST.minutes);
  const nodes = number(front, "nodes", MOST.nodes);
  const manifests = files(front.manifests);
  return {
    title,
    ...(description === undefined ? {} : { description }),
    ...(minutes === undefined ? {} : { minutes }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(manifests.length === 0 ? {} : { manifests }),
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  "title",
  "description",
  "minutes",
  "nodes",
  "manifests",
]);

function words(front: Record<string, unknown>, name: string, most: number): string | undefined {
  const value = front[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new Error(`${name}: text is wanted`);
  if (bytes(value) > most) throw new Error(`${name} has at most ${most} bytes`);
  return value;
}

function number(front: Record<string, unknown>, name: string, most: number): number | undefined {
  const value = front[name];
  if (value === undefined || value === null || value === 0) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${name}: a number from 1 to ${most} is wanted`);
  return value;
}

function files(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MOST.manifests)
    throw new Error(`at most ${MOST.manifests} manifests can be named, as a list`);
  return value.map((name: unknown) => {
    if (typeof name !== "string" || !inFolder(name, [".yaml", ".yml", ".json"])) {
      throw new Error(
        `the manifest "${cut(String(name))}" is no file of the lesson's folder that ends with .yaml or .json`,
      );
    }
    return name;
  });
}

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/;

/** Whether a name leads to a file below the lesson's folder, and nowhere else. */
export function inFolder(name: string, extensions: readonly string[]): boolean {
  const extension = /\.[^./]*$/.exec(name)?.[0].toLowerCase() ?? "";
  return isPlain(name) && extensions.includes(extension);
}

/** Whether a name is one of a file below a folder, without what a shell or an address takes for more. */
export function isPlain(name: string): boolean {
  return bytes(name) <= MOST.title && PLAIN.test(name);
}
