import type { Lesson, Problem } from "./lesson.ts";
import { byPage, MissingError, type Reads } from "./reads.ts";

/** A lesson, and where its files are. */
export interface Loaded {
  readonly lesson: Lesson;
  readonly problems: readonly Problem[];
  /** The folder's address; it ends with "/". */
  readonly folder: URL;
  readonly reads: Reads;
}

/** The file that an address may name in place of its folder. */
const NAMED = /(?:^|\/)(?:lesson\.md|index\.json)$/;

/** The folder that an author names by `src`: "lessons/first", with or without "/", "lesson.md" or "index.json". */
export function folderOf(src: string, base: string): URL {
  const folder = new URL(src.replace(NAMED, "/").replace(/\/*$/, "/"), base);
  if (folder.protocol !== "https:" && folder.protocol !== "http:")
    throw new Error(`src="${src.slice(0, 80)}" is no address of http or https.`);
  return folder;
}

/** Whether an address names a scenario in Killercoda's form, and not only a folder. */
export function namesScenario(src: string): boolean {
  return /(?:^|\/)index\.json$/.test(src);
}

/**
 * Reads the lesson of a folder: lesson.md, or, where there is none or `scenario` says so, a scenario's
 * index.json and what it names. Rejects with what went wrong and what to do.
 */
export async function loadLesson(
  folder: URL,
  signal: AbortSignal,
  { reads = byPage, scenario = false }: { reads?: Reads; scenario?: boolean } = {},
): Promise<Loaded> {
  if (scenario) return loadScenario(folder, signal, reads);
  try {
    // What reads Markdown is fetched with the first lesson.
    const [text, { parseLesson }] = await Promise.all([
      reads(new URL("lesson.md", folder), signal),
      import("./parse.ts"),
    ]);
    const { lesson, problems } = parseLesson(text);
    return { lesson, problems, folder, reads };
  } catch (error) {
    if (!(error instanceof MissingError)) throw error;
    try {
      return await loadScenario(folder, signal, reads);
    } catch (other) {
      throw other instanceof MissingError ? error : other;
    }
  }
}

async function loadScenario(folder: URL, signal: AbortSignal, reads: Reads): Promise<Loaded> {
  // What reads shell is fetched with the first scenario.
  const { readScenario } = await import("./killercoda/scenario.ts");
  return { ...(await readScenario(folder, signal, reads)), folder, reads };
}

/** A file of the lesson's folder, such as a manifest. */
export function loadFile(
  { folder, reads }: Pick<Loaded, "folder" | "reads">,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  return reads(new URL(name, folder), signal);
}
