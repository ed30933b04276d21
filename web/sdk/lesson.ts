/*
 * A lesson that a cluster is made for: how many nodes it has, and the state that its first step begins with.
 * What reads lessons is fetched when there is one.
 */
import type { Loaded } from "../lesson/load.ts";
import { CallError } from "../rpc/client.ts";
import { messageOf } from "../rpc/reason.ts";
import type { EmbeddedCluster } from "./create.ts";

/** The shell in which a lesson was prepared: what was set there is there for its first block. */
export const LESSON_SHELL = "lesson";

const CHECKS = "lesson-begin";

/** Which lesson each cluster was made for, by the address of its folder. */
const made = new WeakMap<EmbeddedCluster, string>();

/** Whether a cluster was made for a lesson; with `folder`, for that one. */
export function madeFor(cluster: EmbeddedCluster, folder?: URL): boolean {
  const lesson = made.get(cluster);
  return lesson !== undefined && (folder === undefined || folder.href === lesson);
}

/** Reads the lesson at an address: its folder, or a scenario's index.json. */
export async function readLesson(address: URL, signal: AbortSignal): Promise<Loaded> {
  const { loadLesson, namesScenario } = await import("../lesson/load.ts");
  const scenario = namesScenario(address.pathname);
  return loadLesson(folder(address), signal, { scenario });
}

/** Notes which lesson a cluster is made for. */
export function makeFor(cluster: EmbeddedCluster, address: URL): void {
  made.set(cluster, folder(address).href);
}

function folder(address: URL): URL {
  const folder = new URL(address);
  folder.pathname = folder.pathname
    .replace(/\/(?:lesson\.md|index\.json)$/, "/")
    .replace(/\/*$/, "/");
  return folder;
}

/** Makes the state that its first step begins with. Rejects with what went wrong. */
export async function prepareLesson(
  cluster: Pick<EmbeddedCluster, "kubectl" | "shell" | "close">,
  loaded: Loaded,
  signal: AbortSignal,
): Promise<void> {
  const [{ beginLesson, beginStep }, { loadFile }] = await Promise.all([
    import("../lesson/begin.ts"),
    import("../lesson/load.ts"),
  ]);
  const options = { cluster, session: LESSON_SHELL, checks: CHECKS, signal };
  try {
    await beginLesson(loaded.lesson, (name) => loadFile(loaded, name, signal), options);
    await beginStep(loaded.lesson, 0, options);
  } catch (error) {
    if (error instanceof CallError) throw error;
    const why = messageOf(error);
    throw new CallError(
      {
        message: `prepare the lesson: ${why}`,
        hint: "Mend the lesson: `nodehost lesson check` runs it.",
      },
      { cause: error },
    );
  } finally {
    await cluster.close(CHECKS).catch(() => undefined); // the cluster may be gone
  }
}
