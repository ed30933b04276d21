import type { Event, KubeObject } from "../kube/types.ts";

/** Why an object is not as it should be. */
export interface Explanation {
  /** How it is drawn; "standin" and "cordoned" are worth a word and are no failure. */
  readonly state: "failing" | "unready" | "pending" | "terminating" | "standin" | "cordoned";
  /** One sentence, in plain words; what strangers have said in it is bounded. */
  readonly sentence: string;
  /** The kubectl line that looks further, every name quoted. */
  readonly line: string;
  /** The container whose last words are worth asking for. */
  readonly crashed?: Crashed;
}

/** A container that has ended, and of which of its runs the log is. */
export interface Crashed {
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly previous: boolean;
  /** How often it was restarted: with it, another run is another one. */
  readonly restarts: number;
}

/** What is known beside the object itself. */
export interface Around {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** All events that are known, of any object. */
  readonly events: Iterable<Event>;
  /** All pods that are known. */
  readonly pods: Iterable<KubeObject>;
  /** The last line of what a crashed container wrote; undefined as long as it is not known. */
  readonly lastWords?: (crashed: Crashed) => string | undefined;
}
