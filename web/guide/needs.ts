import type { TraceStep } from "../rpc/protocol.ts";
import type { Readable } from "../state/store.ts";
import type { TraceFeed } from "../trace/feed.ts";
import type { Telling } from "../trace/telling.ts";
import type { Chapter } from "./chapter.ts";
import type { Onward } from "./onward.ts";
import type { Place } from "./place.ts";

/** What it stands over. */
export interface GuideNeeds {
  readonly chapters: readonly Chapter[];
  readonly trace: TraceFeed;
  /** Which command is told. */
  readonly telling: Telling;
  /** The step that the page looks at, by whichever view: the reader may follow it. */
  readonly focus: Readable<number | undefined>;
  /** The chapter that goes with it, by who has the page look at it; else it is the step's own. */
  readonly chapter?: Readable<string | undefined>;
  /** Has a command told from now on. */
  choose(command: number): void;
  /** Types a line into the terminal and runs it. */
  run(line: string): void;
  /** The rest of the page; in an element of somebody else's it stands alone. */
  readonly around?: GuideAround;
}

/** What a guide beside other views leads to. */
export interface GuideAround {
  /** Goes elsewhere from a place of the text, to which there is a way back. */
  leave(place: Place, go: () => void): void;
  look(step: TraceStep): void;
  /** Shows a step slowly, in the journey. */
  slowly(step: TraceStep): void;
  /** Shows a view of the main pane. */
  show(view: string): void;
  /** Runs a line in sight of the journey, which is to tell it. */
  tell(line: string): void;
  /** Gives the guide's place to the others. */
  close(): void;
  /** The reader has turned to the text by their own hand: what plays waits for them. */
  turned(): void;
  /** The story that is told slowly; undefined if none is. */
  readonly onward: Readable<Onward | undefined>;
}
