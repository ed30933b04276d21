import type { OpenTerminal } from "../embed/shared.ts";
import type { OpenView, ViewGround } from "../embed/view-element.ts";
import { CHAPTERS } from "../guide/chapters.ts";
import { WORDS } from "../guide/glossary.ts";
import { GuideView } from "../guide/guide-view.ts";
import { Telling } from "../trace/telling.ts";
import { Store } from "../state/store.ts";
import { GuideRuns } from "./guide-runs.ts";
import { Place } from "./place.ts";
import { joinSession } from "./session.ts";

/** The guide, in an element. */
export function openGuide(on: ViewGround): OpenView {
  const place = new Place(on, { path: ["guide"], query: {} });
  const { session } = place.add(joinSession(on.cluster));
  place.add(session.trace.follow());
  const telling = new Telling(session.trace);
  /** Terminals whose lines are listened to. */
  const heard = new WeakSet<OpenTerminal>();
  const guide = new GuideView({
    chapters: CHAPTERS,
    trace: session.trace,
    telling,
    choose: (command) => telling.choose(command),
    focus: new Store<number | undefined, undefined>((old) => old, undefined),
    run: (line) => {
      const { terminal } = on.shared;
      if (terminal?.runs && !heard.has(terminal)) {
        // Else what a box runs in there would be told in the place of what the reader typed.
        heard.add(terminal);
        place.add(telling.listen(terminal.runs));
      }
      if (place.terminal) place.terminal.run(line);
      else void view.run(line);
    },
  });
  const view = new GuideRuns(on.cluster, guide, telling);
  const chapter = on.element.getAttribute("chapter");
  if (chapter === WORDS || CHAPTERS.some(({ name }) => name === chapter)) guide.read(chapter ?? "");
  // A lesson leads here, at the reader's wish.
  view.tabIndex = -1;
  const show = () => {
    view.focus({ preventScroll: true });
    view.scrollIntoView({ block: "nearest" });
  };
  place.add(
    on.shared.guides({
      read: (name) => {
        guide.read(name);
        show();
      },
      follow: () => {
        guide.follow();
        show();
      },
    }),
  );
  return {
    element: view,
    dispose: () => {
      view.dispose();
      place.dispose();
    },
  };
}
