import { nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { happened } from "../trace/happened.ts";
import { earlierLike } from "../trace/proof.ts";
import { chapterOf } from "../trace/told.ts";
import { partOf } from "../trace/within.ts";
import { figure, took } from "../trace/words.ts";
import { moment, type Reader, type Ways } from "./blocks.ts";
import type { Claim } from "./chapter.ts";
import { proving } from "./current.ts";
import { isOther } from "./legend.ts";
import { drawLink } from "./link.ts";
import type { Moments } from "./moments.ts";
import type { GuideNeeds } from "./needs.ts";
import type { Words } from "./word.ts";

/** What a chapter is read over. */
export interface Ground {
  readonly on: GuideNeeds;
  /** The chapter. */
  readonly chapter: string;
  /** The command that is told, with all that it caused. */
  readonly steps: readonly TraceStep[];
  /** The step that the page looks at, and the claim that is told now. */
  readonly focused: TraceStep | undefined;
  readonly current: Claim | undefined;
  readonly version: string;
  readonly criticalPath: Reader["criticalPath"];
  readonly moments: Moments;
  readonly words: Words;
  readonly ways: Ways | undefined;
  slowly(step: TraceStep, link: HTMLElement): void;
  turn(chapter: string): void;
  run(line: string): void;
  tell(line: string): void;
}

/** What a chapter's text can do, as it is drawn once: its claims are counted. */
export function readerOf(ground: Ground): Reader {
  const { on, steps, focused, moments, ways } = ground;
  const { trace, chapters } = on;
  const other = isOther(steps);
  // Several claims may rest on one step: the first of them says its figure, and leads to its moment.
  const told = new Set<number>();
  const led = new Set<number>();
  const story = moments.told(steps);
  const did = other ? didIn(ground) : [];
  return {
    now: (claim) => claim === ground.current,
    version: ground.version,
    steps,
    other,
    criticalPath: ground.criticalPath,
    // A chapter may speak of another one's steps.
    step: ({ kind, like }) => proving({ steps, story }, kind, like),
    // Of a command before it nothing stands where the text tells of neither.
    earlier: ({ kind, like }, about) =>
      earlierLike(trace, kind, like, { about, after: other ? steps[0]?.id : undefined }),
    figure: (step) => {
      if (told.has(step.id)) return "";
      told.add(step.id);
      return [figure(step), took(step.took)].filter(Boolean).join(" · ");
    },
    ways,
    slowly: (step) => {
      if (!ways || led.has(step.id) || !moments.has(step, steps)) return undefined;
      led.add(step.id);
      return (link) => ground.slowly(step, link);
    },
    moment: (step, words) =>
      ways && moments.has(step, steps)
        ? moment((link) => ground.slowly(step, link), words)
        : nothing,
    did,
    looked: other ? lookedAt(did, focused, steps) : undefined,
    came: () =>
      steps[0]
        ? happened(trace, steps[0])
            .map(({ text }) => text)
            .join(" → ")
        : "",
    read: (name) => ground.turn(name),
    words: ground.words,
    link: (name, said) => drawLink(name, said, ways !== undefined, () => ground.turn(name)),
    title: (name) => chapters.find((one) => one.name === name)?.title,
    order: (name) => chapters.findIndex((one) => one.name === name),
    run: (line) => ground.run(line),
    tell: (line) => ground.tell(line),
  };
}

/** What the command did in the chapter, of what is told slowly. */
function didIn({ steps, moments, chapter }: Ground): readonly TraceStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  return moments.told(steps).filter((step) => chapterOf(step, byId) === chapter);
}

/** Which of them is told now: the step that the page looks at, or what that is a part of. */
export function lookedAt(
  did: readonly TraceStep[],
  focused: TraceStep | undefined,
  steps: readonly TraceStep[],
): TraceStep | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]));
  let at = focused && byId.get(focused.id);
  while (at && !did.includes(at)) at = partOf(byId, at);
  return at;
}
