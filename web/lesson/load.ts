import type { Lesson, Problem } from "./lesson.ts";
import { MOST } from "./lesson.ts";

/** A lesson, and where its files are. */
export interface Loaded {
  readonly lesson: Lesson;
  readonly problems: readonly Problem[];
  /** The folder's address; it ends with "/". */
  readonly folder: URL;
}

/** The folder that an author names by `src`: "lessons/first", with or without "/" or "lesson.md". */
export function folderOf(src: string, base: string): URL {
  const folder = new URL(src.replace(/(?:^|\/)lesson\.md$/, "/").replace(/\/*$/, "/"), base);
  if (folder.protocol !== "https:" && folder.protocol !== "http:")
    throw new Error(`src="${src.slice(0, 80)}" is no address of http or https.`);
  return folder;
}

/** Fetches lesson.md of a folder and reads it. Rejects with what went wrong and what to do. */
export async function loadLesson(folder: URL, signal: AbortSignal): Promise<Loaded> {
  // What reads Markdown is fetched with the first lesson.
  const [response, { parseLesson }] = await Promise.all([
    ask(new URL("lesson.md", folder), signal),
    import("./parse.ts"),
  ]);
  const type = response.headers.get("content-type") ?? "";
  if (/html/i.test(type)) {
    throw new Error(
      `${folder.href} has no lesson.md: its host answered with a page. Put the lesson's folder there.`,
    );
  }
  const { lesson, problems } = parseLesson(await text(response));
  return { lesson, problems, folder };
}

/** A file of the lesson's folder, such as a manifest. */
export async function loadFile(folder: URL, name: string, signal: AbortSignal): Promise<string> {
  return text(await ask(new URL(name, folder), signal));
}

async function ask(address: URL, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { signal, cache: "no-cache" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(
      `${address.href} cannot be read: its host does not answer, does not let this page read it, or this page's policy (connect-src) forbids it.`,
      { cause: error },
    );
  }
  if (!response.ok)
    throw new Error(`${address.href} cannot be read: its host says ${response.status}.`);
  return response;
}

/** A body as text, of as many bytes as a lesson may have. */
async function text(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || !value) break;
    size += value.length;
    if (size > MOST.file) {
      await reader?.cancel();
      throw new Error(`${response.url} has more than ${MOST.file} bytes: that is no lesson.`);
    }
    parts.push(value);
  }
  return new Blob(parts).text();
}
