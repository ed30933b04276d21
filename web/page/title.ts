import type { Disposable } from "../state/disposable.ts";
import { Disposables } from "../state/disposable.ts";
import { Store, type Readable } from "../state/store.ts";
import type { Page } from "./page.ts";
import { viewOf } from "./route.ts";

/** The longest name that a title shows: a browser's tab has room for less. */
const NAME = 60;

/**
 * Keeps the document's title true, which is what a browser's tab and history show: what is looked
 * at, then how the cluster is.
 */
export function attachTitle(
  page: Pick<Page, "route" | "selection" | "views">,
  cluster: Readable<string>,
  root: { title: string } = document,
): Disposable {
  const held = new Disposables();
  const whole = root.title;
  // What the page is follows the colon; a tab has no room for it once there is more to say.
  const name = whole.replace(/:.*/, "");
  const draw = () => {
    const selected = page.selection.state;
    const shown = viewOf(page.route.state);
    const what = selected
      ? `${selected.kind}/${selected.name}`
      : shown === "map"
        ? ""
        : page.views.list.state.find((view) => view.name === shown)?.label;
    const parts = [what && short(what), cluster.state, name];
    root.title = parts.filter((part) => part).join(" · ");
  };
  draw();
  for (const store of [page.route, page.selection, page.views.list, cluster]) {
    held.add(store.subscribe(draw));
  }
  held.add({ dispose: () => (root.title = whole) });
  return held;
}

function short(text: string): string {
  return text.length > NAME ? `${text.slice(0, NAME - 1)}…` : text;
}

/** How a cluster is, in a word or two. */
export function clusterWords(state: {
  fault: boolean;
  ready: boolean;
  stale: boolean;
  failing: number;
}): string {
  if (state.fault) return "stopped";
  if (!state.ready) return "starting";
  if (state.stale) return "not live";
  return state.failing > 0 ? `${state.failing} failing` : "";
}

/** A store of words that follows others. */
export function wordsOf(
  read: () => string,
  sources: readonly Pick<Readable<unknown>, "subscribe">[],
) {
  const words = new Store<string, string>((_old, next) => next, read());
  const held = new Disposables();
  for (const source of sources) held.add(source.subscribe(() => words.dispatch(read())));
  return { words, dispose: () => held.dispose() };
}
