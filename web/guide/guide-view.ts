import { html, LitElement, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused, chapterOf, done, END, reached } from "../trace/told.ts";
import { sentence } from "../trace/words.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { Watched } from "../ui/watched.ts";
import { wideStyle } from "../ui/wide-style.ts";
import { Begins } from "./begins.ts";
import type { Reader } from "./blocks.ts";
import type { Claim } from "./chapter.ts";
import { drawArticle, drawHeading, type Placed } from "./chapter-view.ts";
import { beginning, bring, claimsOf, current, SCROLLS } from "./current.ts";
import { drawEnded, findHeading, NEXT } from "./ended.ts";
import { guideStyle } from "./guide-style.ts";
import { drawHead, drawTop } from "./head.ts";
import { isOther, scrollDid, stuck } from "./legend.ts";
import { linkStyle } from "./link-style.ts";
import { Moments } from "./moments.ts";
import type { GuideNeeds } from "./needs.ts";
import { drawOnward } from "./onward.ts";
import { bringBack, placeOf, type Place } from "./place.ts";
import { readerOf } from "./reader.ts";
import { asTold } from "./span.ts";
import { tableStyle } from "./table-style.ts";
import { Texts } from "./texts.ts";
import { Wanted } from "./wanted.ts";
import { WORDS } from "./glossary.ts";
import { Words } from "./word.ts";
import { wordStyle } from "./word-style.ts";
import { drawWordsSection } from "./words-section.ts";

/** Milliseconds without anything new after which it is said aloud. */
const REST = 2500;

/** Kubernetes' version that the chapters are written for, until the cluster says its own. */
const WRITTEN_FOR = "v1.36.3";

/**
 * The guide beside the cluster that it speaks of: chapters that light up as a command comes to them,
 * with what was seen there. The reader follows it, lags behind, or goes back.
 */
export class GuideView extends LitElement {
  static override properties = {
    open: { state: true },
    following: { state: true },
    said: { state: true },
  };
  static override styles = [base, wideStyle, guideStyle, tableStyle, linkStyle, wordStyle];
  /** The chapter that is read; empty for none. */
  declare open: string;
  /** Whether the chapter of the step that is looked at is opened by itself. */
  declare following: boolean;
  /** What a screen reader says: once what is told of has come to rest, not with each step. */
  declare said: string;
  #rest: ReturnType<typeof setTimeout> | undefined;
  readonly #on: GuideNeeds;
  readonly #focus;
  #version = WRITTEN_FOR;
  /** The command that the chapters speak of, with all that it caused. */
  #steps: readonly TraceStep[] = [];
  /** The chapter of the step that is looked at. */
  #now = "";
  #followed: number | undefined;
  /** A step that was led to while the text it is told of stays: no page is turned for it. */
  #stays: number | undefined;
  readonly #moments = new Moments(() => this.requestUpdate());
  /** A scroll by the page itself is none of the reader's. */
  readonly #turns = { handleEvent: () => this.#on.around?.turned(), passive: true };
  #shown = "";
  /** The claim that is marked as now, and the one that was brought into sight. */
  #marked: Claim | undefined;
  #brought: Claim | undefined;
  /** The step that was looked at before. */
  #was: TraceStep | undefined;
  /** The step that was told when the chapter was opened. */
  #openedAt: TraceStep | undefined;
  /** The text of the chapter that is open has not come yet. */
  #coming = false;
  /** The chapter that is open was to be brought into sight while nothing of it was in sight. */
  #unplaced = false;
  readonly #resize = new ResizeObserver(() => {
    if (!(this.#unplaced || this.#back) || !this.checkVisibility()) return;
    if (this.#unplaced) this.#shown = "";
    this.requestUpdate();
  });
  #last = "";
  readonly #begins = new Begins();
  readonly #texts = new Texts(() => this.requestUpdate());
  readonly #words = new Words(() => this.requestUpdate());
  readonly #wanted: Wanted;
  /** A heading of the open chapter that is to be brought into sight when it is drawn, and a place to come back to. */
  #sought = "";
  #back: Place | undefined;
  /** The step that was looked at by a link of the text, which stays as it stands. */
  #left: number | undefined;
  /** What the marks mean is open. */
  #marksOpen = false;

  constructor(on: GuideNeeds) {
    super();
    this.#on = on;
    this.#wanted = new Wanted(on.trace);
    this.open = this.#first;
    this.following = true;
    this.said = "";
    this.#shown = this.open;
    new Watched(this, on.trace.version, 200);
    this.#focus = new Watched(this, on.focus);
    new Watched(this, on.telling.chosen);
    if (on.around) new Watched(this, on.around.onward);
    on.trace.kinds().then(
      (kinds) => {
        const [, version] = /\/blob\/(v[\d.]+)\//.exec([...kinds.values()][0]?.url ?? "") ?? [];
        if (version !== undefined) this.#version = version;
      },
      // Without a cluster the chapters can be read all the same.
      () => undefined,
    );
  }

  /** Whether a chapter's text is in sight, or comes into it with the step that is looked at. */
  shows(chapter: string): boolean {
    return this.checkVisibility() && (this.following || this.open === chapter);
  }

  /** Whether it tells the story by itself: its line is in sight, on a phone, where the journey is not. */
  tellsAlone(): boolean {
    return this.renderRoot.querySelector(".onward")?.checkVisibility() ?? false;
  }

  /**
   * Opens a chapter and brings it into sight, or one of its headings. The reader goes their own way from now on, or comes back to it by
   * the chapter that goes with the step that is looked at.
   */
  read(chapter: string, heading = ""): void {
    const focused = this.#focused();
    this.following = focused !== undefined && chapter === this.#chapterOf(focused);
    // It is open already: nothing turns the page before another step is looked at.
    this.#followed = this.following ? focused?.id : undefined;
    this.open = chapter;
    this.#sought = heading;
    this.#back = undefined;
    if (heading !== "") this.requestUpdate();
    this.#begins.read();
  }

  /** Comes back to a place that was left, whatever was looked at or opened meanwhile. */
  comeBack(place: Place): void {
    if (!this.#on.chapters.some(({ name }) => name === place.chapter)) return;
    // No page is turned for the step that was looked at.
    this.#followed = this.#focused()?.id;
    this.#sought = "";
    this.open = place.chapter;
    this.#back = place;
    this.requestUpdate();
  }

  /** A reader has asked for another command to be told: they are at its beginning. */
  tell(command: number): void {
    this.#wanted.forget();
    this.#begins.choose(command);
    this.follow();
  }

  /** Reads another chapter by what stands in this one, which is gone then: its heading has the focus. */
  #turn(chapter: string): void {
    this.read(chapter);
    this.#tell();
    this.#focusHeading(chapter);
  }

  #focusHeading(chapter: string): void {
    void this.updateComplete.then(() =>
      this.renderRoot
        .querySelector<HTMLElement>(`h3[data-name="${chapter}"] button`)
        ?.focus({ preventScroll: true }),
    );
  }

  /** Begins at the first chapter, and goes where the command goes. */
  follow(): void {
    this.open = this.#first;
    this.following = true;
    this.#begins.read();
  }

  /** Goes where the command goes from now on: to its beginning, if that is another one than before. */
  #follow(): void {
    if (this.#begins.another) this.follow();
    this.following = true;
  }

  /** The chapter at which a command begins. */
  get #first(): string {
    return this.#on.chapters[0]?.name ?? "";
  }

  protected override willUpdate(): void {
    const { trace, telling, chapters } = this.#on;
    const wanted = this.#wanted.take();
    if (wanted) {
      this.#choose(wanted.id);
      this.follow();
    }
    const focused = this.#focused();
    const command = telling.root;
    this.#steps = command === undefined ? [] : caused(trace, command);
    this.#begins.tells(command);
    // Whoever follows a step of it is there.
    if (this.following && focused && this.#steps.includes(focused)) this.#begins.read();
    this.#now = focused ? chapterOf(focused, trace.steps) : "";
    if (focused && focused.id === this.#stays) {
      this.#stays = undefined;
      this.read(this.open);
    }
    const told = this.#told();
    if (told !== this.#last) {
      this.#last = told;
      clearTimeout(this.#rest);
      this.#rest = setTimeout(() => (this.said = told), REST);
    }
    // A command is over in a second: the chapters light up by themselves, and who reads is followed
    // by nothing but the step that is looked at.
    if (!this.following) this.#followed = undefined;
    else if (focused && this.#followed !== focused.id) {
      this.#followed = focused.id;
      const chapter = this.#chapterOf(focused);
      if (chapters.some(({ name }) => name === chapter)) this.open = chapter;
      if (reached(this.#steps, 0).has(END)) void this.#ends(focused);
    }
  }

  #focused(): TraceStep | undefined {
    const { state } = this.#focus;
    return state === undefined ? undefined : this.#on.trace.steps.get(state);
  }

  #chapterOf(focused: TraceStep): string {
    const { chapter, trace } = this.#on;
    return chapter?.state ?? chapterOf(focused, trace.steps);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    clearTimeout(this.#rest);
  }

  /** What the command came to, in words; empty until it came to something. */
  #told(): string {
    const [first] = this.#steps;
    const came = done(this.#steps);
    return first && came ? `${sentence(first)}${came}` : "";
  }

  /** With the last step that is told of it a command has come to what it was for. */
  async #ends(step: TraceStep): Promise<void> {
    const last = (await this.#moments.story(this.#steps)).at(-1);
    if (this.#followed === step.id && last === step) this.open = END;
  }

  /** To the moment of a step, and the text that leads there stays. */
  #slowly(step: TraceStep, link: HTMLElement): void {
    this.#stays = step.id;
    this.#leave(link, () => this.#on.around?.slowly(step));
  }

  /** To a step itself: no page is turned for it, though it may be another chapter's. */
  #look(step: TraceStep, link: HTMLElement): void {
    if (this.following) this.#followed = step.id;
    this.#left = step.id;
    this.#leave(link, () => this.#on.around?.look(step));
  }

  /** Elsewhere by a link of the text, to which there is a way back. */
  #leave(link: HTMLElement, go: () => void): void {
    const list = link.closest<HTMLElement>(".scroll");
    const { around } = this.#on;
    if (list && around) around.leave(placeOf(list, this.open, link), go);
    else go();
  }

  override render() {
    const { around, chapters } = this.#on;
    const begun = this.#steps[0]?.at ?? 0;
    const lit = asTold(reached(this.#steps, begun), this.#moments.told(this.#steps), begun);
    const rests = this.said !== "" && this.said === this.#last;
    const onward = around?.onward.state;
    const next = this.#hasEnded() ? () => this.#seek(END, NEXT) : undefined;
    return html`${drawTop(
        this.following,
        () => {
          if (this.following) this.following = false;
          else this.#follow();
          this.#tell();
        },
        around && (() => around.close()),
      )}
      ${this.#head()}
      <div
        class="scroll"
        tabindex="-1"
        @wheel=${this.#turns}
        @touchmove=${this.#turns}
        @pointerdown=${this.#turns}
        @keydown=${(event: KeyboardEvent) => {
          if (SCROLLS.has(event.key)) around?.turned();
        }}
      >
        ${chapters.map((chapter, at) => this.#chapter({ chapters, chapter, at, lit, rests }))}
        ${drawWordsSection(
          () => this.#toggle(WORDS),
          this.open === WORDS ? this.#reader(WORDS) : undefined,
        )}
      </div>
      ${next ? drawEnded(next) : nothing} ${drawOnward(onward, () => this.#follow(), next)}`;
  }

  protected override updated(): void {
    const heading = this.renderRoot.querySelector<HTMLElement>(`h3[data-name="${this.open}"]`);
    const article = heading?.nextElementSibling;
    const list = heading?.parentElement;
    const above = list ? stuck(list, heading) : 0;
    const coming = article instanceof HTMLElement && "coming" in article.dataset;
    // Its text has come: what stood in its place was lower, and nobody has read on.
    const came = this.#coming && !coming;
    const begins = this.#comesToBeginning();
    if (this.#shown !== this.open || came || begins) {
      if (this.#shown !== this.open || begins) this.#openedAt = this.#focused();
      this.#shown = this.open;
      // The heading sticks to the top: what follows it says where it is.
      if (list && article instanceof HTMLElement) {
        list.scrollTop = article.offsetTop - heading.offsetHeight;
        // On a phone it may be behind another tab, and stands nowhere until this one comes forward.
        this.#unplaced = !this.checkVisibility();
      }
    }
    this.#coming = coming;
    this.#words.placed();
    if (list) scrollDid(list);
    if (list && findHeading(list, this.#sought, above)) this.#sought = "";
    if (list && this.#back && bringBack(list, this.#back)) this.#back = undefined;
    if (!this.#marked) this.#brought = undefined;
    // It is looked at by a link of this text: the text stands as it stood.
    if (this.#left !== undefined && this.#left === this.#focus.state) this.#brought = this.#marked;
    if (!list || !this.following || this.#brought === this.#marked) return;
    // The story stops where a chapter begins: that is read from its beginning.
    if (this.#openedAt === this.#focused()) return;
    if (bring(list, above)) this.#brought = this.#marked;
  }

  /** Whether another step is looked at than before, with which the story comes to the open chapter. */
  #comesToBeginning(): boolean {
    const focused = this.#focused();
    const same = focused === this.#was;
    this.#was = focused;
    if (same || !focused || !this.following || this.#left === focused.id) return false;
    const of = { steps: this.#steps, story: this.#moments.told(this.#steps) };
    return beginning(of, this.open) === focused;
  }

  #head() {
    const { trace, telling } = this.#on;
    return drawHead({
      trace,
      telling,
      steps: this.#steps,
      focused: this.#focused(),
      said: this.said,
      choose: (command) => {
        this.#wanted.forget();
        this.#choose(command);
        // Who follows is led to the beginning of what they have chosen.
        if (this.following) this.open = this.#first;
      },
      tell: (command) => {
        this.#choose(command);
        this.tell(command);
        // The button that was pressed is gone.
        this.#focusHeading(this.#first);
      },
      begin: this.#begins.another && this.open !== this.#first ? () => this.follow() : undefined,
    });
  }

  #choose(command: number): void {
    this.#begins.choose(command);
    this.#on.choose(command);
  }

  /** Has a line told in the place of what is told now. */
  #have(line: string): void {
    this.#wanted.ask();
    (this.#on.around?.tell ?? this.#on.run)(line);
  }

  /** Whether the last step of a story is looked at. */
  #hasEnded(): boolean {
    const { around } = this.#on;
    if (!around?.onward.state) return false;
    return this.#moments.told(this.#steps).at(-1) === this.#focused();
  }

  /** Opens a chapter at one of its headings. */
  #seek(chapter: string, heading: string): void {
    this.read(chapter, heading);
    this.#tell();
  }

  #chapter(of: Placed) {
    const { name } = of.chapter;
    const open = this.open === name;
    return html`${drawHeading(of, open, this.#now === name, () => this.#toggle(name))}
    ${open ? this.#article(of) : nothing}`;
  }

  #article(of: Placed) {
    return drawArticle({
      ...of,
      reader: this.#reader(of.chapter.name),
      text: this.#texts.of(of.chapter),
      told: () => this.#moments.told(this.#steps),
      marksOpen: this.#marksOpen,
      marksToggled: (open) => (this.#marksOpen = open),
      turn: (name) => this.#turn(name),
    });
  }

  /** The claim of the open chapter that is told now. */
  #current(): Claim | undefined {
    const now = this.#focused();
    const blocks = this.#texts.come(this.open);
    const steps = this.#steps;
    if (!now || !blocks || !steps.includes(now)) return undefined;
    const chapter = this.open === this.#chapterOf(now) ? this.open : undefined;
    const all = claimsOf(blocks);
    const claims = isOther(steps) ? all.filter(({ any }) => any) : all;
    return current(claims, { steps, story: this.#moments.told(steps), now, chapter });
  }

  #reader(chapter: string): Reader {
    const { around } = this.#on;
    const focused = this.#focused();
    this.#marked = this.#current();
    return readerOf({
      on: this.#on,
      chapter,
      steps: this.#steps,
      focused,
      current: this.#marked,
      version: this.#version,
      criticalPath: this.#texts.criticalPath,
      moments: this.#moments,
      words: this.#words,
      ways: around && {
        look: (step, link) => this.#look(step, link),
        show: (view, link) => this.#leave(link, () => around.show(view)),
      },
      slowly: (step, link) => this.#slowly(step, link),
      turn: (name) => this.#turn(name),
      run: (line) => this.#run(line),
      tell: (line) => this.#have(line),
    });
  }

  /**
   * Runs a box. The guide's first one is the command that all chapters are about; every other is run beside
   * what is told, and so is that one when it is told already.
   */
  #run(line: string): void {
    const { telling } = this.#on;
    const first = this.#texts.come(this.#first)?.find(({ type }) => type === "run");
    const { command } = telling;
    const begins = first?.type === "run" && first.line === line;
    if (!begins || (command && sentence(command) === line)) telling.pressed(line);
    this.#on.run(line);
  }

  #toggle(name: string): void {
    if (this.open === name) {
      this.open = "";
      this.following = false;
    } else this.read(name);
    this.#tell();
  }

  /** By the reader's hand another chapter is open, or none: whoever leads to one knows when it is drawn. */
  #tell(): void {
    void this.updateComplete.then(() => this.#on.around?.turned());
  }
}

define("tn-guide", GuideView);
