import { html, LitElement, nothing } from "lit";
import { drawUnseen, type Manifest } from "../../embed/lesson-top.ts";
import { lessonStyle } from "../../embed/lesson-style.ts";
import { reason } from "../../embed/reason.ts";
import { byTerminal } from "../../lesson/by-terminal.ts";
import { folderOf, loadFile, loadLesson, namesScenario, type Loaded } from "../../lesson/load.ts";
import { once, type Reads } from "../../lesson/reads.ts";
import type { Session } from "../../session/session.ts";
import { webAddress } from "../../share/address.ts";
import { seen } from "../../share/seen.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";
import { elsewhereStyle } from "./style.ts";

/** A lesson that its reader wants to have, and what reads it: as it was shown. */
export interface Wanted {
  readonly src: string;
  readonly reads: Reads;
}

/** The label of nodes that are machines (core/realnode). */
const KIND = "node.tabernetes.internal/kind";

/**
 * A lesson of somebody's, by its address: what it is, and what it would run by itself. Nothing of it is there
 * before its reader says so.
 */
export class ElsewhereView extends LitElement {
  static override properties = {
    url: { attribute: false },
    loaded: { state: true },
    manifests: { state: true },
    problem: { state: true },
  };
  static override styles = [base, lessonStyle, elsewhereStyle];
  /** Of its folder, its lesson.md or a scenario's index.json. */
  declare url: string;
  declare loaded: Loaded | undefined;
  declare manifests: readonly Manifest[];
  declare problem: string;
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
    if (changed.has("url")) void this.#read();
  }

  override render() {
    const { loaded, problem, url } = this;
    return html`<h2>Open a lesson</h2>
      <p class="dim">The link names <code>${seen(url)}</code>, which the terminal reads.</p>
      ${
        problem
          ? html`<p class="failed lines" role="alert">${seen(problem)}</p>
              <button @click=${() => void this.#read()}>Try again</button>`
          : loaded
            ? this.#asks(loaded)
            : html`<p role="status">Reading it …</p>`
      }`;
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
    if (this.#reads) this.#opens({ src: this.url, reads: this.#reads });
  }

  async #read(): Promise<void> {
    const { url } = this;
    this.#life.abort();
    const life = new AbortController();
    this.#life = life;
    this.loaded = undefined;
    this.problem = "";
    this.manifests = [];
    const reads = once(byTerminal(this.#session.api));
    this.#reads = reads;
    try {
      await this.#session.api.ready;
      const folder = folderOf(webAddress(url, "lesson").href, document.baseURI);
      const scenario = namesScenario(url);
      const loaded = await loadLesson(folder, life.signal, { reads, scenario });
      const manifests: Manifest[] = [];
      for (const name of loaded.lesson.manifests ?? [])
        manifests.push([name, await loadFile(loaded, name, life.signal)]);
      if (life.signal.aborted) return;
      this.manifests = manifests;
      this.loaded = loaded;
    } catch (error) {
      if (!life.signal.aborted) this.problem = reason(error);
    }
  }
}

define("tn-lesson-elsewhere", ElsewhereView);
