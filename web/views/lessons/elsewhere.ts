import { html, LitElement, nothing } from "lit";
import { drawUnseen, type Manifest } from "../../embed/lesson-top.ts";
import { lessonStyle } from "../../embed/lesson-style.ts";
import { reason } from "../../rpc/reason.ts";
import { loadFile, loadLesson, type Loaded } from "../../lesson/load.ts";
import { MovedError, type Pictures, type Reads } from "../../lesson/reads.ts";
import { formatRoute } from "../../page/route.ts";
import type { Session } from "../../session/session.ts";
import { seen } from "../../share/seen.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";
import type { Source } from "./source.ts";
import { elsewhereStyle } from "./style.ts";

/** A lesson that its reader wants to have, and what reads it: as it was shown. */
export interface Wanted {
  readonly src: string;
  readonly reads: Reads;
  readonly pictures: Pictures | undefined;
}

/** The label of nodes that are machines (core/realnode). */
const KIND = "node.tabernetes.internal/kind";

/**
 * A lesson of somebody's, from an address or the reader's disk: what it is, and what it would run by itself. Nothing of it is there
 * before its reader says so.
 */
export class ElsewhereView extends LitElement {
  static override properties = {
    source: { attribute: false },
    loaded: { state: true },
    manifests: { state: true },
    problem: { state: true },
    leads: { state: true },
  };
  static override styles = [base, lessonStyle, elsewhereStyle];
  declare source: Source;
  declare loaded: Loaded | undefined;
  declare manifests: readonly Manifest[];
  declare problem: string;
  /** The other host's address that the one which was named leads to. */
  declare leads: URL | undefined;
  readonly #session: Pick<Session, "api" | "nodes">;
  readonly #nodes;
  readonly #opens: (wanted: Wanted) => void;
  #life = new AbortController();
  #reads: Reads | undefined;

  constructor(session: Pick<Session, "api" | "nodes">, opens: (wanted: Wanted) => void) {
    super();
    this.#session = session;
    this.#opens = opens;
    this.#nodes = new Watched(this, session.nodes, 500);
    this.manifests = [];
    this.problem = "";
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#life.abort();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("source")) void this.#read();
  }

  override render() {
    const { loaded, problem, leads, source } = this;
    return html`<h2>Open a lesson</h2>
      <p class="dim">${source.says}</p>
      ${
        problem
          ? html`<p class="failed lines" role="alert">${seen(problem)}</p>
              ${leads ? this.#goes(leads) : nothing}
              <button @click=${() => void this.#read()}>Try again</button>`
          : loaded
            ? this.#asks(loaded)
            : html`<p role="status">Reading it …</p>`
      }`;
  }

  /** The way to where the host leads, for a reader who trusts that one as well. */
  #goes(to: URL) {
    return html`<p>
      <a href=${formatRoute({ path: ["lessons"], query: { url: to.href } })}
        >Open it from <code>${seen(to.host)}</code></a
      >
    </p>`;
  }

  #asks({ lesson, problems }: Loaded) {
    const machines = [...this.#nodes.state.rows.values()].filter(
      ({ object }) => object.metadata.labels?.[KIND] === "real",
    ).length;
    const count = lesson.steps.length === 1 ? "1 step" : `${lesson.steps.length} steps`;
    return html`<h3>${seen(lesson.title)}</h3>
      ${lesson.description === undefined ? nothing : html`<p>${seen(lesson.description)}</p>`}
      <p>
        ${count}. Nothing of it has been run. Its commands run in the cluster of this tab, with
        every right: those of its steps when you press their buttons, and what it prepares once you
        run something of it or go on to a step.
      </p>
      ${
        machines > 0
          ? html`<p class="warns">
              This cluster has ${machines} real ${machines === 1 ? "machine" : "machines"}: what the
              lesson applies may run there, too, as root if it asks to.
            </p>`
          : nothing
      }
      ${
        problems.length > 0
          ? html`<p class="failed">
              ${problems.length === 1 ? "One thing" : `${problems.length} things`} of it cannot be
              shown as ${problems.length === 1 ? "it was" : "they were"} meant.
            </p>`
          : nothing
      }
      ${drawUnseen(lesson, this.manifests, true)}
      <button class="primary" @click=${() => this.#open()}>Open the lesson</button>`;
  }

  #open(): void {
    const { src, pictures } = this.source;
    if (this.#reads) this.#opens({ src, reads: this.#reads, pictures });
  }

  async #read(): Promise<void> {
    const { source } = this;
    this.#life.abort();
    const life = new AbortController();
    this.#life = life;
    this.loaded = undefined;
    this.problem = "";
    this.leads = undefined;
    this.manifests = [];
    const reads = source.reads();
    this.#reads = reads;
    try {
      await this.#session.api.ready;
      const { scenario } = source;
      const loaded = await loadLesson(source.folder(), life.signal, { reads, scenario });
      const manifests: Manifest[] = [];
      for (const name of loaded.lesson.manifests ?? [])
        manifests.push([name, await loadFile(loaded, name, life.signal)]);
      if (life.signal.aborted) return;
      this.manifests = manifests;
      this.loaded = loaded;
    } catch (error) {
      if (life.signal.aborted) return;
      this.problem = reason(error);
      if (error instanceof MovedError) this.leads = error.to;
    }
  }
}

define("tn-lesson-elsewhere", ElsewhereView);
