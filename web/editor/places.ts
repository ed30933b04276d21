import { isMap, isSeq, parseDocument, type Document } from "yaml";
import { locate, parseField, type Range, type Step } from "./locate.ts";

/** What upstream says of a file, at the place that it is about. */
export interface Placed extends Range {
  message: string;
}

/** A field's path and what is wrong with it, as k8s.io/apimachinery's field.Error writes them. */
const FIELD =
  /(?<![\w.\]])([a-z]\w*(?:\[[^\]\s]{0,99}\])*(?:\.\w+(?:\[[^\]\s]{0,99}\])*)*): (?:Invalid value|Required value|Duplicate value|Unsupported value|Forbidden|Not found|Too long|Too many|Too few|Internal error)\b/g;

/** What strict decoding says. */
const DECODING = /(?:unknown|duplicate) field "([^"]+)"/g;

/** A few places are enough for one look, and of an error what a person would read. */
const MOST = 50;
const LONGEST = 16 << 10;

/**
 * Where in a file one of upstream's errors belongs: at the line that it names, at the fields whose
 * paths it has, or at the flag. Empty if it says no place, or one that the file does not have.
 */
export function placesIn(text: string, said: string): Placed[] {
  const problem = said.slice(0, LONGEST);
  const paths = fieldsIn(problem);
  if (paths.length > 0) {
    const document = parseDocument(text, { keepSourceTokens: false, version: "1.1" });
    const found = paths.slice(0, MOST).flatMap(({ field, message }) => {
      const range = whereIs(document, parseField(field));
      return range ? [{ ...range, message }] : [];
    });
    if (found.length > 0) return found;
  }
  const range = syntaxIn(text, problem) ?? lineIn(text, problem) ?? flagIn(text, problem);
  return range ? [{ ...range, message: problem }] : [];
}

function fieldsIn(problem: string): { field: string; message: string }[] {
  const decoding = [...problem.matchAll(DECODING)];
  if (decoding.length > 0) {
    return decoding.map(([message, field = ""]) => ({ field, message }));
  }
  const found = [...problem.matchAll(FIELD)];
  return found.map(({ index, 1: field = "" }, i) => ({
    field,
    // Until the next one; several stand in brackets.
    message: problem.slice(index, found[i + 1]?.index).replace(/[\s,\]]+$/, ""),
  }));
}

/** A field of the document, or of what an AdmissionConfiguration has one of its plugins told. */
function whereIs(document: Document, steps: Step[]): Range | undefined {
  const [first] = steps;
  if (typeof first !== "string") return undefined;
  const at = (before: Step[]) => {
    const map = before.length === 0 ? document.contents : document.getIn(before, true);
    return isMap(map) && map.has(first) ? locate(document, [...before, ...steps]) : undefined;
  };
  const plugins = document.getIn(["plugins"], true);
  const inner = isSeq(plugins) ? plugins.items.keys() : [];
  for (const before of [[], ...[...inner].map((i) => ["plugins", i, "configuration"])]) {
    const range = at(before);
    if (range) return range;
  }
  // What is required is not there: the document's beginning says nothing about where.
  return undefined;
}

/** Where YAML breaks: the line that Go's parser names is often the one before. */
function syntaxIn(text: string, problem: string): Range | undefined {
  if (!problem.includes("yaml: ")) return undefined;
  const [at] = parseDocument(text, { version: "1.1" }).errors[0]?.linePos ?? [];
  return at && rangeOf(text, (_, row) => row === at.line - 1);
}

function lineIn(text: string, problem: string): Range | undefined {
  const row = Number(/\bline (\d{1,7})\b/.exec(problem)?.[1] ?? 0);
  return row > 0 ? rangeOf(text, (_, at) => at === row - 1) : undefined;
}

function flagIn(text: string, problem: string): Range | undefined {
  const names = [...problem.matchAll(/--([a-z][\w-]*)|\b([a-z-]+) plugin "/g)];
  for (const [, dashed, plain] of names) {
    const flag = `--${dashed ?? plain ?? ""}`;
    const range = rangeOf(text, (line) => line === flag || line.startsWith(`${flag}=`));
    if (range) return range;
  }
  return undefined;
}

/** The first line that is meant, without the blanks around it. */
function rangeOf(text: string, meant: (line: string, row: number) => boolean): Range | undefined {
  let from = 0;
  for (const [row, line] of text.split("\n").entries()) {
    const trimmed = line.trim();
    if (meant(trimmed, row)) {
      const begin = from + line.length - line.trimStart().length;
      return { from: begin, to: begin + trimmed.length };
    }
    from += line.length + 1;
  }
  return undefined;
}
