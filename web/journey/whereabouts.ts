import type { TraceStep } from "../rpc/protocol.ts";
import { chapterOf, REQUEST } from "../trace/told.ts";
import { partOf } from "../trace/within.ts";
import { opensChapter, ownChapter } from "./play.ts";
import { AT_VALIDATION } from "./scene.ts";

/*
 * Where a step is that is told slowly, in the guide's words. A controller's request goes through chapters that were read
 * before, and that is what the controller does; what runs beside it is said to.
 */

type All = ReadonlyMap<number, TraceStep>;

export interface Whereabouts {
  readonly step: TraceStep;
  /** The steps that are told, and all that the command came to. */
  readonly told: readonly TraceStep[];
  readonly steps: readonly TraceStep[];
  /** The chapter that is read; empty for none. */
  readonly chapter: string;
}

/** What a chapter is called. */
interface Titles {
  title(chapter: string): string | undefined;
}

/** In a sentence or two; empty where no chapter is read. */
export function whereabouts({ step, told, steps, chapter }: Whereabouts, titles: Titles): string {
  const title = (name: string) => titles.title(name);
  const read = title(chapter);
  if (read === undefined) return "";
  const own = ownChapter(step, title);
  const now = `Now: ${chapter === "admission" && AT_VALIDATION.has(step.kind) ? `${read}, validation` : read}.`;
  if (own === read) return now;
  const byId: All = new Map(steps.map((one) => [one.id, one]));
  const request = requestOf(step, byId);
  const asks = request && partOf(byId, request);
  const who = asks && title(chapterOf(asks, byId));
  if (who === read) return `Now: ${byRequest(who, own)}.`;
  // Two chapters have no room for more in a phone's line.
  const says = who ?? own;
  if (says === "") return `In the guide: ${read}.`;
  const here = sofar(told, step, chapter, byId);
  // It is prepared before plugins have looked at it for the last time.
  const same = request && here.some((one) => requestOf(one, byId) === request);
  if (own === "" && same) return now;
  const related = here.some((one) => isOneWork(one, step, byId));
  return related
    ? `This step: ${says}. In the guide: ${read}.`
    : `In the guide: ${read}. Meanwhile: ${says}.`;
}

function byRequest(who: string, own: string): string {
  return own === "" || own === who ? `${who}, by a request` : `${who}, by a request: ${own}`;
}

/** What a chapter has told until a step, of its own. */
function sofar(told: readonly TraceStep[], step: TraceStep, chapter: string, byId: All) {
  const before = told.slice(0, Math.max(0, told.indexOf(step)));
  return before.filter((one) => opensChapter(one) && chapterOf(one, byId) === chapter);
}

/** The request that a step is, or is done for. */
function requestOf(step: TraceStep, byId: All): TraceStep | undefined {
  let at: TraceStep | undefined = step;
  while (at && at.kind !== REQUEST) at = partOf(byId, at);
  return at;
}

/** Whether two steps are parts of one work, or about one object. */
function isOneWork(a: TraceStep, b: TraceStep, byId: All): boolean {
  const [one, other] = [a, b].map((step) => objectOf(requestOf(step, byId) ?? step));
  return (one !== undefined && one === other) || workOf(a, byId) === workOf(b, byId);
}

/** Where the work begins that a step is a part of. */
function workOf(step: TraceStep, byId: All): TraceStep {
  for (let at = step; ;) {
    const whole = partOf(byId, at);
    if (!whole) return at;
    at = whole;
  }
}

/** Which object a step is about, whichever part of it; undefined of none. */
function objectOf({ object }: TraceStep): string | undefined {
  const { resource, namespace = "", name = "" } = object ?? {};
  return resource && name ? `${resource} ${namespace}/${name}` : undefined;
}
