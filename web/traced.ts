import { CHAPTERS } from "./guide/chapters.ts";
import { GuideView } from "./guide/guide-view.ts";
import { parsePlace, placePath, type ApiPlace } from "./kube/apipath.ts";
import { objectRoute } from "./page/address.ts";
import { parseRoute, type Route } from "./page/route.ts";
import type { TraceObject, TraceStep } from "./rpc/protocol.ts";
import type { Disposables } from "./state/disposable.ts";
import { Store } from "./state/store.ts";
import { GiveWay } from "./journey/give-way.ts";
import { WaysView } from "./journey/ways.ts";
import { HappenedView } from "./trace/happened-view.ts";
import type { Ground } from "./workbench.ts";

/**
 * The views of what happens in the cluster: the guide beside it, a line under the terminal, and the
 * trace. They share one thing, the step that is looked at, so that each leads to the others.
 */
export function traced(
  on: Pick<Ground, "session" | "page">,
  held: Disposables,
  mount: (name: string, view: HTMLElement) => void,
): void {
  const { page, session } = on;
  const { trace } = session;
  /** The step that is looked at, by whichever view. */
  const focus = new Store<number | undefined, number | undefined>((_old, next) => next, undefined);
  const focusOn = (step: TraceStep | undefined) => focus.dispatch(step?.id);
  const look = (step: TraceStep) => {
    focus.dispatch(step.id);
    // Who looks at the steps of an object goes on doing so.
    const { state } = page.route;
    const query = page.shown.state === "trace" ? state.query : {};
    page.route.dispatch({ path: ["trace"], query });
    page.pane.dispatch("map");
  };
  const guide = new GuideView({
    chapters: CHAPTERS,
    trace,
    focus,
    look,
    run: (line) => page.terminal?.run(line),
    close: () => page.settings.dispatch({ guideOpen: false }),
  });
  /** The object whose steps the address asks for. */
  const of = new Store<ApiPlace | undefined, ApiPlace | undefined>((_old, next) => next, undefined);
  const readOf = ({ path, query }: Route) =>
    of.dispatch(
      path[0] === "trace" && query.of !== undefined
        ? parsePlace(parseRoute(query.of).path)
        : undefined,
    );
  readOf(page.route.state);
  held.add(page.route.subscribe(readOf));
  page.showSteps = (place) => {
    page.route.dispatch({ path: ["trace"], query: { of: placePath(place) } });
    page.pane.dispatch("map");
  };
  const leave = () => page.route.dispatch({ path: ["trace"], query: {} });
  const read = (chapter: string) => {
    page.settings.dispatch({ guideOpen: true });
    page.pane.dispatch("guide");
    guide.read(chapter);
  };
  const show = (object: TraceObject) => {
    const place = parsePlace(pathOf(object));
    if (place) page.route.dispatch(objectRoute(place));
  };
  const follow = () => {
    page.settings.dispatch({ guideOpen: true });
    guide.follow();
  };
  const { ways, hold } = firstView(on, held, follow);
  mount("guide", guide);
  mount("happened", new HappenedView({ trace, look }));
  held.add(
    page.views.add(
      {
        name: "journey",
        label: "Journey",
        words: "slowly replay machine drawing request",
        open: async () =>
          new (await import("./journey/journey-view.ts")).JourneyView({
            trace,
            nodes: session.nodes,
            ways,
            hold,
            focusOn,
            look,
          }),
      },
      "map",
    ),
  );
  held.add(
    page.views.add(
      {
        name: "trace",
        label: "Trace",
        words: "steps what happened source",
        open: async () =>
          new (await import("./trace/trace-view.ts")).TraceView({
            trace,
            focus,
            of,
            look,
            read,
            show,
            leave,
          }),
      },
      "journey",
    ),
  );
  held.add(
    page.views.add(
      {
        name: "etcd",
        label: "etcd",
        words: "store keys revisions history watchers",
        open: async () =>
          new (await import("./views/etcd/etcd.ts")).EtcdView({
            session,
            lookAt: (id) => {
              const step = trace.steps.get(id);
              if (step) look(step);
            },
          }),
      },
      "trace",
    ),
  );
  held.add(
    page.commands.add(() => {
      const { guideOpen } = page.settings.state;
      return [
        {
          title: guideOpen ? "Close the guide" : "Open the guide",
          words: "what happens when chapters learn",
          run: () => {
            page.settings.dispatch({ guideOpen: !guideOpen });
            if (!guideOpen) page.pane.dispatch("guide");
          },
        },
        {
          title: "Show the ways in",
          words: "first view journey follow break something newcomer",
          run: () => {
            ways.hidden = false;
            page.settings.dispatch({ intro: true });
            page.route.dispatch({ path: ["journey"], query: {} });
            page.pane.dispatch("map");
          },
        },
        ...CHAPTERS.map(({ name, title }) => ({
          title: `Read about ${title}`,
          words: "guide chapter what happens when",
          run: () => read(name),
        })),
      ];
    }),
  );
  const place = () => {
    const root = document.documentElement;
    if (page.settings.state.guideOpen) delete root.dataset.guide;
    else root.dataset.guide = "closed";
  };
  place();
  held.add(page.settings.subscribe(place));
  // Before the API answers there is nobody to ask.
  session.cluster.serving.then(
    () => held.add(trace.follow()),
    () => undefined,
  );
}

/** What the journey has more as long as it is the first view: the ways in, and that it gives way. */
function firstView(
  { page, session: { trace } }: Pick<Ground, "session" | "page">,
  held: Disposables,
  follow: () => void,
) {
  const stay = (line: string) => {
    // Who began here stays with the command until they go elsewhere.
    const holds = held.add(give.hold());
    held.add(page.shown.subscribe(() => holds.dispose()));
    page.terminal?.run(line);
    // On a phone the terminal came to the front.
    page.pane.dispatch("map");
  };
  const give = held.add(new GiveWay({ trace, give: () => page.home.dispatch("map") }));
  const ways = new WaysView({
    follow: (line) => {
      follow();
      stay(line);
    },
    run: stay,
    terminalOnly: () => {
      page.settings.dispatch({ intro: false, guideOpen: false });
      page.home.dispatch("map");
      page.pane.dispatch("term");
      page.terminal?.focus();
    },
  });
  ways.hidden = page.home.state !== "journey";
  held.add(page.home.subscribe(() => (ways.hidden = true)));
  return { ways, hold: () => give.hold() };
}

/** The API's path of an object, in its parts. */
function pathOf({ group, version, resource, namespace, name }: TraceObject): string[] {
  const api = group ? ["apis", group] : ["api"];
  const within = namespace ? ["namespaces", namespace] : [];
  return [...api, version ?? "v1", ...within, resource ?? "", ...(name ? [name] : [])];
}
