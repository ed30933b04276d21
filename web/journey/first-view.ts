import type { Page } from "../page/page.ts";
import type { Disposables } from "../state/disposable.ts";
import type { TraceFeed } from "../trace/feed.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { GiveWay } from "./give-way.ts";
import { ThenSlowly } from "./then-slowly.ts";
import { WaysView } from "./ways.ts";

type Shown = Pick<Page, "home" | "pane" | "route" | "settings" | "shown" | "terminal">;

/** What a command that is followed needs: the guide beside it, and to be shown slowly. */
interface Follow {
  begin(): void;
  slowly(command: TraceStep): void;
}

/** What the journey has more as long as it is the first view: the ways in, and that it gives way. */
export function firstView(page: Shown, trace: TraceFeed, held: Disposables, follow: Follow) {
  const give = held.add(new GiveWay({ trace, give: () => page.home.dispatch("map") }));
  const breakSomething = () => {
    page.route.dispatch({ path: ["break"], query: {} });
    page.pane.dispatch("map");
  };
  const type = () => {
    page.pane.dispatch("term");
    page.terminal?.focus();
  };
  const ways = new WaysView({
    follow: (line) => {
      follow.begin();
      // Who began here stays with the command until they go elsewhere.
      const stays = [
        give.hold(),
        new ThenSlowly({ trace, page: window, slowly: (command) => follow.slowly(command) }),
      ].map((one) => held.add(one));
      held.add(page.shown.subscribe(() => stays.forEach((one) => one.dispose())));
      page.terminal?.run(line);
      // On a phone the terminal came to the front.
      page.pane.dispatch("map");
    },
    breakSomething,
    terminalOnly: () => {
      page.settings.dispatch({ intro: false, guideOpen: false });
      page.home.dispatch("map");
      type();
    },
  });
  ways.hidden = page.home.state !== "journey";
  held.add(page.home.subscribe(() => (ways.hidden = true)));
  return { ways, hold: () => give.hold(), breakSomething, type };
}
