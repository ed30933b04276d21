/* Reads a scenario of a folder: index.json, what it names, and what those are as a lesson. */
import { messageOf } from "../../rpc/reason.ts";
import { bytes, MOST, type Lesson, type Problem } from "../lesson.ts";
import { parseLesson } from "../parse.ts";
import { MissingError, type Reads } from "../reads.ts";
import { convert, namesOf, type Files } from "./convert.ts";
import { NAME, readIndex } from "./index.ts";
import lacking from "./lacks.json";
import { RefusedError } from "./problems.ts";
import { findingsOf } from "./programs.ts";

/** Files that are asked for at a time. */
const AT_ONCE = 6;
/** Seconds that a host has for all of them. */
const PATIENCE = 60;

const LACKING: ReadonlyMap<string, string> = new Map(Object.entries(lacking));

/** Rejects with what went wrong; with RefusedError where the scenario wants what is not here. */
export async function readScenario(
  folder: URL,
  signal: AbortSignal,
  reads: Reads,
): Promise<{ lesson: Lesson; problems: readonly Problem[] }> {
  const patience = AbortSignal.timeout(PATIENCE * 1000);
  const either = AbortSignal.any([signal, patience]);
  try {
    const raw = (await reads(new URL(NAME, folder), either)).replace(/^\ufeff/, "");
    const { index, refusals } = readIndex(raw);
    if (!index) throw new RefusedError(refusals);
    const files = await filesOf(folder, namesOf(index), either, reads);
    const { text, lines } = convert(index, raw, files, (said) =>
      findingsOf(said, (program) => LACKING.get(program) ?? ""),
    );
    const { lesson, problems } = parseLesson(text);
    const places = problems.map(({ line, what }) => ({
      ...(lines[line - 1] ?? { file: NAME, line: 0 }),
      what,
    }));
    return { lesson, problems: places };
  } catch (error) {
    if (!patience.aborted || signal.aborted) throw error;
    throw new Error(`${folder.href} did not send its scenario within ${PATIENCE} seconds.`, {
      cause: error,
    });
  }
}

/** Reads files by their names, until they are more than a lesson has. What cannot be read is said of it. */
async function filesOf(
  folder: URL,
  names: readonly string[],
  signal: AbortSignal,
  reads: Reads,
): Promise<Files> {
  const files = new Map<string, string | Error>();
  const rest = [...names];
  let size = 0;
  const some = async () => {
    for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
      try {
        const text = await reads(new URL(name, folder), signal);
        files.set(name, text);
        size += bytes(text);
      } catch (error) {
        signal.throwIfAborted();
        const missing = error instanceof MissingError ? error.short : undefined;
        files.set(name, new Error(missing ?? messageOf(error)));
      }
      if (size > MOST.file) throw tooMuch(name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
  return files;
}

function tooMuch(file: string): RefusedError {
  return new RefusedError([{ file, line: 0, what: `a scenario has at most ${MOST.file} bytes` }]);
}
