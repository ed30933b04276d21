import type { Cluster } from "../cluster/cluster.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import type { Readable } from "../state/store.ts";
import type { History } from "./line/history.ts";
import { Session, type EditFile, type Shell } from "./session.ts";
import { XtermScreen } from "./xterm.ts";

export interface TabOptions {
  cluster: Cluster;
  /** The name of its shell, which no other has. */
  shell: string;
  settings: Readable<{ fontSize: number }>;
  history: History;
  /** What is printed before the first prompt, given the width in characters. */
  greeting: (cols: number) => string;
  /** What is typed, on its way to the session. */
  typed: (data: string) => string;
  /** Keys that the page takes before the terminal; false keeps one from it. */
  onKey: (event: KeyboardEvent) => boolean;
  /** The shell was left: `exit`, or Ctrl-D at an empty prompt. */
  onExit: () => void;
  edit: EditFile;
  /** A command is about to run. */
  onRun: () => void;
}

/** One tab of the terminal: a screen with a shell of its own behind it. */
export class TerminalTab implements Disposable {
  /** Counted from 1, never used twice. */
  readonly number: number;
  readonly element = document.createElement("div");
  readonly #options: TabOptions;
  readonly #held = new Disposables();
  #screen: XtermScreen | undefined;
  #session: Session | undefined;

  constructor(number: number, options: TabOptions) {
    this.number = number;
    this.#options = options;
    this.element.className = "screen";
  }

  /** Draws the terminal; its element must be in the page by then. */
  open(): void {
    if (this.#screen) return;
    const { cluster, shell, settings, history, greeting, typed, onKey, onExit, edit, onRun } =
      this.#options;
    const screen = new XtermScreen(this.element, settings.state.fontSize);
    const session = new Session(screen, shellOf(cluster, shell, onRun), history);
    this.#screen = screen;
    this.#session = session;
    session.onExit = onExit;
    session.edit = edit;
    screen.onResize = () => session.resized();
    screen.onKey(onKey);
    screen.open((data) => session.input(typed(data)));
    screen.label(`Terminal ${this.number}`);
    session.start(greeting(screen.cols));
    this.#held.add(screen);
    this.#held.add(session);
    this.#held.add(settings.subscribe(({ fontSize }) => screen.setFontSize(fontSize)));
  }

  get busy(): boolean {
    return this.#session?.busy ?? false;
  }

  get screen(): XtermScreen | undefined {
    return this.#screen;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  dispose(): void {
    this.#held.dispose();
    this.element.remove();
  }
}

function shellOf(cluster: Cluster, session: string, onRun: () => void): Shell {
  return {
    ready: cluster.ready,
    exec: (params, on) => {
      onRun();
      return cluster.client.call("exec", { ...params, session }, on);
    },
    complete: (line, cursor) => cluster.client.call("complete", { line, cursor, session }).result,
    // A cluster that is gone has no shells either.
    close: () => void cluster.client.call("close", { session }).result.catch(() => undefined),
  };
}
