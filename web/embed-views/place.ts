import type { ViewGround } from "../embed/view-element.ts";
import type { Selection } from "../kube/selection.ts";
import type { TerminalControl } from "../page/controls.ts";
import type { Page, Pointed } from "../page/page.ts";
import { createRoute, type Route, type RouteStore } from "../page/route.ts";
import { createSettings } from "../page/settings.ts";
import { Signal } from "../state/signal.ts";
import { Disposables } from "../state/disposable.ts";
import { Store } from "../state/store.ts";

/**
 * What a view has in an element in place of the page: an address of its own, which nobody sees and which
 * leaves the document's as it is; a selection, which the element tells of; and the terminal of the same
 * cluster.
 */
export class Place
  extends Disposables
  implements Pick<Page, "palette" | "pointed" | "route" | "selection" | "settings" | "terminal">
{
  readonly route: RouteStore;
  readonly selection = new Store<Selection | undefined, Selection | undefined>(
    (_old, next) => next,
    undefined,
  );
  readonly pointed = new Store<readonly Pointed[], readonly Pointed[]>((old) => old, []);
  /** Nobody opens one here. */
  readonly palette = new Signal<string>();
  /** The page's own, kept nowhere. */
  readonly settings = createSettings(undefined);
  readonly showEvent = undefined;
  readonly #on: ViewGround;
  #told = "null";

  constructor(on: ViewGround, from: Route) {
    super();
    this.#on = on;
    this.route = createRoute(from);
    this.add(this.selection.subscribe((selected) => this.#tell(selected)));
  }

  /** The terminal over the same cluster that was opened last. */
  get terminal(): TerminalControl | undefined {
    const { terminal } = this.#on.shared;
    if (!terminal) return undefined;
    const run = (line: string) => {
      terminal.run(line);
      terminal.focus();
    };
    const type = (line: string) => {
      terminal.type(line);
      terminal.focus();
    };
    // Escape leads to it in the page; here the focus stays in the element.
    return { run, type, focus: () => undefined, runInNewTab: run };
  }

  /** Draws a view anew when a terminal opens or closes. */
  follow(view: { requestUpdate(): void }): void {
    this.add(this.#on.shared.onChange(() => view.requestUpdate()));
  }

  #tell(selected: Selection | undefined): void {
    const detail = selected && {
      kind: selected.kind,
      name: selected.name,
      ...(selected.namespace ? { namespace: selected.namespace } : {}),
    };
    // What is learnt of it later is no other choice.
    const key = JSON.stringify(detail ?? null);
    if (key === this.#told) return;
    this.#told = key;
    this.#on.element.dispatchEvent(new CustomEvent("tabernetes-select", { detail }));
  }
}
