import type { Cluster } from "../cluster/cluster.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { Store, type Readable } from "../state/store.ts";
import type { History } from "./line/history.ts";
import { linkNames, type Names } from "./name-links.ts";
import { LinesOfScreen } from "./ran-lines.ts";
import type { Beside, DrawBeside, Ran } from "./ran.ts";
import { Session } from "./session.ts";
import type { EditFile, Shell } from "./shell.ts";
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
  /** Draws something beside the lines that were run. */
  beside: DrawBeside | undefined;
  /** What the names in its output lead to. */
  names: Names;
  /** What an address of the cluster in its output leads to (url-links.ts); undefined where nothing shows one. */
  inside?: (url: URL) => Promise<string | undefined>;
  /** What is said below a line, given what it has printed; "" for nothing. */
  hint?: (line: string, output: readonly string[]) => Promise<string>;
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
  #beside: Beside | undefined;
  #runs: Readable<readonly Ran[]> = new Store<readonly Ran[], never>((old) => old, []);

  constructor(number: number, options: TabOptions) {
    this.number = number;
    this.#options = options;
    this.element.className = "screen";
  }

  /** Draws the terminal; its element must be in the page by then. */
  open(): void {
    if (this.#screen) return;
    const { cluster, shell, settings, history, greeting, typed } = this.#options;
    const { onKey, onExit, edit, onRun, beside, names, hint } = this.#options;
    const sideways = document.createElement("div");
    sideways.className = "sideways";
    const host = document.createElement("div");
    host.className = "host";
    sideways.append(host);
    this.element.append(sideways);
    const screen = new XtermScreen(host, settings.state.fontSize, sideways);
    const session = new Session(screen, shellOf(cluster, shell, onRun), history);
    this.#screen = screen;
    this.#session = session;
    session.onExit = onExit;
    session.edit = edit;
    screen.onResize = () => session.resized();
    screen.onKey(onKey);
    screen.open((data) => session.input(typed(data)));
    screen.label(`Terminal ${this.number}`);
    // Around the rows there is room that is none of theirs: who clicks there means the terminal all the same.
    const around = new Set<EventTarget | null>([this.element, sideways, host]);
    this.element.addEventListener("click", ({ target }) => {
      if (around.has(target)) screen.focus();
    });
    const lines = new LinesOfScreen(this.element, screen);
    this.#runs = lines.runs;
    session.onRan = (ran) => lines.take(ran);
    if (hint) {
      session.hint = async (ran) => {
        // Until its row is known, nothing of its output is.
        await ran.mark;
        return hint(ran.line, lines.output(ran));
      };
    }
    linkNames(screen, lines, names);
    screen.onAddress(() => void this.#linkAddresses(screen, session));
    this.#beside = beside?.(lines);
    if (this.#beside) this.#held.add(this.#beside);
    session.start(greeting(screen.inSight));
    this.#held.add(screen);
    this.#held.add(session);
    this.#held.add(settings.subscribe(({ fontSize }) => screen.setFontSize(fontSize)));
  }

  /** With the first address comes what makes links of them. */
  async #linkAddresses(screen: XtermScreen, session: Session): Promise<void> {
    const { inside = () => Promise.resolve(undefined) } = this.#options;
    const places = {
      inside,
      get typing() {
        return !session.busy;
      },
    };
    try {
      const { UrlLinks } = await import("./url-links.ts");
      if (this.#screen === screen) screen.load(new UrlLinks(places));
    } catch {
      // Without the network there is the text.
    }
  }

  get busy(): boolean {
    return this.#session?.busy ?? false;
  }

  get screen(): XtermScreen | undefined {
    return this.#screen;
  }

  /** The lines that were run, the last one last; none until it is drawn. */
  get runs(): Readable<readonly Ran[]> {
    return this.#runs;
  }

  /** What stands beside the lines that were run. */
  get beside(): Beside | undefined {
    return this.#beside;
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
    name: session,
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
