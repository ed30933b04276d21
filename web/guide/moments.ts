import type { TraceStep } from "../rpc/protocol.ts";
import { isAround } from "../trace/told.ts";

/** Of more steps than these nobody is asked which are told slowly: they come too fast. */
const MUCH = 3000;

type Story = (steps: readonly TraceStep[]) => readonly TraceStep[];

/** Which steps of a command the journey tells slowly. What finds them out is fetched when somebody asks. */
export class Moments {
  readonly #fetch: () => Promise<Story>;
  /** What it says may be otherwise now. */
  readonly #changed: () => void;
  #story: Promise<Story> | undefined;
  #known: Story | undefined;
  #told:
    | {
        readonly of: readonly TraceStep[];
        readonly list: readonly TraceStep[];
        readonly steps: ReadonlySet<TraceStep>;
      }
    | undefined;

  constructor(
    changed: () => void,
    fetch = async () => (await import("../journey/story.ts")).story,
  ) {
    this.#changed = changed;
    this.#fetch = fetch;
  }

  /** The steps of a command that are told, in their order. */
  async story(of: readonly TraceStep[]): Promise<readonly TraceStep[]> {
    return (await this.#load())(of);
  }

  /**
   * Whether a step is told slowly among those of its command; no as long as nobody knows. What is said of a request
   * is said of its end, or of what is in it: its moment, where it begins, would lead far back.
   */
  has(step: TraceStep, of: readonly TraceStep[]): boolean {
    if (of.length > MUCH || isAround(step)) return false;
    const story = this.#known;
    if (!story) {
      // Without it no claim leads there; the next one that is drawn asks again.
      this.#load().catch(() => undefined);
      return false;
    }
    return this.#tell(of, story).steps.has(step);
  }

  /** The steps of a command that are told, in their order; none as long as nobody knows, or of very many. */
  told(of: readonly TraceStep[]): readonly TraceStep[] {
    if (of.length > MUCH) return [];
    const story = this.#known;
    if (story) return this.#tell(of, story).list;
    this.#load().catch(() => undefined);
    return [];
  }

  #tell(of: readonly TraceStep[], story: Story) {
    if (this.#told?.of !== of) {
      const list = story(of);
      this.#told = { of, list, steps: new Set(list) };
    }
    return this.#told;
  }

  #load(): Promise<Story> {
    this.#story ??= this.#fetch().then(
      (story) => {
        this.#known = story;
        this.#changed();
        return story;
      },
      (error: unknown) => {
        this.#story = undefined;
        throw error;
      },
    );
    return this.#story;
  }
}
