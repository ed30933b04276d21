import type { TraceStep } from "../rpc/protocol.ts";
import { top, REQUEST } from "../trace/told.ts";
import { WORDS, wordsAt } from "./binding.ts";
import type { Point } from "./layout.ts";
import type { Scene } from "./scene.ts";
import { Travel, type Trip } from "./travel.ts";

/** How many things move at once; the rest is counted. */
const MOST = 12;
/** Milliseconds after which it is looked again whether what was waited for has come. */
const AGAIN = 100;
/** Milliseconds for which a line is seen that a Binding has drawn. */
const FADES = 1200;

/** What it stands over. */
export interface MovingNeeds {
  /** All steps that the trace holds. */
  readonly steps: ReadonlyMap<number, TraceStep>;
  scene(): Scene;
  /** Where what moves is drawn; null as long as there is no drawing. */
  layer(): Element | null;
  look(step: TraceStep): void;
  /** Something has arrived. */
  arrived(): void;
}

/** What was not drawn, since too many moved: how many of which, and the first of them. */
export interface Undrawn {
  readonly requests: number;
  readonly events: number;
  readonly others: number;
  readonly first: TraceStep | undefined;
}

const NONE: Undrawn = { requests: 0, events: 0, others: 0, first: undefined };

/** The same with one more. */
export function counting(so: Undrawn, step: TraceStep): Undrawn {
  const what =
    step.kind === REQUEST ? "requests" : step.kind === "etcd.watched" ? "events" : "others";
  return { ...so, [what]: so[what] + 1, first: so.first ?? step };
}

/** How many commands are remembered with what was not drawn of them. */
const COMMANDS = 20;

/** What was not drawn of each command: while one is drawn another may still go on. */
export class Undrawns {
  readonly #of = new Map<number, Undrawn>();

  /** One more, in one of all steps that the trace holds. */
  count(step: TraceStep, steps: ReadonlyMap<number, TraceStep>): void {
    const command = top(steps, step.id);
    this.#of.set(command, counting(this.of(command), step));
    for (const oldest of this.#of.keys()) {
      if (this.#of.size <= COMMANDS) return;
      this.#of.delete(oldest);
    }
  }

  of(command: number | undefined): Undrawn {
    return this.#of.get(command ?? 0) ?? NONE;
  }
}

/** What moves in the drawing while it happens. */
export class Moving {
  readonly undrawn = new Undrawns();
  readonly #travel = new Travel();
  readonly #on: MovingNeeds;
  #moving = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(on: MovingNeeds) {
    this.#on = on;
  }

  /** These steps have come, after others. */
  take(fresh: readonly TraceStep[]): void {
    const layer = this.#on.layer();
    if (!layer) return;
    const { steps } = this.#on;
    for (const trip of this.#travel.take(fresh, performance.now(), steps, this.#on.scene())) {
      if (this.#moving >= MOST) this.undrawn.count(trip.step, steps);
      else this.#move(trip, layer);
    }
    if (!this.#travel.waits && this.#travel.rests <= performance.now()) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.take([]);
      this.#on.arrived();
    }, AGAIN);
  }

  /** The last of these steps that is to be said, as what moves has come so far. */
  lastSaid(told: readonly TraceStep[]): TraceStep | undefined {
    return this.#travel.lastSaid(told, performance.now());
  }

  /** Nobody looks: nothing is to begin that waits. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#travel.clear();
  }

  #move({ step, points, offsets, delay, there, lasts, code, binds }: Trip, layer: Element): void {
    const dot = shape("g", {});
    dot.append(shape("circle", { class: "dot", r: "7" }));
    dot.addEventListener("click", () => this.#on.look(step));
    layer.append(dot);
    this.#moving++;
    const frames = points.map(({ x, y }, i) => ({
      transform: `translate(${x}px, ${y}px)`,
      offset: offsets[i] ?? 1,
      opacity: 1, // before it sets out it is not seen
    }));
    const travel = dot.animate(frames, { delay, duration: lasts, easing: "linear" });
    travel.oncancel = travel.onfinish = () => {
      dot.remove();
      this.#moving--;
    };
    if (code !== "" && there < lasts) {
      const answer = shape("text", { class: "code", x: "12", y: "-8" });
      answer.textContent = code;
      answer.toggleAttribute("data-refused", Number(code) >= 400);
      dot.append(answer);
      const seen = [{ opacity: 1 }, { opacity: 1 }];
      answer.animate(seen, { delay: delay + there, duration: lasts - there });
    }
    if (binds.length === 0) return;
    const line = shape("g", {});
    line.append(shape("polyline", { class: "binding", points: written(binds) }));
    const { x, y, anchor, size } = wordsAt(this.#on.scene());
    const at = { x: String(x), y: String(y), "text-anchor": anchor };
    const words = shape("text", { class: "small words", ...at });
    words.style.fontSize = `${size}px`;
    words.textContent = WORDS;
    line.append(words);
    layer.prepend(line);
    const fades = [{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }];
    const seen = line.animate(fades, { delay: delay + there, duration: FADES });
    seen.oncancel = seen.onfinish = () => {
      line.remove();
    };
  }
}

function shape(
  name: "circle" | "g" | "polyline" | "text",
  attributes: Readonly<Record<string, string>>,
) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const written = (points: readonly Point[]) => points.map(({ x, y }) => `${x},${y}`).join(" ");
