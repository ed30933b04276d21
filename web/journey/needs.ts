import type { Onward } from "../guide/onward.ts";
import type { Collection } from "../kube/collection.ts";
import type { Pod } from "../kube/types.ts";
import type { TraceObject, TraceStep } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";
import type { Signal } from "../state/signal.ts";
import type { Readable } from "../state/store.ts";
import type { TraceFeed } from "../trace/feed.ts";
import type { Telling } from "../trace/telling.ts";
import type { GrowthNeeds } from "./growth.ts";
import type { Next } from "./next.ts";

/** What the journey stands over. */
export interface JourneyNeeds {
  readonly trace: TraceFeed;
  /** Which command is told. */
  readonly telling: Telling;
  /** Has another command told from its beginning, in the guide as well. */
  choose(command: number): void;
  /** What lies in the store: later versions of an object that grows. */
  readonly etcd: GrowthNeeds["etcd"];
  readonly nodes: Readable<{
    readonly rows: ReadonlyMap<string, { readonly object: { metadata: { name: string } } }>;
  }>;
  readonly pods: Readable<Collection<Pod>>;
  /** The line with the ways in, while the journey is the first view. */
  readonly ways: HTMLElement;
  /** Keeps the journey where it is, until disposed: somebody looks at it. */
  hold(): Disposable;
  /** The step that is pointed at elsewhere: its place lights up. */
  readonly pointed: Readable<TraceStep | undefined>;
  /** A step that somebody asks to be shown slowly, each time anew. */
  readonly asked: Readable<{ readonly step: TraceStep } | undefined>;
  /** Has the page look at a step, and the guide open that chapter; nothing else is opened. */
  focusOn(step: TraceStep | undefined, chapter?: string): void;
  readonly guide: JourneyGuide;
  /** What there is to do when a story has come to its end. */
  readonly next: Next;
  look(step: TraceStep): void;
  /** Has the page look at an object. */
  open(object: TraceObject): void;
}

/** The guide beside it. */
export interface JourneyGuide {
  /** A chapter's title; undefined if there is none of that name. */
  title(chapter: string): string | undefined;
  /** Whether a chapter's text is in sight, or comes into it by itself. */
  shows(chapter: string): boolean;
  /** Brings it into sight. */
  show(chapter: string): void;
  /** The reader has turned to the text by their own hand. */
  readonly turned: Pick<Signal, "subscribe">;
  /** Has it say what is told slowly, and play it, where it stands alone; undefined: nothing is. */
  tells(story: Onward | undefined): void;
  /** Whether it does so, and the reader has it in sight. */
  tellsAlone(): boolean;
}
