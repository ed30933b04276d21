import type { TraceKind, TraceStep } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";
import type { Signal } from "../state/signal.ts";
import type { Readable } from "../state/store.ts";

/** What the views of the trace need to know of it; web/session has it of a cluster. */
export interface TraceFeed {
  /** Goes up whenever something has come. */
  readonly version: Readable<number>;
  /** The steps that have come, at once and each of them once. */
  readonly arrivals: Pick<Signal<readonly TraceStep[]>, "subscribe">;
  /** What is held, in the order in which the steps ended. */
  readonly steps: ReadonlyMap<number, TraceStep>;
  /** How many steps were gone before they could be read, and why there is nothing more if so. */
  readonly missed: number;
  readonly problem: string;
  /** A step and all that it caused, each before what it caused itself. */
  tree(id: number): readonly { step: TraceStep; depth: number }[];
  /** What steps there can be, and where upstream does it, by `kindKey`. */
  kinds(): Promise<ReadonlyMap<string, TraceKind>>;
  /** One step with its details in whole; undefined if the cluster does not hold it any more. */
  details(id: number): Promise<TraceStep | undefined>;
  /** What one step caused, or all that is held, in JSON. */
  export(id?: number): Promise<string>;
  /** Has it read as long as somebody looks. */
  follow(): Disposable;
}
