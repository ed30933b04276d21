import { partsOf, type Lesson } from "./lesson.ts";
import { doAll, doPart, type DoOptions } from "./run.ts";

/**
 * Makes the state that a lesson begins with: its manifests, whose text `manifest` gives, and what stands before
 * its first step.
 */
export async function beginLesson(
  { manifests = [], intro }: Lesson,
  manifest: (name: string) => Promise<string>,
  options: DoOptions,
): Promise<void> {
  for (const name of manifests) {
    await doPart({ type: "part", kind: "apply", text: await manifest(name) }, options);
  }
  await doAll(intro, options);
}

/** Makes the state that a step begins with, on that of the lesson. */
export async function beginStep({ steps }: Lesson, at: number, options: DoOptions): Promise<void> {
  await doAll(
    partsOf(steps[at]?.blocks).filter(({ prepare }) => prepare),
    options,
  );
}
