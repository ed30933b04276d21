import { html, LitElement, nothing } from "lit";
import { LessonElement } from "../../embed/lesson-element.ts";
import { SharedCluster } from "../../embed/shared.ts";
import type { Page } from "../../page/page.ts";
import { formatRoute, link, type Route } from "../../page/route.ts";
import { reason } from "../../rpc/reason.ts";
import { embed } from "../../sdk/create.ts";
import type { Session } from "../../session/session.ts";
import { seen } from "../../share/seen.ts";
import { Disposables } from "../../state/disposable.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";
import type { DiskLesson } from "../../lesson/disk/disk.ts";
import { DiskView } from "./disk.ts";
import { ElsewhereView, type Wanted } from "./elsewhere.ts";
import { fetchLessons, type Listed } from "./list.ts";
import { fromDisk, fromWeb, type Source } from "./source.ts";
import { lessonsStyle } from "./style.ts";

/** What it stands over. */
export interface LessonsNeeds {
  session: Pick<Session, "api" | "cluster" | "nodes" | "touch">;
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
  /** What the address names: one of the site's, one of somebody's, or one of this device's that is not here. */
  #named: string | undefined;
  #source: Source | undefined;
  #missing: string | undefined;
  /** The one that was opened from this device last, and how the address calls it. */
  #disk: { name: string; source: Source } | undefined;
  /** The one that was opened last, by its name or address: it goes on when the reader comes back. */
  #open: { key: string; element: LessonElement } | undefined;
  /** Asks for one of somebody's. */
  #elsewhere: ElsewhereView | undefined;
  readonly #device = new DiskView((lesson) => this.#fromDisk(lesson));

  constructor(on: LessonsNeeds) {
    super();
    this.#on = on;
    this.list = undefined;
    this.problem = "";
    this.#route = new Watched(this, on.page.route);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#held.add(this.#device.dropsOn(this, () => this.#goTo({})));
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
    // Where another view is shown, this one stays as it is.
    if (this.#route.state.path[0] === "lessons") this.#go(this.#route.state);
    const lesson = list.find((one) => one.name === this.#named);
    if (lesson) this.#show(lesson.name);
    const key = this.#source?.key;
    const asks = key !== undefined && this.#open?.key !== key;
    const opened = lesson !== undefined || (key !== undefined && !asks);
    // A lesson that is left for the list is only hidden: what was done in it stands there still.
    return html`<div class="page" ?hidden=${opened || asks}>${this.#list(list)}</div>
      <div class="page lesson" ?hidden=${!asks}>
        <nav><a href=${link("lessons")}>All lessons</a></nav>
        ${this.#elsewhere}
      </div>
      <div class="page lesson" ?hidden=${!opened}>
        <nav>
          <a href=${link("lessons")}>All lessons</a>
          ${
            lesson
              ? html`<a
                  href=${new URL(`#${lesson.name}`, FOLDER).href}
                  target="_blank"
                  rel="noopener"
                  >In a cluster of its own</a
                >`
              : nothing
          }
        </nav>
        ${this.#open?.element}
      </div>`;
  }

  #go({ path, query }: Route): void {
    const { session } = this.#on;
    const { url, disk } = path[1] === undefined ? query : {};
    this.#named = path[1];
    this.#missing = undefined;
    if (url !== undefined) {
      if (this.#source?.key !== url) this.#source = fromWeb(session, url);
    } else if (disk !== undefined && disk === this.#disk?.name) this.#source = this.#disk.source;
    else {
      this.#source = undefined;
      this.#missing = disk;
    }
    if (!this.#source || this.#source.key === this.#open?.key) return;
    this.#elsewhere ??= new ElsewhereView(session, (wanted) => this.#take(wanted));
    this.#elsewhere.source = this.#source;
  }

  #goTo(query: Route["query"]): void {
    this.#on.page.route.dispatch({ path: ["lessons"], query });
  }

  /** Asks whether one of this device's is to be opened. Its files may be others than before. */
  #fromDisk(lesson: DiskLesson): void {
    const source = fromDisk(lesson);
    this.#disk = { name: lesson.name, source };
    if (this.#open?.key === source.key) this.#open = undefined;
    this.#goTo({ disk: lesson.name });
    this.requestUpdate();
  }

  /** Opens one of somebody's, as its reader has asked for. */
  #take({ src, reads, pictures }: Wanted): void {
    const { url, progress } = this.#route.state.query;
    const element = this.#element(src, src);
    element.reads = reads;
    element.pictures = pictures;
    element.toggleAttribute("reveal", true);
    if (url !== undefined) {
      if (progress !== undefined) element.from = progress;
      // What is on this device no link leads to.
      element.linkTo = (from) => {
        const route = { path: ["lessons"], query: { url, progress: from } };
        return new URL(formatRoute(route), document.baseURI).href;
      };
    }
    this.requestUpdate();
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
      ${
        this.#missing === undefined
          ? nothing
          : html`<p role="alert">
              ${seen(this.#missing.slice(0, 200))} was opened from this device, and the page has
              nothing of it any more: open it again below.
            </p>`
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
      </ol>
      ${this.#device}
      <form @submit=${(event: SubmitEvent) => this.#other(event)}>
        <h3>One of somebody else's</h3>
        <p>
          From an https address that lets web pages read it: a folder with a
          <code>lesson.md</code>, or the <code>index.json</code> of a scenario in Killercoda's form.
          What it is and runs by itself is shown before anything of it runs.
        </p>
        <div class="row">
          <input type="url" aria-label="Address of a lesson" placeholder="https://…" />
          <button>Open</button>
        </div>
      </form>`;
  }

  #other(event: SubmitEvent): void {
    event.preventDefault();
    const url =
      this.renderRoot.querySelector<HTMLInputElement>("input[type=url]")?.value.trim() ?? "";
    if (url) this.#goTo({ url });
  }

  #show(name: string): void {
    if (this.#open?.key === name) return;
    const element = this.#element(name, new URL(`${name}/`, FOLDER).href);
    element.linkTo = (from) => new URL(`#${name}&progress=${from}`, FOLDER).href;
  }

  #element(key: string, src: string): LessonElement {
    const element = new LessonElement();
    element.over = this.#over();
    element.src = src;
    this.#open = { key, element };
    return element;
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
      this.problem = reason(error);
    }
  }
}

define("tn-lessons", LessonsView);
