import { define } from "../../ui/define.ts";
import { html, LitElement, nothing } from "lit";
import type { ActionNeeds } from "../../actions/object.ts";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { listPlace, objectRoute, withObject } from "../../page/address.ts";
import { placeOf, placeParts, placePath, type ApiPlace } from "../../kube/apipath.ts";
import { kubectlName, listable, matchResource, type Resource } from "../../kube/discovery.ts";
import { follow, type Followed } from "../../kube/follow.ts";
import { podState } from "../../kube/podstate.ts";
import { standInWords } from "../../kube/standin.ts";
import { sh } from "../../kube/shell-line.ts";
import { parseFilter, passes, shownColumns, sortRows, type Sorting } from "../../kube/tables.ts";
import type { KubeObject, Pod, Row } from "../../kube/types.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { copy } from "../../ui/copy.ts";
import { GridView, type GridRow } from "./grid.ts";
import { keyFor, LOOK_KEYS, OBJECT_KEYS } from "./keys.ts";
import { kindColumns, kindRows } from "./kinds.ts";
import { objectsStyle } from "./objects-style.ts";

/** What it stands over. */
export type ObjectsNeeds = ActionNeeds & {
  session: Pick<Session, "catalog" | "fetch" | "namespaces" | "pods">;
  page: Pick<Page, "route" | "selection" | "palette">;
};

/** Characters of a mistyped kind that are shown. */
const LONGEST = 80;

/** The kind that `word` names, not only begins to. */
function exactly(resources: readonly Resource[], word: string): Resource | undefined {
  return listable(resources).find((resource) => matchResource(resource, word) === 0);
}

/** Every kind the API serves, and the objects of one: a table of the server's, live. */
export class ObjectsView extends LitElement {
  static override styles = [base, objectsStyle];
  readonly #on: ObjectsNeeds;
  readonly #alone: boolean;
  readonly #grid = new GridView();
  readonly #route;
  readonly #served;
  readonly #selection;
  readonly #pods;
  #followed: Followed<KubeObject> | undefined;
  /** What is followed: the path and the selector. */
  #followedKey = "";
  #ticker: ReturnType<typeof setInterval> | undefined;

  /** `alone`: there is no other view to lead to, and objects are only looked at. */
  constructor(on: ObjectsNeeds, alone = false) {
    super();
    this.#on = on;
    this.#alone = alone;
    this.#route = new Watched(this, on.page.route);
    this.#served = new Watched(this, on.session.catalog.served);
    this.#selection = new Watched(this, on.page.selection);
    this.#pods = new Watched(this, on.session.pods, 100);
    new Watched(this, on.session.namespaces.names);
    this.#grid.events = {
      open: (row) => this.#open(row),
      sort: (by) => this.#sort(by),
    };
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#on.session.catalog.use();
    this.#on.session.namespaces.use();
    // Ages grow without any message.
    this.#ticker = setInterval(() => !this.hidden && (this.#grid.now = Date.now()), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticker);
    this.#unfollow();
  }

  /**
   * "#/objects/po", with `?namespace=demo` if need be, is for people to type: it leads to the API's own path
   * of that kind.
   */
  protected override willUpdate(): void {
    const {
      path,
      query: { namespace, ...query },
    } = this.#route.state;
    const word = path[0] === "objects" ? path[1] : undefined;
    const resource = word && exactly(this.#served.state.resources, word);
    if (resource)
      this.#on.page.route.dispatch({ path: objectRoute(placeOf(resource, namespace)).path, query });
  }

  override render() {
    const place = listPlace(this.#route.state);
    const word = place ? undefined : this.#route.state.path[1];
    const { known, problem } = this.#served.state;
    const resource = place && this.#resource(place);
    const filter = this.#route.state.query.filter ?? "";
    const counts = place ? this.#objects(place, resource) : this.#kinds();
    const missing = place && known && !resource;
    return html`<div class="head">
        <button
          class="kind mono"
          title=${this.#alone ? "All kinds" : "Choose another kind (:)"}
          @click=${() => (this.#alone ? this.#allKinds() : this.#palette(":"))}
        >
          ${place ? (resource?.name ?? place.resource) : "kinds"}<span class="group"
            >${place && place.group !== "" ? `.${place.group}` : ""}</span
          >
        </button>
        ${place && resource?.namespaced !== false ? this.#namespaces(place) : nothing}
        <input
          class="filter mono"
          type="search"
          aria-label="Filter"
          placeholder="/ filter, -l app=web"
          .value=${filter}
          @input=${(e: InputEvent) => this.#query({ filter: (e.target as HTMLInputElement).value })}
          @keydown=${this.#filterKey}
        />
        <span class="count mono" role="status">${counts}</span>
        <span class="gap"></span>
        ${
          place
            ? html`<button
                  class="quiet"
                  aria-pressed=${this.#wide}
                  title="The columns of -o wide (w)"
                  @click=${() => this.#query({ wide: this.#wide ? "" : "1" })}
                >
                  Wide
                </button>
                <button
                  class="quiet"
                  title=${this.#command(place)}
                  @click=${copy(this.#command(place))}
                >
                  Copy command
                </button>`
            : nothing
        }
      </div>
      ${
        problem || this.#followed?.problem
          ? html`<p class="problem" role="alert">
              Not live: ${problem || this.#followed?.problem}
            </p>`
          : nothing
      }
      ${
        missing
          ? html`<p class="empty">
              The API serves no <code>${place.resource}</code> in
              <code>${place.group || "v1"}</code>.
              ${
                this.#alone
                  ? html`<button class="quiet" @click=${() => this.#allKinds()}>
                      See what it serves
                    </button>`
                  : html`<a href="#/objects">See what it serves.</a>`
              }
            </p>`
          : nothing
      }
      ${
        word && known
          ? html`<p class="empty" role="alert">
              The API serves nothing called <code>${word.slice(0, LONGEST)}</code>: these are the
              kinds that it serves.
            </p>`
          : nothing
      }
      ${this.#empty(place)}
      <div class="table" ?hidden=${missing}>${this.#grid}</div>`;
  }

  override focus(): void {
    this.#grid.focus();
  }

  /** The row under the cursor, for what is done with an object. */
  get current(): ApiPlace | undefined {
    const row = this.#grid.current;
    const place = listPlace(this.#route.state);
    if (!row || !place) return undefined;
    const { name, namespace } = row.object.metadata;
    return { ...place, ...(namespace ? { namespace } : {}), name };
  }

  get #wide(): boolean {
    return this.#route.state.query.wide === "1";
  }

  get #sorting(): Sorting | undefined {
    const { sort } = this.#route.state.query;
    if (!sort) return undefined;
    return sort.startsWith("-")
      ? { by: sort.slice(1), descending: true }
      : { by: sort, descending: false };
  }

  #resource(place: ApiPlace): Resource | undefined {
    return this.#served.state.resources.find(
      (r) => r.name === place.resource && r.group === place.group && r.version === place.version,
    );
  }

  #kinds(): string {
    this.#unfollow();
    const { resources } = this.#served.state;
    const filter = parseFilter(this.#route.state.query.filter ?? "");
    const rows = kindRows(resources).filter((row) => passes(row, filter));
    const sorting = this.#sorting;
    this.#show(sorting ? sortRows(rows, sorting) : rows, "Kinds that the API serves");
    this.#grid.columns = kindColumns;
    return `${rows.length}`;
  }

  #objects(place: ApiPlace, resource: Resource | undefined): string {
    const filter = parseFilter(this.#route.state.query.filter ?? "");
    this.#follow(place, filter.labelSelector, resource);
    const { state } = this.#followed?.rows ?? { state: undefined };
    if (!state?.synced) {
      this.#show([], place.resource);
      return "";
    }
    const all = [...state.rows.values()];
    const left = all.filter((row) => passes(row, filter));
    const sorted = sortRows(left, this.#sorting ?? { by: "Name", descending: false });
    const isPods = place.resource === "pods" && place.group === "";
    // Shape and colour from the row that has the words: another watch may be ahead of it.
    const rows: GridRow[] = isPods ? sorted.map((row) => this.#pod(row as Row<Pod>)) : sorted;
    const namespaces = resource?.namespaced === true && !place.namespace;
    const columns = shownColumns(this.#followed?.columns ?? [], { wide: this.#wide, namespaces });
    this.#grid.columns = columns;
    this.#show(rows, place.resource);
    return left.length === all.length ? `${all.length}` : `${left.length} of ${all.length}`;
  }

  /** A row of the table has only metadata: which images run is in the whole object that the map follows. */
  #pod(row: Row<Pod>): GridRow {
    const state = podState(row);
    const whole = this.#pods.state.rows.get(row.object.metadata.uid)?.object;
    const note = whole && standInWords(whole);
    if (!note || (state !== "running" && state !== "unready")) return { ...row, state };
    const cells = { ...row.cells, Status: `${row.cells.Status ?? ""}, stand-in` };
    return { ...row, cells, state: "standin", note };
  }

  #show(rows: readonly GridRow[], label: string): void {
    this.#grid.rows = rows;
    this.#grid.label = label;
    this.#grid.sorting = this.#sorting;
    this.#grid.selected = this.#selection.state?.uid ?? "";
    this.#grid.now = Date.now();
  }

  #follow(place: ApiPlace, labelSelector: string, resource: Resource | undefined): void {
    // Before discovery has answered it is not known whether the kind can be watched.
    if (!resource) {
      this.#unfollow();
      return;
    }
    const path = placePath(place);
    const key = `${path}?${labelSelector}`;
    if (key === this.#followedKey) return;
    this.#unfollow();
    this.#followedKey = key;
    this.#followed = follow({
      fetch: this.#on.session.fetch,
      path,
      include: "Metadata",
      once: !resource.verbs.includes("watch"),
      ...(labelSelector ? { query: { labelSelector } } : {}),
      changed: () => this.requestUpdate(),
    });
  }

  #unfollow(): void {
    this.#followed?.dispose();
    this.#followed = undefined;
    this.#followedKey = "";
  }

  #namespaces(place: ApiPlace) {
    return html`<label class="namespace"
      ><span class="hidden">Namespace</span>
      <select
        class="mono"
        title="Namespace (0: all)"
        @change=${(e: globalThis.Event) => this.#namespace((e.target as HTMLSelectElement).value)}
      >
        <option value="" ?selected=${!place.namespace}>all namespaces</option>
        ${this.#on.session.namespaces.names.state.map(
          (name) => html`<option ?selected=${name === place.namespace}>${name}</option>`,
        )}
      </select></label
    >`;
  }

  #empty(place: ApiPlace | undefined) {
    if (!place || !this.#followed?.rows.state.synced || this.#grid.rows.length > 0) return nothing;
    const filter = this.#route.state.query.filter ?? "";
    if (filter) {
      return html`<p class="empty">
        Nothing matches <code>${filter}</code>.
        <button class="quiet" @click=${() => this.#query({ filter: "" })}>Clear the filter</button>
      </p>`;
    }
    const where = place.namespace ? `in namespace ${place.namespace}` : "in the cluster";
    if (this.#alone) return html`<p class="empty">No ${place.resource} ${where}.</p>`;
    return html`<p class="empty">
      No ${place.resource} ${where}. Type <code>kubectl create -h</code> in the terminal, or
      <a href="#/editor">write one in the editor</a>.
    </p>`;
  }

  /** The kubectl command that prints the same table. */
  #command(place: ApiPlace): string {
    const resource = this.#resource(place);
    const name = resource ? kubectlName(resource, this.#served.state.resources) : place.resource;
    const where = place.namespace
      ? ["-n", place.namespace]
      : resource?.namespaced === false
        ? []
        : ["-A"];
    const { labelSelector } = parseFilter(this.#route.state.query.filter ?? "");
    const selector = labelSelector ? ["-l", labelSelector] : [];
    return sh`kubectl get ${[name, ...where, ...selector, ...(this.#wide ? ["-o", "wide"] : [])]}`;
  }

  #open(row: GridRow, show?: string): void {
    const place = listPlace(this.#route.state);
    if (!place) {
      // A row of the kinds: its objects.
      const resource = this.#served.state.resources.find(
        (r) => `${r.name}.${r.group}` === row.object.metadata.uid,
      );
      if (resource) this.#on.page.route.dispatch(objectRoute(placeOf(resource)));
      this.focus();
      return;
    }
    const { name, namespace } = row.object.metadata;
    const object = { ...place, ...(namespace ? { namespace } : {}), name };
    const next = withObject(this.#route.state, object);
    this.#on.page.route.dispatch(show ? { ...next, query: { ...next.query, show } } : next);
  }

  #query(change: Record<string, string>): void {
    const { path, query } = this.#on.page.route.state;
    this.#on.page.route.dispatch({ path, query: { ...query, ...change } });
  }

  #namespace(name: string): void {
    const place = listPlace(this.#on.page.route.state);
    if (!place) return;
    const { group, version, resource } = place;
    this.#on.page.route.dispatch({
      path: placeParts({ group, version, resource, ...(name ? { namespace: name } : {}) }),
      query: this.#on.page.route.state.query,
    });
    this.focus();
  }

  #palette(text: string): void {
    this.#on.page.palette.emit(text);
  }

  #filterKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (this.#route.state.query.filter) this.#query({ filter: "" });
      else this.focus();
    } else if (event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault();
      event.stopPropagation();
      this.focus();
    }
  }

  #key(event: KeyboardEvent): void {
    if ((event.composedPath()[0] as HTMLElement).matches("input, select")) return;
    if (event.key === "/") {
      event.preventDefault();
      this.renderRoot.querySelector<HTMLInputElement>(".filter")?.select();
      return;
    }
    if (event.key === "w" && !event.ctrlKey && !event.metaKey) {
      this.#query({ wide: this.#wide ? "" : "1" });
      return;
    }
    if (event.key === "0") {
      this.#namespace("");
      return;
    }
    if (event.key === "Escape") {
      this.#back();
      return;
    }
    if (this.#sortKey(event)) return;
    const row = this.#grid.current;
    const key = keyFor(event, this.#alone ? LOOK_KEYS : OBJECT_KEYS);
    if (!key || !row || !listPlace(this.#route.state)) return;
    event.preventDefault();
    event.stopPropagation();
    if (key.show) this.#open(row, key.show);
    else if (this.current) key.run?.(this.#on, this.current);
  }

  /** k9s' Shift-N sorts by name, Shift-A by age: here, by the first column with that letter. */
  #sortKey(event: KeyboardEvent): boolean {
    if (!event.shiftKey || !/^[A-Z]$/.test(event.key) || "GJ".includes(event.key)) return false;
    const found = this.#grid.columns.filter(({ name }) => name.startsWith(event.key));
    // N is for the name, although the namespace may stand before it.
    const column = found.find(({ name }) => name === "Name") ?? found[0];
    if (!column) return false;
    this.#sort(column.name);
    return true;
  }

  /** What is drawn may be a frame behind: two keys in one frame turn the order, too. */
  #sort(by: string): void {
    const now = this.#sorting;
    this.#query({ sort: `${now?.by === by && !now.descending ? "-" : ""}${by}` });
  }

  /** From a filter to all, from an object to its list, from there to the kinds. */
  #back(): void {
    const route = this.#on.page.route.state;
    if (this.#on.page.selection.state) this.#on.page.selection.dispatch(undefined);
    else if (route.query.filter) this.#query({ filter: "" });
    else if (listPlace(route)) this.#allKinds();
    this.focus();
  }

  #allKinds(): void {
    this.#on.page.route.dispatch({ path: ["objects"], query: {} });
  }
}

define("tn-objects", ObjectsView);
