import type { TraceStep } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";
import { Store, type Readable } from "../state/store.ts";
import type { Ran } from "../term/ran.ts";
import type { TraceFeed } from "./feed.ts";
import { commandsOf } from "./ran.ts";
import { commands, justHappened, wrote } from "./told.ts";

/** What is known of a line that ran. */
type Run = Pick<Ran, "line" | "session" | "began" | "ended">;

interface Choice {
  /** The step at the top of what is told. */
  readonly root: number;
  /** The last command when it was chosen: one that is typed later takes its place. */
  readonly since: number;
}

/** Whom the rule chooses among. */
interface Candidates {
  /** The last command that was typed and is worth telling. */
  readonly typed: TraceStep | undefined;
  /** Who is told where there is none. */
  readonly instead: TraceStep | undefined;
  /** What just happened, whoever ran it. */
  readonly now: TraceStep | undefined;
}

/** How many runs are remembered, those of boxes and those of lines that were typed. */
const RUNS = 200;

/**
 * Which command the guide and the journey tell, and the trace as long as no step of another one is looked at.
 * The rule: the one that was typed or chosen last, and of a line with several the first. A box of the guide
 * runs beside it and takes nobody's place, but the one that the guide begins with.
 */
export class Telling {
  readonly #trace: Pick<TraceFeed, "steps" | "tree" | "version">;
  readonly #chosen = new Store<Choice | undefined, Choice | undefined>(
    (_old, next) => next,
    undefined,
  );
  /** What was chosen before something was replayed. */
  #before: { readonly choice: Choice | undefined } | undefined;
  /** Lines of boxes that were pressed and have not begun to run. */
  readonly #pressed: string[] = [];
  readonly #boxes: Run[] = [];
  /** What else ran. */
  readonly #lines: Run[] = [];
  #found: { readonly version: number; readonly of: Candidates } | undefined;

  constructor(trace: Pick<TraceFeed, "steps" | "tree" | "version">) {
    this.#trace = trace;
  }

  /** Changes when somebody chooses. */
  get chosen(): Readable<object | undefined> {
    return this.#chosen;
  }

  /** Has what that step is at the top of told; undefined: the last one that was typed. */
  choose(root: number | undefined): void {
    this.#before = undefined;
    const since = commands(this.#trace.steps).at(-1)?.id ?? 0;
    this.#chosen.dispatch(root === undefined ? undefined : { root, since });
  }

  /** The same while it is replayed: nothing that is typed meanwhile takes its place. */
  hold(root: number): void {
    const { state } = this.#chosen;
    if (this.#before && state?.root === root) return;
    this.#before ??= { choice: state };
    this.#chosen.dispatch({ root, since: Infinity });
  }

  /** It is not replayed any more. */
  release(): void {
    if (!this.#before) return;
    this.#chosen.dispatch(this.#before.choice);
    this.#before = undefined;
  }

  /** A box of the guide is about to run that line. */
  pressed(line: string): void {
    this.#pressed.push(plain(line));
    this.#pressed.splice(0, this.#pressed.length - RUNS);
  }

  /** A line begins to run. */
  ran(run: Run): void {
    if (this.#boxes.includes(run) || this.#lines.includes(run)) return;
    const at = this.#pressed.indexOf(plain(run.line));
    const among = at < 0 ? this.#lines : this.#boxes;
    // Those that were pressed before it never came to run.
    this.#pressed.splice(0, at + 1);
    among.push(run);
    among.splice(0, among.length - RUNS);
    this.#found = undefined;
  }

  /** Hears of the lines of a terminal until disposed. */
  listen(runs: Readable<readonly Run[]>): Disposable {
    return runs.subscribe((all) => {
      const last = all.at(-1);
      if (last) this.ran(last);
    });
  }

  /** The step at the top of what is told. */
  get root(): number | undefined {
    const { state } = this.#chosen;
    const { typed, instead } = this.#last();
    const chosen = state && this.#trace.steps.has(state.root) ? state : undefined;
    if (chosen && !(typed && typed.id > chosen.since)) return chosen.root;
    return typed?.id ?? instead?.id;
  }

  /** The command that is told, if it is one. */
  get command(): TraceStep | undefined {
    const step = this.#trace.steps.get(this.root ?? -1);
    return step?.kind === "kubectl.command" ? step : undefined;
  }

  /** What just happened, if that is after the command that is told. */
  get later(): TraceStep | undefined {
    const { command } = this;
    const { now } = this.#last();
    return command && now && now.id > command.id ? now : undefined;
  }

  /** The commands that did something of the line that ran the one that is told: that one, and others if there are. */
  get line(): readonly TraceStep[] {
    const { command } = this;
    return command ? this.#besides(command, commands(this.#trace.steps)) : [];
  }

  #besides(command: TraceStep, all: readonly TraceStep[]): readonly TraceStep[] {
    for (const run of [...this.#lines, ...this.#boxes].reverse()) {
      const found = commandsOf(run, all);
      if (!found.includes(command)) continue;
      return found.filter((one) => one === command || justHappened(this.#trace, [one]) === one);
    }
    return [command];
  }

  #last(): Candidates {
    const version = this.#trace.version.state;
    if (this.#found?.version !== version) this.#found = { version, of: this.#find() };
    return this.#found.of;
  }

  /** Who begins the story of a line: the first of its commands that wrote, and was not just turned back. */
  #begins(last: TraceStep, all: readonly TraceStep[]): TraceStep {
    return this.#besides(last, all).find((one) => wrote(this.#trace, one)) ?? last;
  }

  #find(): Candidates {
    const all = commands(this.#trace.steps);
    const ofBoxes = this.#boxes.map((run) => commandsOf(run, all));
    const boxed = new Set(ofBoxes.flat());
    const typed = justHappened(
      this.#trace,
      all.filter((command) => !boxed.has(command)),
    );
    // Where nothing was typed that is worth telling, the first box that did something is the story.
    const first = ofBoxes.map((some) => justHappened(this.#trace, some)).find(Boolean);
    return {
      typed: typed && this.#begins(typed, all),
      instead: first ?? all.at(-1),
      now: justHappened(this.#trace, all),
    };
  }
}

/** Terminals break lines as they like. */
function plain(line: string): string {
  return line.trim().replaceAll(/\s+/g, " ");
}
