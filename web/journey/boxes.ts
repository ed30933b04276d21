/*
 * Which controllers have a box, of more than have room, and which one: a controller comes back to its place with
 * each command. Who wrote something is what a command is about; most others only looked whether it concerns them.
 */

/** The process that the default controllers run in. */
export const MANAGER = "kube-controller-manager";

/** How many controllers are drawn; the others are counted. */
const CONTROLLERS = 3;

type Names = readonly (string | undefined)[];

/**
 * Where upstream's controllers stand, on every page: what a Deployment's way needs from left to right, and others so
 * that those who work together are not in each other's way.
 */
const HOMES: readonly (readonly string[])[] = [
  ["deployment", "statefulset", "daemonset", "cronjob", "namespace", "service-cidr", "disruption"],
  ["replicaset", "job", "endpoints", "replicationcontroller", "resourcequota", "serviceaccount"],
  ["endpointslice", "garbage-collector", "horizontal-pod-autoscaler", "ttl-after-finished"],
];

/** The same by a controller's whole name. */
const UPSTREAM: ReadonlyMap<string, number> = new Map(
  HOMES.flatMap((names, at) => names.map((name) => [`${name} controller`, at] as const)),
);
const RANKS = [...UPSTREAM.keys()];

/** Who is no part of kube-controller-manager is named by its component, and stands at the end. */
export function isOfManager(name: string): boolean {
  return name === MANAGER || name.endsWith(" controller");
}

/**
 * A controller keeps its box as long as one command is told; who only looked gives it to who writes. The box that
 * one had first stays its own for other commands.
 */
export class Boxes {
  /** Of those that are not known: where they stood first. */
  readonly #homes = new Map<string, number>();
  /** Who is drawn in each box when nobody else is. */
  readonly #rests: (string | undefined)[] = [];
  #command: number | undefined;
  #names: (string | undefined)[] = [];

  /** Who stands in each box: `names` are all of the command's controllers, in the order in which they came. */
  of(command: number | undefined, names: readonly string[], wrote: ReadonlySet<string>): Names {
    if (command !== this.#command || this.#names.length === 0) {
      this.#command = command;
      this.#names = Array.from({ length: CONTROLLERS }, () => undefined);
    }
    const boxes = this.#names;
    const put = (name: string, isFree: (one: string | undefined, at: number) => boolean) => {
      if (boxes.includes(name)) return;
      const to = this.#room(name, boxes, isFree);
      if (to < 0) return;
      boxes[to] = name;
      if (this.#home(name) < 0) this.#homes.set(name, to);
    };
    const looked = (one: string | undefined) => one === undefined || !wrote.has(one);
    const has = (name: string) => this.#home(name) >= 0;
    // Of two who share a place the first that is named above has it.
    for (const name of RANKS.filter((one) => wrote.has(one))) {
      const home = this.#home(name);
      const isLess = (one = "") =>
        UPSTREAM.get(one) === home && RANKS.indexOf(one) > RANKS.indexOf(name);
      put(name, (one, at) => at === home && (looked(one) || isLess(one)));
    }
    for (const name of [...wrote].filter(has)) put(name, looked);
    // Who only looked is at its own place or at none, and whoever else looks there gives way to it.
    for (const name of names.filter((one) => UPSTREAM.has(one))) {
      const home = this.#home(name);
      const isStranger = (one: string | undefined) =>
        one === undefined || (looked(one) && UPSTREAM.get(one) !== home);
      put(name, (one, at) => at === home && isStranger(one));
    }
    for (const name of wrote) put(name, looked);
    for (const name of names.filter((one) => !UPSTREAM.has(one))) {
      const home = isOfManager(name) ? this.#home(name) : -1;
      put(name, (one, at) => one === undefined && (home < 0 || at === home));
    }
    return boxes;
  }

  /**
   * The same with those who do what is looked at, who have a box in any case: of one who only looked, if there is
   * one, and their own, if it is.
   */
  withActing(boxes: Names, acts: readonly string[], wrote: ReadonlySet<string>): Names {
    const drawn = [...boxes];
    for (const name of acts) {
      if (drawn.includes(name)) continue;
      const other = (one: string | undefined) => !acts.includes(one ?? "");
      const looked = this.#room(name, drawn, (one) => other(one) && !wrote.has(one ?? ""));
      const to = looked >= 0 ? looked : this.#room(name, drawn, other);
      if (to >= 0) drawn[to] = name;
    }
    return drawn;
  }

  /**
   * The same with those at rest: who has been drawn once runs all the time, and stands where nobody else is needed.
   * Of several who share a place it is the one that is named first.
   */
  withResting(boxes: Names): Names {
    const rank = (name: string) => {
      const at = RANKS.indexOf(name);
      return at < 0 ? RANKS.length : at;
    };
    boxes.forEach((name, at) => {
      // Who is no part of kube-controller-manager may be gone.
      if (name === undefined || !isOfManager(name) || this.#home(name) !== at) return;
      const known = this.#rests[at];
      if (known === undefined || rank(name) < rank(known)) this.#rests[at] = name;
    });
    return boxes.map((name, at) => {
      const rests = name ?? this.#rests[at];
      return rests === name || boxes.includes(rests) ? name : rests;
    });
  }

  /** Its own box if that is free, or the last empty one, or the last one that is free; -1 for none. */
  #room(
    name: string,
    boxes: Names,
    isFree: (one: string | undefined, at: number) => boolean,
  ): number {
    const home = this.#home(name);
    if (home >= 0 && isFree(boxes[home], home)) return home;
    const empty = boxes.findLastIndex((one, at) => one === undefined && isFree(one, at));
    return empty >= 0 ? empty : boxes.findLastIndex(isFree);
  }

  /** -1 for one that has none yet. */
  #home(name: string): number {
    return (
      UPSTREAM.get(name) ?? this.#homes.get(name) ?? (isOfManager(name) ? -1 : CONTROLLERS - 1)
    );
  }
}
