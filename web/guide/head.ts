import { html, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "../trace/feed.ts";
import type { Telling } from "../trace/telling.ts";
import { commands, done, ENTERS, top } from "../trace/told.ts";
import { sentence } from "../trace/words.ts";
import { whole } from "../ui/whole.ts";

/** Which command is told, as the reader is told it. */
const RULE =
  "Guide and Journey tell the command that you typed or chose last, and of a line with several the first. The guide's boxes run beside it, and do not take its place.";

/** Characters of a command's line in the head: it may have a whole manifest in it. */
const LONGEST_LINE = 120;

/** What stands above the chapters. */
export interface Head {
  readonly trace: TraceFeed;
  readonly telling: Telling;
  /** The command that is told, with all that it caused. */
  readonly steps: readonly TraceStep[];
  /** The step that the page looks at. */
  readonly focused: TraceStep | undefined;
  /** What a screen reader says. */
  readonly said: string;
  /** Has another command told. */
  readonly choose: (command: number) => void;
  /** The same from its beginning, wherever the reader is. */
  readonly tell: (command: number) => void;
  /** Where who reads has stayed though another command is told: the way to its beginning. */
  readonly begin: (() => void) | undefined;
}

/** Which command is told, what it came to, and which others there are. */
export function drawHead(head: Head) {
  const [first] = head.steps;
  const { missed } = head.trace;
  return html`<p class="sr" role="status">${head.said}</p>
    <p class="of">
      ${
        first
          ? html`<b class="mono">${whole(sentence(first))}</b> ${head.steps.length}
              steps${done(head.steps)}`
          : html`Run the first command below: each chapter's dot lights up when it comes there.`
      }
      ${missed > 0 ? html`<br />${missed} older steps are not held any more.` : nothing}
      ${
        first && head.begin
          ? html`<span class="begin" role="status"
              >Another command is told now.
              <button class="quiet" @click=${head.begin}>To its beginning</button></span
            >`
          : nothing
      }
    </p>
    ${first ? drawOthers(head, first.id) : nothing}`;
}

/** The other commands that can be told in the place of this one. */
function drawOthers({ trace, telling, focused, choose, tell }: Head, told: number) {
  const all = commands(trace.steps);
  if (!all.some(({ id }) => id !== told)) return nothing;
  const looked = focused && trace.steps.get(top(trace.steps, focused.id));
  const looks = looked?.kind === "kubectl.command" && looked.id !== told;
  const { line } = telling;
  const at = line.findIndex(({ id }) => id === told);
  const next = looks ? undefined : line[at + 1];
  const did = looks ? looked : (next ?? telling.later);
  const other = did ?? lookedSince(trace, all.at(-1), told);
  return html`<div class="others">
    <label title=${RULE}
      >Told now
      <select @change=${(e: Event) => choose(Number((e.target as HTMLSelectElement).value))}>
        ${all.toReversed().map((one) => html`<option value=${one.id} .selected=${one.id === told}>${sentence(one).slice(0, LONGEST_LINE)}</option>`)}
      </select></label
    >
    ${
      other
        ? html`<p>
            <button class="button" @click=${() => tell(other.id)}>
              Tell instead: <span class="mono">${sentence(other).slice(0, LONGEST_LINE)}</span>
            </button>
            ${looks ? "The step shown is of it." : next ? `It ran next: ${at + 2} of ${line.length} in its line.` : did ? "It ran since then." : `It ${lookedFor(trace, other)}`}
          </p>`
        : nothing
    }
  </div>`;
}

/** The last command, if it came after the one that is told and has ended. It wrote nothing: else it had been found before. */
function lookedSince(trace: TraceFeed, last: TraceStep | undefined, told: number) {
  if (!last || last.id <= told) return undefined;
  return trace.tree(last.id).some(({ step }) => step.kind === "kubectl.exit") ? last : undefined;
}

/** What is said of a command that wrote nothing: it looked, or reached into a pod (kubectl exec). */
export function lookedFor(trace: Pick<TraceFeed, "tree">, { id }: TraceStep): string {
  return trace.tree(id).some(({ step }) => ENTERS.has(step.kind))
    ? "reached into a pod, and wrote nothing."
    : "only looked.";
}

/** The guide's own line: what it is, whether it goes where the steps go, and the way to put it away, if there is one. */
export function drawTop(following: boolean, toggle: () => void, close: (() => void) | undefined) {
  return html`<header>
    <h2>What happens when</h2>
    <button
      class="quiet"
      aria-pressed=${following}
      title="On: the chapter of the step that Journey or Trace shows opens by itself. Off: chapters stay as you open them. It is the same command either way."
      @click=${toggle}
    >
      ${following ? html`<span aria-hidden="true">✓ </span>` : nothing}Follow steps
    </button>
    ${
      close
        ? html`<button class="quiet close" aria-label="Close the guide" @click=${close}>×</button>`
        : nothing
    }
  </header>`;
}
