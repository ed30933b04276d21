import { partsOf, type Block, type Part, type Step } from "../lesson/lesson.ts";
import { asked, type Progress } from "../lesson/progress.ts";

/** What became of a part. */
export interface PartState {
  readonly is: "waiting" | "busy" | "done" | "failed";
  /** What is said of it. */
  readonly words: string;
  /** What it printed. */
  readonly output: string;
  /** Whether a solution is shown. */
  readonly open: boolean;
  /** Answers that are chosen, by their numbers. */
  readonly chosen: readonly number[];
  /** It was done before this cluster. */
  readonly before?: boolean;
}

/** What has passed before, as it was kept or as a link says. */
export const PASSED: PartState = {
  is: "done",
  words: "✓ Passed before",
  output: "",
  open: false,
  chosen: [],
  before: true,
};

export const UNTOUCHED: PartState = {
  is: "waiting",
  words: "",
  output: "",
  open: false,
  chosen: [],
};

/** What became of the parts of a lesson. */
export class PartStates {
  readonly #states = new Map<Part, PartState>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  of(part: Part): PartState {
    return this.#states.get(part) ?? UNTOUCHED;
  }

  change(part: Part, to: Partial<PartState>): void {
    this.#states.set(part, { ...this.of(part), ...to });
    this.#changed();
  }

  clear(): void {
    this.#states.clear();
  }

  forget(parts: readonly Part[]): void {
    for (const part of parts) this.#states.delete(part);
  }

  /** Shows what has passed before, and nothing else. */
  show(steps: readonly Step[], passed: Progress["passed"]): void {
    this.#states.clear();
    for (const [i, which] of passed) {
      for (const [n, part] of asked(steps[i]?.blocks).entries())
        if (which.has(n)) this.#states.set(part, PASSED);
    }
  }

  /** Which checks and questions have passed, as progress is kept. */
  passed(steps: readonly Step[]): Progress["passed"] {
    const passed = steps.map(({ blocks }, i) => {
      const numbers = asked(blocks).map((part, n) => (this.#isDone(part) ? n : -1));
      return [i, new Set(numbers.filter((n) => n >= 0))] as const;
    });
    return new Map(passed);
  }

  /** Compares what is chosen of a question with what is right. */
  answer(part: Part): void {
    const { chosen } = this.of(part);
    const right = (part.answers ?? []).every(
      (answer, i) => (answer.right ?? false) === chosen.includes(i),
    );
    this.change(
      part,
      right
        ? { is: "done", words: "✓ Right", before: false }
        : { is: "failed", words: "✗ Not so. Try again." },
    );
  }

  /**
   * A step is done when all that is checked and asked is, or, without such, all that runs; `here` says that it
   * was in this cluster.
   */
  settled(blocks: readonly Block[] | undefined): { here: boolean; done: boolean } {
    const parts = partsOf(blocks);
    const here = (part: Part) => this.#isDone(part) && !this.of(part).before;
    const ran = parts.filter(
      ({ kind, prepare, reset }) => (kind === "run" || kind === "apply") && !prepare && !reset,
    );
    const wanted = asked(parts);
    const counts = wanted.length > 0 ? wanted : ran;
    return {
      here: ran.every(here) || counts.every(here),
      done: counts.every((part) => this.#isDone(part)),
    };
  }

  /** What was done in these steps is not in the cluster any more: what passed there has passed before. */
  undone(steps: readonly Step[]): void {
    for (const { blocks } of steps) {
      const wanted = asked(blocks);
      for (const part of partsOf(blocks)) {
        if (wanted.includes(part) && this.#isDone(part)) this.#states.set(part, PASSED);
        else this.#states.delete(part);
      }
    }
  }

  #isDone(part: Part): boolean {
    return this.of(part).is === "done";
  }
}
