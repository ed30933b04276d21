import { clusterBehind, type EmbeddedCluster } from "../sdk/create.ts";
import type { Disposable } from "../state/disposable.ts";
import { Store } from "../state/store.ts";
import { History } from "../term/line/history.ts";
import { screenStyle } from "../term/style.ts";
import { TerminalTab } from "../term/tab.ts";
import type { OpenTerminal } from "./shared.ts";

/** What a terminal in somebody else's page is made with. */
export interface ScreenOptions {
  cluster: EmbeddedCluster;
  /** The shell that it shows; one of its own if it is undefined. */
  shell: string | undefined;
  /** The shadow root that it stands in, and where in there. */
  root: ShadowRoot;
  place: HTMLElement;
  /** Pixels. */
  fontSize: number;
  /** Opens an editor on a file of the terminal; undefined leaves the file as it is. */
  edit: (name: string, text: string) => Promise<string | undefined>;
  /** The reader leaves it by F6: Tab is the shell's. */
  onLeave: () => void;
  /** The shell was left. */
  onExit: () => void;
}

export interface OpenScreen extends Disposable, OpenTerminal {
  refreshTheme(): void;
  /** Everything that is shown. */
  text(): string;
}

/** Counts the terminals of a page: each has a shell of its own. */
let opened = 0;

/** Opens a terminal with a shell of its own. */
export function openScreen(options: ScreenOptions): OpenScreen {
  const { cluster, root, place, fontSize, edit, onLeave, onExit } = options;
  for (const { styleSheet } of screenStyle) {
    if (styleSheet && !root.adoptedStyleSheets.includes(styleSheet))
      root.adoptedStyleSheets.push(styleSheet);
  }
  const number = ++opened;
  const { shell = `embed-${number}` } = options;
  const tab = new TerminalTab(number, {
    cluster: clusterBehind(cluster),
    shell,
    settings: new Store((state: { fontSize: number }) => state, { fontSize }),
    history: new History(undefined), // nothing of this page's storage is ours
    greeting: () => `\x1b[90mk is kubectl, Tab completes, F6 leaves the terminal.\x1b[0m\r\n\r\n`,
    typed: (data) => data,
    onKey: (event) => {
      if (event.key !== "F6") return true;
      if (event.type === "keydown") {
        event.preventDefault();
        onLeave();
      }
      return false;
    },
    onExit,
    edit,
    onRun: () => undefined,
    beside: undefined,
    names: {
      find: () => Promise.resolve(undefined),
      open: () => undefined,
      point: () => undefined,
    },
  });
  place.append(tab.element);
  tab.open();
  return {
    shell,
    get busy() {
      return tab.busy;
    },
    runs: tab.runs,
    execute: async (lines, signal) => {
      if (!tab.session) throw new Error("The terminal is closed.");
      return tab.session.execute(lines, signal);
    },
    run: (line) => tab.session?.run(line),
    type: (line) => tab.session?.type(line),
    focus: () => tab.screen?.focus(),
    refreshTheme: () => tab.screen?.refreshTheme(),
    text: () => tab.screen?.text() ?? "",
    dispose: () => tab.dispose(),
  };
}
