import type { Page } from "./page.ts";
import type { PageCommand } from "./commands.ts";
import type { Settings } from "./settings.ts";

const THEMES: readonly Settings["theme"][] = ["auto", "light", "dark"];

/** Views that have commands of their own below. */
const NAMED: ReadonlySet<string> = new Set(["map", "objects", "editor"]);

/** What the page itself can do; views add their own. */
export function pageCommands(
  page: Pick<Page, "route" | "settings" | "pane" | "keys" | "terminal" | "views">,
): PageCommand[] {
  const go = (name: string) => () => page.route.dispatch({ path: [name], query: {} });
  const { theme, wide } = page.settings.state;
  return [
    { title: "Go to the map", words: "nodes pods topology view", run: go("map") },
    {
      title: "Go to the objects",
      words: "kinds resources api list view",
      keys: ":",
      run: go("objects"),
    },
    { title: "Go to the editor", words: "yaml manifest apply file view", run: go("editor") },
    {
      title: "Go to the terminal",
      words: "shell kubectl view",
      run: () => {
        page.settings.dispatch({ wide: false });
        page.pane.dispatch("term");
        page.terminal?.focus();
      },
    },
    ...page.views.list.state
      .filter(({ name }) => !NAMED.has(name))
      .map(({ name, label, words = "", keys }) => ({
        title: `Go to ${label}`,
        words: `${words} view`,
        ...(keys === undefined ? {} : { keys }),
        run: go(name),
      })),
    {
      title: wide ? "Show the terminal below the view" : "Give the view the terminal's place",
      words: "full height maximize",
      run: () => page.settings.dispatch({ wide: !wide }),
    },
    {
      title: "Show all keys",
      words: "help shortcuts",
      keys: "?",
      run: () => page.keys.emit(),
    },
    ...THEMES.filter((name) => name !== theme).map((name) => ({
      title: `Switch to the ${name} theme`,
      words: "colour color appearance",
      run: () => page.settings.dispatch({ theme: name }),
    })),
  ];
}
