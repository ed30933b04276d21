import { Store } from "../state/store.ts";
import type { Mark, Ran, RanLines, Row } from "./ran.ts";
import type { XtermScreen } from "./xterm.ts";

/** How many lines of one terminal are remembered. */
const KEPT = 200;

type Marked = Ran & { at?: Mark };

/** The lines that were run on one screen. */
export class LinesOfScreen implements RanLines {
  readonly place: HTMLElement;
  readonly runs = new Store<readonly Marked[], readonly Marked[]>((_old, next) => next, []);
  readonly moved = new Store<number, "moved">((old) => old + 1, 0);
  readonly #screen: XtermScreen;

  constructor(place: HTMLElement, screen: XtermScreen) {
    this.place = place;
    this.#screen = screen;
    screen.onMoved(() => {
      // What was cleared away, or has scrolled out of what is kept, has no place any more.
      if (this.runs.state.some(gone)) {
        this.runs.dispatch(this.runs.state.filter((ran) => !gone(ran)));
      }
      this.moved.dispatch("moved");
    });
  }

  /** A line begins to run, or has ended. */
  take(ran: Marked): void {
    const known = this.runs.state.includes(ran);
    this.runs.dispatch(known ? [...this.runs.state] : [...this.runs.state, ran].slice(-KEPT));
    if (known) return;
    void ran.mark.then((mark) => {
      ran.at = mark;
      this.moved.dispatch("moved");
    });
  }

  /** The run whose line or output is in that row of the buffer. */
  runAt(line: number): Marked | undefined {
    return this.runs.state.findLast(({ at }) => at && at.line >= 0 && at.line <= line);
  }

  row({ at }: Marked): Row | undefined {
    return at && at.line >= 0 ? this.#screen.rowAt(at.line, this.place) : undefined;
  }

  output(ran: Marked): readonly string[] {
    if (!ran.at || ran.at.line < 0) return [];
    const next = this.runs.state[this.runs.state.indexOf(ran) + 1]?.at?.line;
    return this.#screen.lines(ran.at.line + 1, next);
  }

  reveal({ at }: Marked): void {
    if (at && at.line >= 0) this.#screen.scrollTo(at.line);
  }

  focus(): void {
    this.#screen.focus();
  }
}

function gone({ at }: Marked): boolean {
  return at !== undefined && at.line < 0;
}
