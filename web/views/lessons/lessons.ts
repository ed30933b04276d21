import { html, LitElement, nothing } from "lit";
import { LessonElement } from "../../embed/lesson-element.ts";
import { SharedCluster } from "../../embed/shared.ts";
import type { Page } from "../../page/page.ts";
import { link } from "../../page/route.ts";
import { embed } from "../../sdk/create.ts";
import type { Session } from "../../session/session.ts";
import { Disposables } from "../../state/disposable.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";
import { fetchLessons, type Listed } from "./list.ts";
import { lessonsStyle } from "./style.ts";

/** What it stands over. */
export interface LessonsNeeds {
  session: Pick<Session, "cluster" | "touch">;
  page: Pick<Page, "guide" | "route" | "shells">;
}

const FOLDER = new URL("lessons/", document.baseURI);

/**
 * The site's lessons, over the page's own cluster: blocks are typed into its terminal, and links lead
 * into its guide. `lessons/` of the site has the same ones, each with a cluster of its own.
 */
export class LessonsView extends LitElement {
  static override properties = { list: { state: true }, problem: { state: true } };
  static override styles = [base, lessonsStyle];
  declare list: readonly Listed[] | undefined;
  declare problem: string;
  readonly #on: LessonsNeeds;
  readonly #route;
  readonly #held = new Disposables();
  #shared: SharedCluster | undefined;
  /** What the address names. */
  #named: string | undefined;
  /** The one that was opened last: it goes on when the reader comes back. */
  #open: { name: string; element: LessonElement } | undefined;

  constructor(on: LessonsNeeds) {
    super();
    this.#on = on;
    this.list = undefined;
    this.problem = "";
    this.#route = new Watched(this, on.page.route);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.list === undefined) void this.#fetch();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#held.dispose();
  }

  override render() {
    const { list } = this;
    if (this.problem) {
      return html`<div class="page">
        <p role="alert">
          The list of lessons, ${new URL("index.json", FOLDER).href}, cannot be read:
          ${this.problem}.
        </p>
        <button @click=${() => void this.#fetch()}>Try again</button>
      </div>`;
    }
    if (!list) return html`<p class="page" role="status">Fetching the list of lessons …</p>`;
    const [view, name] = this.#route.state.path;
    // Where another view is shown, this one stays as it is.
    if (view === "lessons") this.#named = name;
    const lesson = list.find((one) => one.name === this.#named);
    if (lesson) this.#show(lesson.name);
    // A lesson that is left for the list is only hidden: what was done in it stands there still.
    return html`<div class="page" ?hidden=${lesson !== undefined}>${this.#list(list)}</div>
      <div class="page lesson" ?hidden=${lesson === undefined}>
        <nav>
          <a href=${link("lessons")}>All lessons</a>
          <a href=${new URL(`#${lesson?.name}`, FOLDER).href} target="_blank" rel="noopener"
            >In a cluster of its own</a
          >
        </nav>
        ${this.#open?.element}
      </div>`;
  }

  #list(list: readonly Listed[]) {
    return html`<p>
        Each takes place in the cluster of this page, beside what you have there; blocks that you
        run are typed into the terminal.
      </p>
      ${
        this.#named === undefined
          ? nothing
          : html`<p role="alert">There is no lesson “${this.#named.slice(0, 60)}” here.</p>`
      }
      <ol>
        ${list.map(
          (one) =>
            html`<li>
              <a href=${link("lessons", one.name)}>${one.title}</a>
              ${one.minutes > 0 ? html`<span class="time">${one.minutes} minutes</span>` : nothing}
              <p>${one.description}</p>
            </li>`,
        )}
      </ol>`;
  }

  #show(name: string): void {
    if (this.#open?.name === name) return;
    const element = new LessonElement();
    element.over = this.#over();
    element.src = new URL(`${name}/`, FOLDER).href;
    element.linkTo = (from) => new URL(`#${name}&progress=${from}`, FOLDER).href;
    this.#open = { name, element };
  }

  /** The page's cluster, as elements share one: with its terminals and its guide. */
  #over(): SharedCluster {
    if (this.#shared) return this.#shared;
    const { session, page } = this.#on;
    const shared = new SharedCluster(embed(session.cluster, [], () => undefined));
    this.#shared = shared;
    const listed = this.#held.add(new Disposables());
    let shown = new Disposables();
    const list = () => {
      shown.dispose();
      shown = new Disposables();
      for (const shell of page.shells.state) shown.add(shared.opened(shell));
    };
    listed.add(page.shells.subscribe(list));
    listed.add({ dispose: () => shown.dispose() });
    list();
    this.#held.add(
      shared.guides({
        read: (chapter) => page.guide?.read(chapter),
        follow: () => page.guide?.follow(),
      }),
    );
    // Checks and what is prepared change the cluster, too.
    session.touch();
    return shared;
  }

  async #fetch(): Promise<void> {
    this.problem = "";
    try {
      this.list = await fetchLessons(FOLDER);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
  }
}

define("tn-lessons", LessonsView);
