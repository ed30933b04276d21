import { readByAddress } from "./guide/address.ts";
import { CHAPTERS } from "./guide/chapters.ts";
import { NEXT } from "./guide/ended.ts";
import { WORDS } from "./guide/glossary.ts";
import { GuideView } from "./guide/guide-view.ts";
import type { Onward } from "./guide/onward.ts";
import { WayBack } from "./guide/way-back.ts";
import { apiVersionOf, parsePlace, placeOf, placePath, type ApiPlace } from "./kube/apipath.ts";
import { objectRoute, selectionOf } from "./page/address.ts";
import type { Pointed } from "./page/page.ts";
import { parseRoute, type Route } from "./page/route.ts";
import type { TraceObject, TraceStep } from "./rpc/protocol.ts";
import { Disposables } from "./state/disposable.ts";
import { Signal } from "./state/signal.ts";
import { Store } from "./state/store.ts";
import { firstView } from "./journey/first-view.ts";
import { FromJourney } from "./trace/from-journey.ts";
import { HappenedView } from "./trace/happened-view.ts";
import type { Part } from "./trace/happened.ts";
import { namesIn } from "./term/names.ts";
import type { Beside, Ran, RanLines } from "./term/ran.ts";
import { Telling } from "./trace/telling.ts";
import { END, stepOfEvent, top } from "./trace/told.ts";
import type { MarksNeeds, MarksView } from "./trace/marks-view.ts";
import type { Session } from "./session/session.ts";
import type { Ends } from "./views/network/network.ts";
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
  /** The chapter that goes with it, if that is not the step's own. */
  const chapter = new Store<string | undefined, string | undefined>((_o, n) => n, undefined);
  const telling = new Telling(trace);
  const shift = (step: TraceStep | undefined, of?: string) => {
    chapter.dispatch(of);
    focus.dispatch(step?.id);
  };
  /** What is replayed, step by step, is what is told meanwhile. */
  const focusOn = (step: TraceStep | undefined, of?: string) => {
    shift(step, of);
    if (step) telling.hold(top(trace.steps, step.id));
    else telling.release();
  };
  const choose = (command: number) => {
    telling.choose(command);
    const { state } = focus;
    if (state !== undefined && top(trace.steps, state) !== command) shift(undefined);
    // It is told slowly: it begins, for who reads as well, wherever it was chosen.
    if (onward.state) guide.tell(command);
  };
  const turned = new Signal();
  const look = (step: TraceStep) => {
    shift(step);
    // Who looks at the steps of an object goes on doing so.
    const { state } = page.route;
    const query = page.shown.state === "trace" ? state.query : {};
    page.route.dispatch({ path: ["trace"], query });
    page.pane.dispatch("map");
  };
  /** A step that the journey is asked to show slowly. */
  const asked = new Store<{ step: TraceStep } | undefined, { step: TraceStep }>(
    (_o, n) => n,
    undefined,
  );
  const slowly = (step: TraceStep) => {
    asked.dispatch({ step });
    page.route.dispatch({ path: ["journey"], query: {} });
    page.pane.dispatch("map");
  };
  const lookAt = (id: number) => {
    const step = trace.steps.get(id);
    if (step) look(step);
  };
  /** The story that the journey tells slowly, as the guide of a phone has it. */
  const onward = new Store<Onward | undefined, Onward | undefined>((_o, n) => n, undefined);
  const way = held.add(new WayBack(page, (place) => guide.comeBack(place)));
  const fromJourney = held.add(new FromJourney(page.route));
  const guide: GuideView = new GuideView({
    chapters: CHAPTERS,
    trace,
    telling,
    focus,
    chapter,
    choose,
    run: (line) => page.terminal?.run(line),
    around: {
      leave: (place, go) => way.leave(place, go),
      look,
      slowly,
      show: (view) => {
        page.route.dispatch({ path: [view], query: {} });
        page.pane.dispatch("map");
      },
      tell: (line) => {
        page.route.dispatch({ path: ["journey"], query: {} });
        page.terminal?.run(line);
        // On a phone the terminal came to the front.
        page.pane.dispatch("map");
      },
      close: () => page.settings.dispatch({ guideOpen: false }),
      turned: () => turned.emit(),
      onward,
    },
  });
  /** The object whose steps the address asks for. */
  const of = new Store<ApiPlace | undefined, ApiPlace | undefined>((_old, next) => next, undefined);
  const readOf = ({ path, query }: Route) =>
    of.dispatch(
      path[0] === "trace" && query.of !== undefined
        ? parsePlace(parseRoute(query.of).path)
        : undefined,
    );
  /** The key of etcd's that the address names. */
  const key = new Store<string, string>((_old, next) => next, "");
  const readKey = ({ path, query }: Route) => {
    if (path[0] === "etcd") key.dispatch((query.key ?? "").slice(0, LONGEST_KEY));
  };
  /** The part of the configuration that the address names. */
  const part = new Store<string, string>((_old, next) => next, "");
  const readPart = ({ path }: Route) => {
    if (path[0] === "configuration") part.dispatch(path.slice(1).join("/").slice(0, LONGEST_KEY));
  };
  readPart(page.route.state);
  held.add(page.route.subscribe(readPart));
  /** The two pods of a packet's path that the address names. */
  const ends = new Store<Ends, Ends>((_old, next) => next, { from: "", to: "" });
  const readEnds = ({ path, query }: Route) => {
    if (path[0] === "network") ends.dispatch({ from: query.from ?? "", to: query.to ?? "" });
  };
  readEnds(page.route.state);
  held.add(page.route.subscribe(readEnds));
  readKey(page.route.state);
  held.add(page.route.subscribe(readKey));
  readOf(page.route.state);
  held.add(page.route.subscribe(readOf));
  page.showSteps = (place) => {
    page.route.dispatch({ path: ["trace"], query: { of: placePath(place) } });
    page.pane.dispatch("map");
  };
  page.showEvent = (event) => {
    const step = stepOfEvent(trace.steps, event);
    const { kind, apiVersion = "v1", namespace, name } = event.involvedObject;
    if (step) look(step);
    else {
      void session.catalog.use().then((resources) => {
        const resource = resources.find(
          (one) => one.kind === kind && apiVersionOf(one) === apiVersion,
        );
        if (resource) page.showSteps?.(placeOf(resource, namespace, name));
      });
    }
  };
  const leave = () => page.route.dispatch({ path: ["trace"], query: {} });
  const read = (chapter: string, heading?: string) => {
    if (chapter === "start") {
      page.route.dispatch({ path: ["start"], query: {} });
      return;
    }
    page.settings.dispatch({ guideOpen: true });
    page.pane.dispatch("guide");
    // An address may name one that there is none of.
    if (chapter === WORDS || CHAPTERS.some(({ name }) => name === chapter))
      guide.read(chapter, heading);
  };
  const show = (object: TraceObject) => {
    const place = parsePlace(pathOf(object));
    if (place) page.route.dispatch(objectRoute(place));
  };
  const follow = () => {
    page.settings.dispatch({ guideOpen: true });
    guide.follow();
  };
  /** What is pointed at somewhere: the journey lights up its place, the map its objects. */
  const pointed = new Store<TraceStep | undefined, TraceStep | undefined>((_o, n) => n, undefined);
  const point = (part: Pick<Part, "step" | "objects"> | undefined) => {
    pointed.dispatch(part?.step);
    page.pointed.dispatch((part?.objects ?? []).flatMap(pointedOf));
  };
  const select = (object: TraceObject) => {
    const place = parsePlace(pathOf(object));
    if (place) page.selection.dispatch(selectionOf(objectRoute(place), undefined));
  };
  const named = (ran: Ran, lines: RanLines) => namedIn(session, ran, lines);
  page.beside = (lines) => beside(lines, telling, { trace, look, show: select, point, named });
  held.add({ dispose: () => (page.beside = undefined) });
  page.guide = { read, follow };
  held.add({ dispose: () => (page.guide = undefined) });
  held.add(readByAddress(page.route, read));
  const first = firstView(page, trace, held, {
    begin: follow,
    slowly: (command) => {
      tell(command.id);
      asked.dispatch({ step: command });
    },
  });
  const { ways } = first;
  /** Has a command told from its beginning, in the guide as well. */
  const tell = (command: number) => {
    choose(command);
    guide.tell(command);
  };
  mount("guide", guide);
  mount(
    "happened",
    new HappenedView({
      trace,
      look,
      point,
      slowly: (command) => {
        tell(command.id);
        slowly(command);
      },
    }),
  );
  held.add(
    page.views.add(
      {
        name: "journey",
        label: "Journey",
        words: "slowly replay machine drawing request",
        open: async () =>
          new (await import("./journey/journey-view.ts")).JourneyView({
            trace,
            telling,
            choose: tell,
            etcd: session.etcd,
            nodes: session.nodes,
            pods: session.pods,
            ways,
            hold: first.hold,
            pointed,
            asked,
            focusOn,
            look: (step) => fromJourney.leave(() => look(step)),
            open: select,
            next: {
              read: () => read(END, NEXT),
              breakSomething: first.breakSomething,
              type: first.type,
            },
            guide: {
              title: (name) => CHAPTERS.find((one) => one.name === name)?.title,
              shows: (name) => guide.shows(name),
              show: (name) => {
                page.settings.dispatch({ guideOpen: true });
                page.pane.dispatch("guide");
                if (!guide.following) guide.read(name);
              },
              turned,
              tells: (next) => onward.dispatch(next),
              tellsAlone: () => guide.tellsAlone(),
            },
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
            telling,
            focus,
            choose,
            of,
            look,
            read,
            show,
            leave,
            from: way.from,
            back: () => way.back(),
            fromJourney: fromJourney.came,
            toJourney: () => page.route.dispatch({ path: ["journey"], query: {} }),
            title: (name) => CHAPTERS.find((one) => one.name === name)?.title,
            open: (view) => page.route.dispatch({ path: [view], query: {} }),
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
            chosen: key,
            choose: (name) => page.route.dispatch({ path: ["etcd"], query: { key: name } }),
            lookAt,
          }),
      },
      "trace",
    ),
  );
  held.add(
    page.views.add(
      {
        name: "configuration",
        aside: true,
        label: "Configuration",
        words:
          "authentication authorization admission audit encryption flags token abac webhook rbac who may can-i policy",
        open: async () =>
          new (await import("./views/configuration/configuration.ts")).ConfigurationView({
            session,
            chosen: part,
            choose: (next) =>
              page.route.dispatch({ path: ["configuration", ...next.split("/")], query: {} }),
            lookAt,
            write: (line) => page.terminal?.type(line),
            startAnew: (files) => page.restart(session.cluster.config.keep, files),
          }),
      },
      "etcd",
    ),
  );
  held.add(
    page.views.add(
      {
        name: "start",
        aside: true,
        label: "Start",
        words: "flags admission servers storage routes hooks boot",
        open: async () => new (await import("./views/start/start.ts")).StartView({ trace, look }),
      },
      "etcd",
    ),
  );
  held.add(
    page.views.add(
      {
        name: "network",
        aside: true,
        label: "Network",
        words: "packet path mtu subnet pods hops vxlan",
        open: async () =>
          new (await import("./views/network/network.ts")).NetworkView({
            session,
            ends,
            choose: ({ from, to }) =>
              page.route.dispatch({ path: ["network"], query: { from, to } }),
          }),
      },
      "start",
    ),
  );
  held.add(
    page.views.add(
      {
        name: "editions",
        aside: true,
        label: "Then and now",
        words: "editions retired deprecated guide changed removed",
        open: async () =>
          new (await import("./views/editions/editions.ts")).EditionsView({
            go: (here) => {
              const [view = "", chapter] = here.split("/");
              if (chapter !== undefined) read(chapter);
              else page.route.dispatch({ path: [view], query: {} });
            },
          }),
      },
      "network",
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
        {
          title: "Read what the guide's words mean",
          words: "glossary terms definitions explained",
          run: () => read(WORDS),
        },
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

/** A mark beside each line of a terminal. What draws it is fetched when the first one has run. */
function beside(lines: RanLines, telling: Telling, on: MarksNeeds): Beside {
  const held = new Disposables();
  held.add(telling.listen(lines.runs));
  let view: MarksView | undefined;
  let asked = false;
  const load = async () => {
    if (asked || lines.runs.state.length === 0) return;
    asked = true;
    const { MarksView } = await import("./trace/marks-view.ts");
    const made = (view = new MarksView(lines, on));
    lines.place.append(made);
    held.add({ dispose: () => made.remove() });
  };
  held.add(lines.runs.subscribe(() => void load()));
  return { focus: () => view?.focus(), dispose: () => held.dispose() };
}

/** Characters of a key in an address that are read. */
const LONGEST_KEY = 1024;

/** How many lines of an output are looked through for names. */
const LOOKED_THROUGH = 300;

/** The objects that a line's output names, each once. */
async function namedIn(
  session: Pick<Session, "catalog" | "fetch" | "nodes" | "pods">,
  ran: Ran,
  lines: RanLines,
): Promise<TraceObject[]> {
  const [resources, { findNamed }] = await Promise.all([
    session.catalog.use(),
    import("./kube/named.ts"),
  ]);
  const known = {
    resources,
    pods: [...session.pods.state.rows.values()],
    nodes: [...session.nodes.state.rows.values()],
    fetch: session.fetch,
  };
  const output = lines.output(ran).slice(0, LOOKED_THROUGH);
  const named = output.flatMap((text, i) =>
    namesIn(text, { line: ran.line, before: output.slice(0, i) }),
  );
  const found = await Promise.all(named.slice(0, NAMED).map((one) => findNamed(one, known)));
  return found.filter((place) => place !== undefined);
}

/** How many names of an output are looked up. */
const NAMED = 24;

function pointedOf({ resource, namespace, name }: TraceObject): Pointed[] {
  return resource && name ? [{ resource, name, ...(namespace ? { namespace } : {}) }] : [];
}

/** The API's path of an object, in its parts. */
function pathOf({ group, version, resource, namespace, name }: TraceObject): string[] {
  const api = group ? ["apis", group] : ["api"];
  const within = namespace ? ["namespaces", namespace] : [];
  return [...api, version ?? "v1", ...within, resource ?? "", ...(name ? [name] : [])];
}
