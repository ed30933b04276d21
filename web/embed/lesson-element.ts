import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { Block, Lesson, Part } from "../lesson/lesson.ts";
import { folderOf, loadFile, loadLesson, type Loaded } from "../lesson/load.ts";
import { readProgress, writeProgress, type Progress } from "../lesson/progress.ts";
import { doAll, doPart, type DoOptions, type LessonCluster } from "../lesson/run.ts";
import { define } from "../ui/define.ts";
import { sharedOf } from "./cluster-element.ts";
import { drawHints, drawPart, UNTOUCHED, type Doer, type PartState } from "./lesson-parts.ts";
import { drawProse } from "./lesson-prose.ts";
import { lessonStyle } from "./lesson-style.ts";
import { reason } from "./reason.ts";

/** Where a lesson's cluster comes from. */
export interface ClusterSource {
  /** The cluster, once it is ready; `says` is told meanwhile how far it is. */
  started(says: (words: string) => void, signal: AbortSignal): Promise<LessonCluster>;
}

/** UTF-16 code units of output that are kept of a block: the last ones. */
const MAX_OUTPUT = 64 << 10;

/** Counts the lessons of a page: each has shells of its own. */
let opened = 0;

/**
 * `<tabernetes-lesson src="lessons/first/" for="id-of-a-cluster">`: a lesson, step by step
 * (docs/lessons.md). Its text is fetched when it is in the page, the cluster when the first block is
 * run. How far the reader is, is kept in localStorage by the lesson's address, unless it has the
 * attribute `forget`. Colours as those of code blocks that run.
 */
export class LessonElement extends LitElement {
  static override properties = {
    src: { type: String },
    loaded: { state: true },
    problem: { state: true },
    at: { state: true },
    done: { state: true },
    hints: { state: true },
    words: { state: true },
    opens: { attribute: false },
  };
  static override styles = lessonStyle;
  declare src: string | null;
  declare loaded: Loaded | undefined;
  /** Why there is no lesson. */
  declare problem: string | undefined;
  declare at: number;
  declare done: ReadonlySet<number>;
  /** How many hints of the step are shown. */
  declare hints: number;
  /** What is said of the step as a whole. */
  declare words: string;
  /** Opens "guide:…" and "trace:last" where the page has them. */
  declare opens: ((to: string) => void) | undefined;
  /** Where the cluster comes from, in place of the elements around. */
  source: ClusterSource | undefined;
  /** Called with a command before it runs: what a page shows of it. */
  onRun: ((text: string) => void) | undefined;

  #states = new Map<Part, PartState>();
  #abort: AbortController | undefined;
  #life = new AbortController();
  #cluster: LessonCluster | undefined;
  readonly #session = `lesson-${++opened}`;
  /** Steps that were done, or done for the reader, in this cluster. */
  #made = new Set<number>();
  /** Steps whose prepared state is there; -1 is the lesson's own. */
  #prepared = new Set<number>();

  constructor() {
    super();
    this.src = null;
    this.at = 0;
    this.done = new Set();
    this.hints = 0;
    this.words = "";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.#life.signal.aborted) {
      this.#life = new AbortController();
      void this.#load();
    }
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#life.abort();
    this.#abort?.abort();
    this.#cluster?.close(this.#session).catch(() => undefined);
    this.#forgetCluster();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("src")) void this.#load();
  }

  /** The steps, and which of them are done. */
  get progress(): { title: string; done: boolean }[] {
    const steps = this.loaded?.lesson.steps ?? [];
    return steps.map(({ title }, i) => ({ title, done: this.done.has(i) }));
  }

  override render() {
    const { loaded, problem } = this;
    if (problem !== undefined) {
      return html`<p class="failed" role="alert">${problem}</p>
        <button @click=${() => void this.#load()}>Try again</button>`;
    }
    if (!loaded) return html`<p role="status">Fetching the lesson …</p>`;
    const { lesson, problems } = loaded;
    const step = lesson.steps[this.at];
    const first = problems[0];
    return html`<h2>${lesson.title}</h2>
      ${lesson.description === undefined ? nothing : html`<p>${lesson.description}</p>`}
      <p class="about">${about(lesson)}</p>
      ${
        first === undefined
          ? nothing
          : html`<p class="failed">
              ${`This lesson has mistakes, and not all of it is here. The first is in lesson.md${first.line ? `, line ${first.line}` : ""}: ${first.what}.`}
            </p>`
      }
      ${
        lesson.steps.length < 2
          ? nothing
          : html`<nav aria-label="Steps">
              <ol>
                ${lesson.steps.map((one, i) => this.#tab(one.title, i))}
              </ol>
            </nav>`
      }
      ${this.at === 0 ? this.#blocks(lesson.intro, "intro") : nothing}
      ${step ? this.#step(step.title, step.blocks) : nothing}`;
  }

  #tab(title: string, i: number): TemplateResult {
    const done = this.done.has(i);
    return html`<li>
      <button
        aria-current=${i === this.at ? "step" : nothing}
        aria-label="${i + 1}. ${title}${done ? ", done" : ""}"
        title=${title}
        @click=${() => void this.#go(i)}
      >
        ${i + 1}${done ? " ✓" : ""}
      </button>
    </li>`;
  }

  #step(title: string, blocks: readonly Block[]): TemplateResult {
    const last = (this.loaded?.lesson.steps.length ?? 0) - 1;
    const resets = partsOf(blocks).some(({ reset }) => reset);
    const behind = this.#behind();
    const busy = this.#abort !== undefined;
    return html`<section aria-labelledby="step">
      <h3 id="step" tabindex="-1">${this.at + 1}. ${title}</h3>
      ${
        behind === 0
          ? nothing
          : html`<div class="part task">
              <p>
                ${behind === 1 ? "The step before was" : `The ${behind} steps before were`} not done
                in this cluster.
              </p>
              <div class="row">
                <button ?disabled=${busy} @click=${() => void this.#catchUp()}>
                  Do ${behind === 1 ? "it" : "them"} for me
                </button>
              </div>
            </div>`
      }
      ${this.#blocks(blocks, `step-${this.at}`)}
      <p role="status" class="about">${this.words}</p>
      <footer>
        ${
          this.at > 0
            ? html`<button @click=${() => void this.#go(this.at - 1)}>Back</button>`
            : nothing
        }
        ${
          this.at < last
            ? html`<button @click=${() => void this.#next()}>
                Next: ${this.loaded?.lesson.steps[this.at + 1]?.title}
              </button>`
            : nothing
        }
        ${
          resets
            ? html`<button ?disabled=${busy} @click=${() => void this.#reset()}>
                Make this step anew
              </button>`
            : nothing
        }
      </footer>
    </section>`;
  }

  #blocks(blocks: readonly Block[], id: string): unknown[] {
    const doer = this.#doer();
    const hints = partsOf(blocks).filter(({ kind }) => kind === "hint");
    return blocks.map((block, i) => {
      // All hints of a step stand where its first one does.
      if (block === hints[0]) return drawHints(hints, this.hints, () => this.hints++, doer);
      if (block.type !== "part") return drawProse([block], doer);
      if (block.hidden || block.kind === "hint") return nothing;
      return drawPart(block, `${id}-${i}`, doer);
    });
  }

  #place() {
    const folder = this.loaded?.folder ?? new URL(this.baseURI);
    return { folder, opens: this.opens };
  }

  #doer(): Doer {
    return {
      ...this.#place(),
      busy: this.#abort !== undefined,
      state: (part) => this.#states.get(part) ?? UNTOUCHED,
      change: (part, to) => this.#change(part, to),
      run: (part) => void this.#run(part),
      stop: () => this.#abort?.abort(),
      answer: (part) => this.#answer(part),
    };
  }

  #change(part: Part, to: Partial<PartState>): void {
    this.#states.set(part, { ...(this.#states.get(part) ?? UNTOUCHED), ...to });
    this.requestUpdate();
  }

  async #load(): Promise<void> {
    this.loaded = undefined;
    this.problem = undefined;
    this.#states = new Map();
    this.#forgetCluster();
    const { src } = this;
    const { signal } = this.#life;
    try {
      if (!src) throw new Error("A lesson needs src, the address of its folder.");
      const loaded = await loadLesson(folderOf(src, this.baseURI), signal);
      if (signal.aborted || src !== this.src) return;
      const { at, done } = readProgress(this.#kept(), loaded.folder, loaded.lesson);
      this.loaded = loaded;
      this.at = at;
      this.done = done;
      this.hints = 0;
      this.words = "";
    } catch (error) {
      if (!signal.aborted && src === this.src) this.problem = reason(error);
    }
  }

  #kept(): Storage | undefined {
    try {
      return this.hasAttribute("forget") ? undefined : localStorage;
    } catch {
      return undefined; // a frame in a sandbox has none
    }
  }

  #keep(progress: Partial<Progress>): void {
    if (!this.loaded) return;
    this.at = progress.at ?? this.at;
    this.done = progress.done ?? this.done;
    const { folder, lesson } = this.loaded;
    writeProgress(this.#kept(), folder, lesson, { at: this.at, done: this.done });
    this.dispatchEvent(new CustomEvent("progress"));
  }

  #forgetCluster(): void {
    this.#cluster = undefined;
    this.#made = new Set();
    this.#prepared = new Set();
  }

  /** How many steps before this one were not done in this cluster. */
  #behind(): number {
    let missing = 0;
    for (let i = 0; i < this.at; i++) if (!this.#made.has(i)) missing++;
    return missing;
  }

  async #go(to: number): Promise<void> {
    this.#keep({ at: to });
    this.hints = 0;
    this.words = "";
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>("#step")?.focus();
    // A cluster that is there already gets the state that the step begins with.
    if (this.#cluster && this.#behind() === 0) {
      await this.#doing(undefined, (options) => this.#prepare(to, options));
    }
  }

  async #next(): Promise<void> {
    // A step that checks nothing and runs nothing is done when it was read.
    const blocks = partsOf(this.loaded?.lesson.steps[this.at]?.blocks ?? []);
    if (!blocks.some((part) => counts(part) || part.kind === "run" || part.kind === "apply")) {
      this.#made.add(this.at);
      this.#keep({ done: new Set([...this.done, this.at]) });
    }
    await this.#go(this.at + 1);
  }

  async #run(part: Part): Promise<void> {
    const at = this.at;
    this.#change(part, { is: "busy", words: "", output: "" });
    const failed = await this.#doing(part, async (options) => {
      await this.#prepare(at, options);
      this.#change(part, { words: part.kind === "run" ? "Running …" : "Looking …" });
      if (part.kind === "run") this.onRun?.(part.text);
      let output = "";
      await doPart(part, {
        ...options,
        output: (text) => {
          output = (output + text).slice(-MAX_OUTPUT);
          this.#change(part, { output });
        },
        waits: (object) => this.#change(part, { words: `Waiting for ${object} …` }),
      });
    });
    if (failed === undefined) this.#change(part, { is: "done", words: "✓ Done" });
    else this.#change(part, { is: "failed", words: `✗ ${failed}` });
    this.#settle(at);
  }

  #answer(part: Part): void {
    const { chosen } = this.#states.get(part) ?? UNTOUCHED;
    const right = (part.answers ?? []).every(
      (answer, i) => (answer.right ?? false) === chosen.includes(i),
    );
    this.#change(
      part,
      right ? { is: "done", words: "✓ Right" } : { is: "failed", words: "✗ Not so. Try again." },
    );
    this.#settle(this.at);
  }

  /** A step is done when all that is checked and asked is, or, without such, all that runs. */
  #settle(at: number): void {
    const parts = partsOf(this.loaded?.lesson.steps[at]?.blocks ?? []);
    const done = (part: Part) => this.#states.get(part)?.is === "done";
    const ran = parts.filter(
      ({ kind, prepare, reset }) => (kind === "run" || kind === "apply") && !prepare && !reset,
    );
    const asked = parts.filter(counts);
    if (ran.every(done)) this.#made.add(at);
    if (!(asked.length > 0 ? asked : ran).every(done)) return;
    this.#made.add(at);
    if (!this.done.has(at)) this.#keep({ done: new Set([...this.done, at]) });
  }

  async #reset(): Promise<void> {
    const at = this.at;
    const blocks = this.loaded?.lesson.steps[at]?.blocks ?? [];
    const failed = await this.#doing(undefined, async (options) => {
      this.words = "Making the step's state anew …";
      await doAll(
        partsOf(blocks).filter(({ reset }) => reset),
        options,
      );
      this.#prepared.delete(at);
      await this.#prepare(at, options);
    });
    if (failed !== undefined) return;
    for (const part of partsOf(blocks)) this.#states.delete(part);
    this.#made.delete(at);
    const done = new Set(this.done);
    done.delete(at);
    this.#keep({ done });
    this.hints = 0;
    this.words = "The step's state is as it was at its beginning.";
  }

  /** Does the steps before this one that were not done in this cluster. */
  async #catchUp(): Promise<void> {
    const until = this.at;
    const steps = this.loaded?.lesson.steps ?? [];
    const failed = await this.#doing(undefined, async (options) => {
      for (let i = 0; i < until; i++) {
        if (this.#made.has(i)) continue;
        this.words = `Doing step ${i + 1}, ${steps[i]?.title ?? ""} …`;
        await this.#prepare(i, options);
        const blocks = partsOf(steps[i]?.blocks ?? []);
        await doAll(
          blocks.filter(({ prepare, reset }) => !prepare && !reset),
          options,
        );
        this.#made.add(i);
      }
      await this.#prepare(until, options);
    });
    if (failed === undefined) this.words = "The cluster is as this step expects it.";
  }

  /** Makes the state that the lesson, and a step of it, begin with, unless that is there. */
  async #prepare(at: number, options: DoOptions): Promise<void> {
    const { loaded } = this;
    if (!loaded) return;
    const { lesson, folder } = loaded;
    if (!this.#prepared.has(-1)) {
      for (const name of lesson.manifests ?? []) {
        const text = await loadFile(folder, name, options.signal);
        await doPart({ type: "part", kind: "apply", text }, options);
      }
      await doAll(partsOf(lesson.intro), options);
      this.#prepared.add(-1);
    }
    if (this.#prepared.has(at)) return;
    await doAll(
      partsOf(lesson.steps[at]?.blocks ?? []).filter(({ prepare }) => prepare),
      options,
    );
    this.#prepared.add(at);
  }

  /** Does something in the cluster, which starts if need be; one thing at a time. Gives why it failed. */
  async #doing(
    part: Part | undefined,
    act: (options: DoOptions) => Promise<void>,
  ): Promise<string | undefined> {
    if (this.#abort) return "Something else runs.";
    const abort = new AbortController();
    this.#abort = abort;
    const says = (words: string) =>
      part ? this.#change(part, { words }) : void (this.words = words);
    try {
      const { lesson } = this.loaded ?? {};
      this.source ??= sharedOf(this, lesson?.nodes === undefined ? {} : { nodes: lesson.nodes });
      says("Starting Kubernetes in this tab …");
      const cluster = await this.source.started(says, abort.signal);
      if (cluster !== this.#cluster) {
        this.#forgetCluster(); // another one knows nothing of what was done
        this.#cluster = cluster;
      }
      says("");
      await act({ cluster, session: this.#session, signal: abort.signal });
      return undefined;
    } catch (error) {
      const why = abort.signal.aborted ? "Stopped." : reason(error);
      if (!part) this.words = `✗ ${why}`;
      return why;
    } finally {
      this.#abort = undefined;
      this.requestUpdate();
    }
  }
}

function about({ minutes, steps }: Lesson): string {
  const count = `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
  return minutes === undefined ? count : `${minutes} minutes, ${count}`;
}

function partsOf(blocks: readonly Block[]): Part[] {
  return blocks.filter((block): block is Part => block.type === "part");
}

/** Whether a part has to be done for its step to be. */
function counts({ kind }: Part): boolean {
  return kind === "check" || kind === "cel" || kind === "question";
}

define("tabernetes-lesson", LessonElement);
