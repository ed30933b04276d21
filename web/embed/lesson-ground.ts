import { beginLesson, beginStep } from "../lesson/begin.ts";
import { Beginnings, type Beginning } from "../lesson/beginnings.ts";
import { partsOf, type Lesson } from "../lesson/lesson.ts";
import { loadFile, type Loaded } from "../lesson/load.ts";
import { awaitPrepared, doAll, type DoOptions } from "../lesson/run.ts";
import type { CheckpointDifference } from "../rpc/protocol.ts";
import type { LessonTrace } from "../lesson/trace.ts";
import { clusterBehind, type EmbeddedCluster } from "../sdk/create.ts";
import { LESSON_SHELL, madeFor } from "../sdk/lesson.ts";
import type { Disposable } from "../state/disposable.ts";
import { sharedOf } from "./cluster-element.ts";
import type { SharedCluster } from "./shared.ts";

/** Counts the lessons of a page: each has shells of its own. */
let opened = 0;

async function follow(cluster: EmbeddedCluster): Promise<LessonTrace & Disposable> {
  const { followTrace } = await import("../lesson/trace.ts");
  return followTrace(clusterBehind(cluster).client);
}

/**
 * What a lesson has of its cluster: the shell that its blocks share, and which of its steps were done there.
 * The shell is that of the terminal over the same cluster that was opened last; without one it is the
 * lesson's own, which the terminal that opens next shows.
 */
export class LessonGround {
  readonly #element: Element & { readonly over: SharedCluster | undefined };
  readonly #own = `lesson-${++opened}`;
  /** Steps that were done, or done for the reader, in this cluster. */
  readonly made = new Set<number>();
  /** Steps whose prepared state is there; -1 is the lesson's own. */
  readonly #prepared = new Set<number>();
  readonly #beginnings = new Beginnings();
  /** The lesson's manifests, as they were read first: what was shown is what is applied. */
  readonly #manifests = new Map<string, string>();
  #shared: SharedCluster | undefined;
  #cluster: EmbeddedCluster | undefined;
  #shell: string | undefined;
  /** Followed from when a lesson with traces begins, or one is asked for. */
  #trace: Promise<LessonTrace & Disposable> | undefined;
  #shown: Disposable | undefined;

  constructor(element: Element & { readonly over: SharedCluster | undefined }) {
    this.#element = element;
  }

  /** Whether something was done in a cluster. */
  get begun(): boolean {
    return this.#cluster !== undefined;
  }

  /** What the elements over the same cluster share; throws if the lesson names one that is not there. */
  get shared(): SharedCluster {
    this.#shared ??= this.#element.over ?? sharedOf(this.#element);
    return this.#shared;
  }

  /** How many steps before this one were not done in this cluster. */
  behind(at: number): number {
    let missing = 0;
    for (let i = 0; i < at; i++) if (!this.made.has(i)) missing++;
    return missing;
  }

  /** The cluster, which starts if need be; `says` is told meanwhile how far it is. */
  async reach(says: (words: string) => void, signal: AbortSignal): Promise<DoOptions> {
    const { shared } = this;
    this.#shown ??= shared.shows(this.#element);
    const cluster = await shared.started(says, signal);
    await shared.joined();
    signal.throwIfAborted();
    if (cluster !== this.#cluster) {
      this.#forget(); // another one knows nothing of what was done
      this.#cluster = cluster;
    }
    const session = this.#chosen(shared);
    const terminal = shared.terminalOf(session);
    const checks = `${this.#own}-checks`;
    const trace = () => (this.#trace ??= follow(cluster));
    return { cluster, session, checks, trace, signal, ...(terminal ? { terminal } : {}) };
  }

  #chosen(shared: SharedCluster): string {
    let shell = this.#shell;
    // A terminal that was left took its shell with it.
    if (shell === undefined || !(shared.terminalOf(shell) || shared.offers(shell))) {
      // The page may have had it prepared, in a shell that a terminal shows or none does yet.
      const prepared = shared.terminalOf(LESSON_SHELL)?.shell;
      const hidden = shared.offers(LESSON_SHELL) ? LESSON_SHELL : this.#own;
      shell = prepared ?? shared.terminal?.shell ?? hidden;
      if (shell === this.#own) shared.offer(shell);
    }
    this.#shell = shell;
    return shell;
  }

  /** Text of a manifest of the lesson's folder. */
  async manifest(loaded: Loaded, name: string, signal: AbortSignal): Promise<string> {
    const text = this.#manifests.get(name) ?? (await loadFile(loaded, name, signal));
    this.#manifests.set(name, text);
    return text;
  }

  /** Makes the state that the lesson, and a step of it, begin with, unless that is there. */
  async prepare(loaded: Loaded, at: number, options: DoOptions): Promise<void> {
    const { lesson } = loaded;
    if (lesson.steps.some(({ blocks }) => partsOf(blocks).some(({ kind }) => kind === "trace")))
      options.trace?.().catch(() => undefined); // who looks is told
    if (!this.#prepared.has(-1)) {
      if (this.#cluster && madeFor(this.#cluster, loaded.folder)) await this.#adopt(lesson);
      else
        await beginLesson(lesson, (name) => this.manifest(loaded, name, options.signal), options);
      this.#prepared.add(-1);
    }
    if (this.#prepared.has(at)) return;
    await beginStep(lesson, at, options);
    this.#prepared.add(at);
    if (this.#cluster && lesson.steps[at]) await this.#beginnings.take(this.#cluster, lesson, at);
  }

  /** The page has made the cluster for this lesson: its first step has begun there. */
  async #adopt(lesson: Lesson): Promise<void> {
    this.#prepared.add(0);
    if (this.#cluster) await this.#beginnings.take(this.#cluster, lesson, 0);
  }

  /** Whether a step has begun in this cluster: then it can be started again. */
  hasBegun(at: number): boolean {
    return this.#beginnings.has(at);
  }

  /** What starting a step again would change. */
  async beginning(at: number): Promise<Beginning> {
    if (!this.#cluster) return { gone: "This step has not begun in this cluster." };
    return this.#beginnings.look(this.#cluster, at);
  }

  /**
   * Starts a step again: what the lesson itself has for that, and then the cluster's objects as they were
   * when it began. Says what that changed; undefined where it is not remembered, and the step was prepared anew.
   */
  async again(
    loaded: Loaded,
    at: number,
    options: DoOptions,
  ): Promise<CheckpointDifference | undefined> {
    const parts = partsOf(loaded.lesson.steps[at]?.blocks);
    const resets = parts.filter(({ reset }) => reset);
    await doAll(resets, options);
    const did = this.#cluster && (await this.#beginnings.goBack(this.#cluster, at));
    if (did) {
      for (const later of [...this.made, ...this.#prepared].filter((step) => step > at)) {
        this.made.delete(later);
        this.#prepared.delete(later);
      }
      this.made.delete(at);
      await awaitPrepared(parts, options);
      return did;
    }
    if (resets.length === 0) throw new Error("How this step began is not remembered any more.");
    this.made.delete(at);
    this.#prepared.delete(at);
    await this.prepare(loaded, at, options);
    return undefined;
  }

  /** Does the steps before this one that were not done in this cluster; `says` is told which. */
  async catchUp(
    loaded: Loaded,
    until: number,
    says: (words: string) => void,
    options: DoOptions,
  ): Promise<void> {
    const { steps } = loaded.lesson;
    for (const [i, { title, blocks }] of steps.slice(0, until).entries()) {
      if (this.made.has(i)) continue;
      says(`Doing step ${i + 1}, ${title} …`);
      await this.prepare(loaded, i, options);
      await doAll(
        partsOf(blocks).filter(({ prepare, reset }) => !prepare && !reset),
        options,
      );
      this.made.add(i);
    }
    await this.prepare(loaded, until, options);
  }

  /** Another lesson, or none: its shells end, unless a terminal shows them. */
  leave(): void {
    this.#shown?.dispose();
    this.#shown = undefined;
    const [cluster, shared] = [this.#cluster, this.#shared];
    const ends = shared?.terminalOf(this.#own) ? [] : [this.#own];
    for (const shell of [...ends, `${this.#own}-checks`]) {
      cluster?.close(shell).catch(() => undefined); // the cluster may be gone
    }
    shared?.withdraw(this.#own);
    this.#forget();
    this.#shared = undefined;
    this.#manifests.clear();
  }

  #forget(): void {
    this.#trace?.then(
      (trace) => trace.dispose(),
      () => undefined,
    );
    this.#trace = undefined;
    this.#cluster = undefined;
    this.#shell = undefined;
    this.made.clear();
    this.#prepared.clear();
    this.#beginnings.clear();
  }
}
