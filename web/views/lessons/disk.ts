import { html, LitElement, nothing } from "lit";
import { reason } from "../../rpc/reason.ts";
import type { DiskLesson } from "../../lesson/disk/disk.ts";
import { lessonsOfDrop, lessonsOfFile, lessonsOfFolder } from "../../lesson/disk/opened.ts";
import { seen } from "../../share/seen.ts";
import type { Disposable } from "../../state/disposable.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { deviceStyle } from "./style.ts";

/** Lessons that are listed of one folder or archive. */
const LISTED = 50;

/** Opens a lesson of the reader's own disk: a folder, a zip archive, or a lesson.md. */
export class DiskView extends LitElement {
  static override properties = {
    lessons: { state: true },
    problem: { state: true },
    busy: { state: true },
    over: { type: Boolean, reflect: true },
  };
  static override styles = [base, deviceStyle];
  /** What was opened has several; the reader says which. */
  declare lessons: readonly DiskLesson[];
  declare problem: string;
  declare busy: boolean;
  /** Something that could be dropped is held over the view. */
  declare over: boolean;
  readonly #opens: (lesson: DiskLesson) => void;
  /** Counts what was chosen: only the last counts. */
  #chosen = 0;

  constructor(opens: (lesson: DiskLesson) => void) {
    super();
    this.#opens = opens;
    this.lessons = [];
    this.problem = "";
    this.busy = false;
    this.over = false;
  }

  /** Takes what is dropped on an element; a browser would go away to it. `drops` is called before. */
  dropsOn(element: HTMLElement, drops: () => void): Disposable {
    const listening = new AbortController();
    const { signal } = listening;
    const hears = (type: "dragover" | "dragleave" | "drop", act: (on: DataTransfer) => void) => {
      const hear = (event: DragEvent) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        this.over = type === "dragover";
        act(event.dataTransfer);
      };
      element.addEventListener(type, hear, { signal });
    };
    hears("dragover", (on) => (on.dropEffect = "copy"));
    hears("dragleave", () => undefined);
    hears("drop", (on) => {
      // Before anything is waited for: what was dropped is gone then.
      const lessons = lessonsOfDrop(on);
      drops();
      void this.#take(lessons);
    });
    return { dispose: () => listening.abort() };
  }

  override render() {
    const { lessons, problem, busy } = this;
    return html`<h3>One from this device</h3>
      <p>
        A folder or a zip archive with a <code>lesson.md</code>, or with a scenario in Killercoda's
        form. This page reads it and sends it nowhere. What it is and runs by itself is shown before
        anything of it runs.
      </p>
      <div class="row">
        <button @click=${() => this.#choose("folder")}>Choose a folder</button>
        <button @click=${() => this.#choose("file")}>Choose a zip</button>
        <span class="dim drop">or drop it here</span>
      </div>
      <input id="folder" type="file" webkitdirectory hidden @change=${this.#folder} />
      <input id="file" type="file" accept=".zip,.md" hidden @change=${this.#file} />
      ${busy ? html`<p role="status">Looking into it …</p>` : nothing}
      ${problem ? html`<p class="failed" role="alert">${seen(problem)}</p>` : nothing}
      ${lessons.length > 0 ? this.#list(lessons) : nothing}`;
  }

  /** What was dropped on the top of the view is answered at its end. */
  protected override updated(changed: Map<string, unknown>): void {
    if (
      !(changed.has("lessons") && this.lessons.length > 0) &&
      !(changed.has("problem") && this.problem)
    )
      return;
    this.renderRoot.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  #list(lessons: readonly DiskLesson[]) {
    const more = lessons.length - LISTED;
    return html`<p role="status">It has ${lessons.length} lessons. Which one?</p>
      <ul>
        ${lessons.slice(0, LISTED).map(
          (lesson) =>
            html`<li>
              <button @click=${() => this.#opens(lesson)}>${seen(lesson.name)}</button>
            </li>`,
        )}
      </ul>
      ${more > 0 ? html`<p class="dim">And ${more} more: choose the folder of one.</p>` : nothing}`;
  }

  #choose(what: "folder" | "file"): void {
    this.renderRoot.querySelector<HTMLInputElement>(`#${what}`)?.click();
  }

  readonly #folder = (event: Event) =>
    this.#of(event, (files) => Promise.resolve().then(() => lessonsOfFolder(files)));

  readonly #file = (event: Event) =>
    this.#of(event, ([file]) => (file ? lessonsOfFile(file) : Promise.resolve([])));

  #of(event: Event, read: (files: readonly File[]) => Promise<DiskLesson[]>): void {
    const input = event.target as HTMLInputElement;
    const files = [...(input.files ?? [])];
    // The same may be chosen again, as it is by then.
    input.value = "";
    void this.#take(read(files));
  }

  async #take(read: Promise<DiskLesson[]>): Promise<void> {
    const chosen = ++this.#chosen;
    this.problem = "";
    this.lessons = [];
    this.busy = true;
    try {
      const lessons = await read;
      if (chosen !== this.#chosen) return;
      const [only] = lessons;
      if (lessons.length === 1 && only) this.#opens(only);
      else this.lessons = lessons;
    } catch (error) {
      if (chosen === this.#chosen) this.problem = reason(error);
    } finally {
      if (chosen === this.#chosen) this.busy = false;
    }
  }
}

define("tn-lesson-disk", DiskView);
