import type { TraceStep } from "../rpc/protocol.ts";
import { isRead, REQUEST, WRITE } from "../trace/told.ts";
import { textOf } from "../trace/words.ts";
import type { Point } from "./layout.ts";
import { along, bindingTo, route } from "./lines.ts";
import { PART } from "./order.ts";
import { originOf, placeOf, STATIONS, WATCH_CACHE, type Place, type Scene } from "./scene.ts";

/*
 * How what happens moves in the drawing. A request is one dot for all that the server does for it, from who asks
 * through the stations that it passed; any other step is a dot from the place of its cause.
 */

/** Milliseconds from one station to the next: as long as it took, within these bounds. */
const BRIEFEST = 60;
const LONGEST = 400;
/** And on the way back, where nothing is done. */
const BACK = 40;
/** Milliseconds of all other ways. */
const HOP = 200;
/** Milliseconds for which a step waits for those before it: what takes long is told after what it caused. */
const HOLD = 300;
/** Milliseconds that a dot sets out late at most, so that its cause has arrived. */
const LATE = 800;
/** Arrivals that are remembered at least. */
const REMEMBERED = 1000;

/** The way of one dot. */
export interface Trip {
  readonly step: TraceStep;
  readonly points: readonly Point[];
  /** When it is at each of them, from 0 to 1. */
  readonly offsets: readonly number[];
  /** Milliseconds until it sets out, until it has come to where it goes, and that it is under way. */
  readonly delay: number;
  readonly there: number;
  readonly lasts: number;
  /** The answer's code, which it has beside it on its way back; empty for none. */
  readonly code: string;
  /** The line that it draws where it ends: a Binding's, to the node. */
  readonly binds: readonly Point[];
}

const TURNED_BACK = /\.(refused|forbidden|exists)$/;

export class Travel {
  readonly #parts = new Map<number, TraceStep[]>();
  readonly #arrives = new Map<number, number>();
  /** When the dots of requests set out. */
  readonly #setsOut = new Map<number, number>();
  #rests = 0;
  #waiting: { readonly step: TraceStep; readonly since: number }[] = [];

  /** Whether something waits for what it came from: `take` is to be called again then. */
  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** The trips that begin, now that these steps have come; `now` in milliseconds. */
  take(
    fresh: readonly TraceStep[],
    now: number,
    steps: ReadonlyMap<number, TraceStep>,
    scene: Scene,
  ): Trip[] {
    for (const step of fresh) {
      if (PART.test(step.kind) || WRITE.test(step.kind)) this.#keepPart(step);
      if (!PART.test(step.kind)) this.#waiting.push({ step, since: now });
    }
    const begin: TraceStep[] = [];
    this.#waiting = this.#waiting.filter(({ step, since }) => {
      const waits = now - since < HOLD && !this.#isReady(step, steps);
      if (!waits) begin.push(step);
      return waits;
    });
    begin.sort((a, b) => a.at - b.at || a.id - b.id);
    return begin.flatMap((step) => this.#trip(step, now, steps, scene) ?? []);
  }

  /**
   * The last of these steps that is to be said: nothing that began before it is still under way. A request is said
   * once its dot has set out, and what the server did for it as the dot comes there.
   */
  lastSaid(told: readonly TraceStep[], now: number): TraceStep | undefined {
    const waiting = new Set(this.#waiting.map(({ step }) => step));
    const next = told.findIndex((step) => {
      const when = this.#setsOut.get(step.id) ?? this.#arrives.get(step.id);
      return when === undefined ? waiting.has(step) : when > now;
    });
    const before = next < 0 ? told : told.slice(0, next);
    // What is part of a request that has not come yet may never come.
    return before.findLast((step) => !this.#parts.get(step.cause ?? 0)?.includes(step));
  }

  /** When the last of what is under way arrives, as `take` counts. */
  get rests(): number {
    return this.#rests;
  }

  clear(): void {
    this.#rests = 0;
    this.#waiting = [];
    this.#parts.clear();
    this.#arrives.clear();
    this.#setsOut.clear();
  }

  #keepPart(step: TraceStep): void {
    const request = step.cause ?? 0;
    const known = this.#parts.get(request);
    if (known) known.push(step);
    else this.#parts.set(request, [step]);
    forget(this.#parts);
  }

  /** Whether all that a step came from has been told, up to a request and who made it. */
  #isReady(step: TraceStep, steps: ReadonlyMap<number, TraceStep>): boolean {
    let at = step;
    for (let up = 0; at.cause && up < 8; up++) {
      const cause = steps.get(at.cause);
      if (!cause) return false;
      if (at.kind === REQUEST || this.#arrives.has(cause.id)) return true;
      at = cause;
    }
    return true;
  }

  #trip(
    step: TraceStep,
    now: number,
    steps: ReadonlyMap<number, TraceStep>,
    scene: Scene,
  ): Trip | undefined {
    const cause = steps.get(step.cause ?? 0);
    // It goes with its request.
    if (WRITE.test(step.kind) && cause?.kind === REQUEST) return undefined;
    const from = originOf(step, steps, scene);
    const to = placeOf(step, scene);
    const early = this.#arrives.get(step.cause ?? 0) ?? now;
    const delay = Math.min(Math.max(early - now, 0), LATE);
    const arrives = (id: number, after: number) => {
      this.#arrives.set(id, now + delay + after);
      this.#rests = Math.max(this.#rests, now + delay + after);
      forget(this.#arrives);
    };
    if (step.kind !== REQUEST) {
      arrives(step.id, from === to ? 0 : HOP);
      if (from === to) return undefined;
      const points = route(from, to, scene);
      const offsets = along(points);
      return { step, points, offsets, delay, there: HOP, lasts: HOP, code: "", binds: [] };
    }
    const isRefused = this.#parts.get(step.id)?.some(({ kind }) => TURNED_BACK.test(kind));
    const legs = this.#legs(step, from, scene);
    this.#parts.delete(step.id);
    this.#setsOut.set(step.id, now + delay);
    forget(this.#setsOut);
    const points: Point[] = [];
    const times: number[] = [];
    let lasts = 0;
    const go = (leg: Leg) => {
      const way = route(leg.from, leg.to, scene);
      const far = along(way);
      points.push(...way);
      times.push(...far.map((part) => lasts + part * leg.lasts));
      lasts += leg.lasts;
      for (const id of leg.steps) arrives(id, lasts);
    };
    for (const leg of legs) go(leg);
    const there = lasts;
    arrives(step.id, there);
    if (there === 0) return undefined;
    // A request is told at its end: it has its answer, which goes the same way back.
    const code = textOf(step.details, "code");
    if (isRefused || code !== "")
      for (const { from: to, to: of } of legs.toReversed())
        go({ from: of, to, lasts: BACK, steps: [] });
    const bound = step.object?.subresource === "binding" && legs.at(-1)?.to.id === "etcd";
    const binds = bound && cause ? bindingTo(from, textOf(cause.details, "node"), scene) : [];
    const offsets = times.map((one) => one / lasts);
    return { step, points, offsets, delay, there, lasts, code, binds };
  }

  /**
   * The way of a request: to the first station, on to the last that it came to, and to etcd, or to the watch cache that
   * answers it.
   */
  #legs(request: TraceStep, from: Place, scene: Scene): Leg[] {
    const parts = (this.#parts.get(request.id) ?? []).sort((a, b) => a.at - b.at || a.id - b.id);
    const at = new Map<string, TraceStep[]>();
    for (const part of parts) {
      const { id } = placeOf(part, scene);
      at.set(id, [...(at.get(id) ?? []), part]);
    }
    const ends = ["etcd", WATCH_CACHE].filter((id) => at.has(id));
    const met = STATIONS.findLastIndex((id) => at.has(id));
    const last = ends.length > 0 && !parts.some(isRead) ? STATIONS.length - 1 : met;
    const way = [...STATIONS.slice(0, Math.max(0, last) + 1), ...ends];
    const legs: Leg[] = [];
    let [place, when] = [from, request.at];
    for (const id of way) {
      const to = scene.places.get(id);
      if (!to) continue;
      const here = at.get(id) ?? [];
      const until = Math.max(when, ...here.map((part) => part.at + (part.took ?? 0)));
      const lasts = Math.min(Math.max(until - when, BRIEFEST), LONGEST);
      if (to !== place) legs.push({ from: place, to, lasts, steps: here.map((part) => part.id) });
      [place, when] = [to, until];
    }
    return legs;
  }
}

interface Leg {
  readonly from: Place;
  readonly to: Place;
  readonly lasts: number;
  /** The steps that it leads to. */
  readonly steps: readonly number[];
}

/** Drops the older half of what was remembered. */
function forget(map: Map<number, unknown>): void {
  if (map.size <= 2 * REMEMBERED) return;
  let over = map.size - REMEMBERED;
  for (const id of map.keys()) if (over-- > 0) map.delete(id);
}
