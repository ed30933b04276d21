/* The list of a site's lessons: lessons/index.json, which the build writes. */

export interface Listed {
  /** The name of its folder. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** 0 if it does not say. */
  readonly minutes: number;
}

/** Folders have such names; nothing else is put into an address. */
const NAME = /^[a-z0-9][a-z0-9-]{0,60}$/;

/** Fetches the list of the folder; rejects with what to do. */
export async function fetchLessons(folder: URL): Promise<Listed[]> {
  const url = new URL("index.json", folder);
  const answer = await fetch(url, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`its host says ${answer.status}`);
  return readLessons(await answer.json());
}

/** Takes what is a lesson's entry, and leaves out the rest. */
export function readLessons(list: unknown): Listed[] {
  if (!Array.isArray(list)) throw new Error("it is no list");
  return list.slice(0, 200).flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const { name, title, description, minutes } = entry as Record<string, unknown>;
    if (typeof name !== "string" || !NAME.test(name) || typeof title !== "string") return [];
    return {
      name,
      title: title.slice(0, 200),
      description: typeof description === "string" ? description.slice(0, 500) : "",
      minutes: typeof minutes === "number" && minutes > 0 ? Math.round(minutes) : 0,
    };
  });
}
