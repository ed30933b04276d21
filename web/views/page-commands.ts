import type { App } from "../app.ts";
import type { PageCommand } from "../commands/commands.ts";
import type { Settings } from "../state/settings.ts";

const THEMES: readonly Settings["theme"][] = ["auto", "light", "dark"];

/** What the page itself can do; views add their own. */
export function pageCommands(app: App): PageCommand[] {
  const go = (name: string) => () => app.route.dispatch({ path: [name], query: {} });
  const { theme, wide } = app.settings.state;
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
        app.settings.dispatch({ wide: false });
        document.dispatchEvent(new CustomEvent("tn-show-terminal"));
        app.terminal?.focus();
      },
    },
    {
      title: wide ? "Show the terminal below the view" : "Give the view the terminal's place",
      words: "full height maximize",
      run: () => app.settings.dispatch({ wide: !wide }),
    },
    {
      title: "Show all keys",
      words: "help shortcuts",
      keys: "?",
      run: () => void document.dispatchEvent(new CustomEvent("tn-keys")),
    },
    ...THEMES.filter((name) => name !== theme).map((name) => ({
      title: `Switch to the ${name} theme`,
      words: "colour color appearance",
      run: () => app.settings.dispatch({ theme: name }),
    })),
  ];
}
