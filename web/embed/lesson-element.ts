import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { sentenceOf } from "../cluster/going-back.ts";
import type { Beginning } from "../lesson/beginnings.ts";
import { partsOf, type Lesson, type Part } from "../lesson/lesson.ts";
import { folderOf, loadLesson, namesScenario, type Loaded } from "../lesson/load.ts";
import { byPage, type Pictures, type Reads } from "../lesson/reads.ts";
import { asked, readProgress, writeProgress, type Progress } from "../lesson/progress.ts";
import { doPart, type DoOptions } from "../lesson/run.ts";
import type { Disposable } from "../state/disposable.ts";
import type { EmbeddedCluster } from "../sdk/create.ts";
import { define } from "../ui/define.ts";
import { LessonGround } from "./lesson-ground.ts";
import type { Doer } from "./lesson-parts.ts";
import type { Place } from "./lesson-prose.ts";
import { offered } from "./lesson-offer.ts";
import { PartStates } from "./lesson-states.ts";
import { drawStep } from "./lesson-step.ts";
import { lessonStyle } from "./lesson-style.ts";
import { drawAbout, drawOffer, drawSteps, drawUnseen, type Manifest } from "./lesson-top.ts";
import { reason } from "../rpc/reason.ts";
import type { SharedCluster } from "./shared.ts";
import type { ElementState } from "./stage.ts";

/** UTF-16 code units of output that are kept of a block: the last ones. */
const MAX_OUTPUT = 64 << 10;

/**
 * `<tabernetes-lesson src="lessons/first/" for="id-of-a-cluster">`: a lesson, step by step
 * (docs/lessons.md). Its text is fetched when it is in the page, the cluster when the first block is
 * run: in the terminal of that cluster that was opened last, or, without one, in the lesson. How far the reader
 * is, is kept in localStorage by the lesson's address, unless it has the attribute `forget`; `from` has how far
 * somebody else was, which the reader may take. With `reveal` all that runs unseen can be seen before. `theme` is
 * "light", "dark" or as the page is. Colours as those of code blocks that run.
 */
export class LessonElement extends LitElement {
  static override properties = {
    src: { type: String },
    from: { type: String },
    linkTo: { attribute: false },
    cluster: { attribute: false },
    offer: { state: true },
    link: { state: true },
    manifests: { state: true },
    loaded: { state: true },
    problem: { state: true },
    at: { state: true },
    done: { state: true },
    hints: { state: true },
    words: { state: true },
    again: { state: true },
  };
  static override styles = lessonStyle;
  /** The cluster that it is over, where its page has one in hand; otherwise as elements find theirs. */
  over: SharedCluster | undefined;
  /** Reads its files, where its page does not do that by itself. */
  reads: Reads = byPage;
  /** Its pictures, where its page does not show them by their addresses; none are shown without it. */
  pictures: Pictures | undefined;
  /** A cluster that there is already, of createCluster(). */
  declare cluster: EmbeddedCluster | undefined;
  declare src: string | null;
  /** Somebody's progress, as it stands in a link. */
  declare from: string | null;
  /** Makes a link to this lesson with `from`; the reader is offered one if it is there. */
  declare linkTo: ((from: string) => string) | undefined;
  /** What `from` says, or why it says nothing; undefined once that is settled. */
  declare offer: Progress | string | undefined;
  /** The link that the reader asked for. */
  declare link: string | undefined;
  /** The lesson's manifests, where they are to be seen before. */
  declare manifests: readonly Manifest[];
  declare loaded: Loaded | undefined;
  /** Why there is no lesson. */
  declare problem: string | undefined;
  declare at: number;
  declare done: ReadonlySet<number>;
  /** How many hints of the step are shown. */
  declare hints: number;
  /** What is said of the step as a whole. */
  declare words: string;
  /** What is asked of a step that the reader wants to start again. */
  declare again: Beginning | undefined;

  /** Pictures that were read, by their paths. */
  readonly #shown = new Map<string, string>();
  readonly #parts = new PartStates(() => this.requestUpdate());
  #abort: AbortController | undefined;
  #life = new AbortController();
  readonly #ground = new LessonGround(this);
  #guide: Disposable | undefined;
  #told: ElementState | undefined;

  constructor() {
    super();
    this.src = null;
    this.from = null;
    this.manifests = [];
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
    this.#leave();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("src") || changed.has("from") || changed.has("cluster")) void this.#load();
  }

  /** Tells whoever listens how far its cluster is. */
  #tell(detail: ElementState): void {
    if (detail === this.#told) return;
    this.#told = detail;
    this.dispatchEvent(new CustomEvent("tabernetes-state", { detail }));
  }

  /** The steps, and which of them are done. */
  get progress(): { title: string; done: boolean }[] {
    const steps = this.loaded?.lesson.steps ?? [];
    return steps.map(({ title }, i) => ({ title, done: this.done.has(i) }));
  }

  override render() {
    const { loaded, problem } = this;
    if (problem !== undefined) {
      return html`<p class="failed lines" role="alert">${problem}</p>
        <button @click=${() => void this.#load()}>Try again</button>`;
    }
    if (!loaded) return html`<p role="status">Fetching the lesson …</p>`;
    const { lesson, problems } = loaded;
    return html`${drawAbout(lesson, problems)}
    ${drawOffer(
      this.offer,
      lesson,
      () => void this.#take(),
      () => (this.offer = undefined),
    )}
    ${this.hasAttribute("reveal") ? drawUnseen(lesson, this.manifests) : nothing}
    ${
      lesson.steps.length < 2
        ? nothing
        : drawSteps(lesson, this.at, this.done, (to) => void this.#go(to))
    }
    ${this.#step(lesson)}`;
  }

  /** The step that is open. */
  #step(lesson: Lesson): TemplateResult {
    return drawStep(lesson, this.at, {
      ...this.#doer(),
      behind: this.#ground.behind(this.at),
      begun: this.#ground.hasBegun(this.at),
      hints: this.hints,
      words: this.words,
      again: this.again,
      link: this.link,
      hint: () => this.hints++,
      catchUp: () => void this.#catchUp(),
      go: (to) => void this.#go(to),
      next: () => void this.#next(),
      askAgain: () => void this.#askAgain(),
      startAgain: () => void this.#startAgain(),
      leaveAgain: () => void this.#leaveAgain(),
      share: this.linkTo && (() => void this.#share()),
    });
  }

  #place(): Place {
    const folder = this.loaded?.folder ?? new URL(this.baseURI);
    const guide = this.#guide ? this.#ground.shared.guide : undefined;
    return {
      folder,
      ...(this.reads === byPage ? {} : { picture: (path: string) => this.#shown.get(path) }),
      opens: guide && ((to) => (to === "trace:last" ? guide.follow() : guide.read(to.slice(6)))),
    };
  }

  #doer(): Doer {
    return {
      ...this.#place(),
      busy: this.#abort !== undefined,
      state: (part) => this.#parts.of(part),
      change: (part, to) => this.#parts.change(part, to),
      run: (part) => void this.#run(part),
      stop: () => this.#abort?.abort(),
      answer: (part) => this.#answer(part),
    };
  }

  async #load(): Promise<void> {
    this.loaded = undefined;
    this.problem = undefined;
    this.#parts.clear();
    this.#abort?.abort();
    this.#leave();
    const { src, from, cluster } = this;
    const { signal } = this.#life;
    const left = () =>
      signal.aborted || src !== this.src || from !== this.from || cluster !== this.cluster;
    try {
      if (!src) throw new Error("A lesson needs src, the address of its folder.");
      const loaded = await loadLesson(folderOf(src, this.baseURI), signal, {
        reads: this.reads,
        scenario: namesScenario(src),
      });
      const manifests = this.hasAttribute("reveal") ? await this.#manifests(loaded, signal) : [];
      await this.#look(loaded);
      const own = readProgress(this.#kept(), loaded.folder, loaded.lesson);
      const offer = from === null ? undefined : await offered(from, loaded, own);
      if (left()) return;
      this.loaded = loaded;
      this.manifests = manifests;
      this.offer = offer;
      this.#show(own);
      this.#around(loaded);
      this.#tell("waiting");
    } catch (error) {
      if (left()) return;
      this.problem = reason(error);
      this.#tell("failed");
    }
  }

  /** Reads its pictures. Of one that cannot be shown stands there what is said of it. */
  async #look({ lesson: { images }, folder }: Loaded): Promise<void> {
    const { pictures } = this;
    this.#shown.clear();
    for (const path of pictures ? new Set(images) : []) {
      try {
        this.#shown.set(path, (await pictures?.(new URL(path, folder))) ?? "");
      } catch {
        // Its place says so.
      }
    }
  }

  #manifests(loaded: Loaded, signal: AbortSignal): Promise<Manifest[]> {
    const read = async (name: string): Promise<Manifest> => [
      name,
      await this.#ground.manifest(loaded, name, signal),
    ];
    return Promise.all((loaded.lesson.manifests ?? []).map(read));
  }

  /** What the lesson wants of its cluster, and what of the elements around leads on. */
  #around({ lesson: { nodes } }: Loaded): void {
    try {
      const { shared } = this.#ground;
      if (nodes !== undefined) shared.suggest({ nodes });
      this.#guide = shared.onChange(() => this.requestUpdate());
    } catch {
      // It names a cluster that is not there: who runs something is told.
    }
  }

  /** Goes to where somebody was. */
  #show({ at, done, passed }: Progress): void {
    this.at = at;
    this.done = done;
    this.#parts.show(this.loaded?.lesson.steps ?? [], passed);
    this.hints = 0;
    this.words = "";
    this.again = undefined;
  }

  /** Takes over how far somebody else was, as the reader has asked for. */
  async #take(): Promise<void> {
    if (typeof this.offer !== "object" || this.#abort) return;
    this.#show(this.offer);
    this.offer = undefined;
    await this.#go(this.at);
  }

  get #progress(): Progress {
    const passed = this.#parts.passed(this.loaded?.lesson.steps ?? []);
    return { at: this.at, done: this.done, passed };
  }

  async #share(): Promise<void> {
    const { linkTo, loaded } = this;
    if (!linkTo || !loaded) return;
    try {
      const { packProgress } = await import("../lesson/progress-link.ts");
      const link = linkTo(await packProgress(loaded.lesson, this.#progress));
      this.link = link;
      this.words = "The link has how far you are in this lesson, and nothing of your cluster.";
      await navigator.clipboard.writeText(link);
      this.words = `Copied. ${this.words}`;
    } catch (error) {
      // Where a page may not copy, the link is there to be copied.
      if (this.link === undefined) this.words = `✗ ${reason(error)}`;
    }
  }

  #kept(): Storage | undefined {
    try {
      return this.hasAttribute("forget") ? undefined : localStorage;
    } catch {
      return undefined; // a frame in a sandbox has none
    }
  }

  #keep(progress: Partial<Pick<Progress, "at" | "done">> = {}): void {
    if (!this.loaded) return;
    this.at = progress.at ?? this.at;
    this.done = progress.done ?? this.done;
    this.link = undefined; // it would be of before
    const { folder, lesson } = this.loaded;
    writeProgress(this.#kept(), folder, lesson, this.#progress);
    this.dispatchEvent(new CustomEvent("progress"));
  }

  #leave(): void {
    this.#guide?.dispose();
    this.#guide = undefined;
    this.#ground.leave();
  }

  async #go(to: number): Promise<void> {
    this.#keep({ at: to });
    this.hints = 0;
    this.words = "";
    this.again = undefined;
    await this.#focus("#step");
    // A cluster that is there already gets the state that the step begins with.
    if (this.#ground.begun && this.#ground.behind(to) === 0) {
      await this.#doing(undefined, (loaded, options) => this.#ground.prepare(loaded, to, options));
    }
  }

  async #next(): Promise<void> {
    // A step that checks nothing and runs nothing is done when it was read.
    const blocks = partsOf(this.loaded?.lesson.steps[this.at]?.blocks);
    const idle = !blocks.some(({ kind }) => kind === "run" || kind === "apply");
    if (idle && asked(blocks).length === 0) {
      this.#ground.made.add(this.at);
      this.#keep({ done: new Set([...this.done, this.at]) });
    }
    await this.#go(this.at + 1);
  }

  async #run(part: Part): Promise<void> {
    const at = this.at;
    this.#parts.change(part, { is: "busy", words: "", output: "", before: false });
    let where = "";
    const failed = await this.#doing(part, async (loaded, options) => {
      await this.#ground.prepare(loaded, at, options);
      const runs = part.kind === "run" || part.kind === "solution";
      if (runs && options.terminal) where = ", in the terminal";
      this.#parts.change(part, { words: runs ? `Running${where} …` : "Looking …" });
      let output = "";
      await doPart(part, {
        ...options,
        output: (text) => {
          output = (output + text).slice(-MAX_OUTPUT);
          this.#parts.change(part, { output });
        },
        waits: (object) => this.#parts.change(part, { words: `Waiting for ${object} …` }),
        notYet: (why) => this.#parts.change(part, { words: `${why} Looking again …` }),
      });
    });
    if (failed === undefined) this.#parts.change(part, { is: "done", words: `✓ Done${where}` });
    else this.#parts.change(part, { is: "failed", words: `✗ ${failed}` });
    this.#settle(at);
  }

  #answer(part: Part): void {
    this.#parts.answer(part);
    this.#settle(this.at);
  }

  #settle(at: number): void {
    const { here, done } = this.#parts.settled(this.loaded?.lesson.steps[at]?.blocks);
    if (here) this.#ground.made.add(at);
    this.#keep(done ? { done: new Set([...this.done, at]) } : {});
  }

  /** Says what starting the step again would change, and asks. */
  async #askAgain(): Promise<void> {
    const { at } = this;
    this.words = "Comparing …";
    try {
      const beginning = await this.#ground.beginning(at);
      if (at !== this.at) return;
      this.again = beginning;
      this.words = "";
      await this.#focus("#again");
    } catch (error) {
      this.words = `✗ ${reason(error)}`;
    }
  }

  async #leaveAgain(): Promise<void> {
    this.again = undefined;
    await this.#focus("#start-again");
  }

  async #startAgain(): Promise<void> {
    const at = this.at;
    const parts = partsOf(this.loaded?.lesson.steps[at]?.blocks);
    const resets = parts.some(({ reset }) => reset);
    let words = "The step's state was made anew.";
    const failed = await this.#doing(undefined, async (loaded, options) => {
      this.words = "Going back to when this step began …";
      const did = await this.#ground.again(loaded, at, options);
      if (!did) return;
      this.#parts.undone(this.loaded?.lesson.steps.slice(at + 1) ?? []);
      // Where the lesson's own commands ran before, this would be of what they left.
      words = resets ? "The step begins again." : `The step begins again. ${sentenceOf(did, true)}`;
    });
    this.again = undefined;
    if (failed !== undefined) return;
    this.#parts.forget(parts);
    const done = new Set(this.done);
    done.delete(at);
    this.#keep({ done });
    this.hints = 0;
    this.words = words;
    await this.#focus("#step");
  }

  async #focus(what: string): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(what)?.focus();
  }

  /** Does the steps before this one that were not done in this cluster. */
  async #catchUp(): Promise<void> {
    const until = this.at;
    const says = (words: string) => void (this.words = words);
    const failed = await this.#doing(undefined, (loaded, options) =>
      this.#ground.catchUp(loaded, until, says, options),
    );
    if (failed === undefined) this.words = "The cluster is as this step expects it.";
  }

  /** Does something in the cluster, which starts if need be; one thing at a time. Gives why it failed. */
  async #doing(
    part: Part | undefined,
    act: (loaded: Loaded, options: DoOptions) => Promise<void>,
  ): Promise<string | undefined> {
    const { loaded } = this;
    if (this.#abort || !loaded) return "Something else runs.";
    const abort = new AbortController();
    this.#abort = abort;
    const says = (words: string) =>
      part ? this.#parts.change(part, { words }) : void (this.words = words);
    try {
      says("Starting Kubernetes in this tab …");
      if (!this.#ground.begun) this.#tell("starting");
      const options = await this.#ground.reach(says, abort.signal);
      this.#tell("ready");
      says("");
      await act(loaded, options);
      return undefined;
    } catch (error) {
      const why = abort.signal.aborted ? "Stopped." : reason(error);
      if (!this.#ground.begun) this.#tell(abort.signal.aborted ? "waiting" : "failed");
      if (!part) this.words = `✗ ${why}`;
      return why;
    } finally {
      this.#abort = undefined;
      this.requestUpdate();
    }
  }
}

define("tabernetes-lesson", LessonElement);
