import { html, nothing, type LitElement } from "lit";
import type { Onward } from "../guide/onward.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import type { Telling } from "../trace/telling.ts";
import { sentence, took } from "../trace/words.ts";
import type { Undrawn } from "./moving.ts";
import { drawNext, type Next } from "./next.ts";
import type { Play } from "./play.ts";

/** What the bar above a command that is shown slowly has. */
export interface Slow {
  readonly play: Play;
  readonly step: TraceStep;
  /** What is said of it. */
  readonly said: string;
  readonly at: number;
  readonly last: number;
  /** How many steps the command has until now, told or not. */
  readonly steps: number;
  /** When the command began. */
  readonly begun: number;
  readonly every: boolean;
  /** The chapter's title where it is; empty for none. */
  readonly title: string;
  /** Where the step itself is: a controller goes on while a node begins (whereabouts.ts). */
  readonly own: string;
  /** Whether its text is not in sight: there is a way to it. */
  readonly hidden: boolean;
  /** What was typed since: another command, which can be told in the place of this one. */
  readonly later: TraceStep | undefined;
  /** What there is to do at the end. */
  readonly next: Next;
  tell(later: TraceStep): void;
  go(to: number): void;
  read(): void;
  showEvery(): void;
}

/** How many steps a command has until now, and how many of them are told slowly: that one counts those. */
export function counted(steps: number, told: number): string {
  const all = `${steps} ${steps === 1 ? "step" : "steps"} so far`;
  return told < steps ? `${all}, ${told} of them told slowly` : all;
}

/**
 * Those of them that are told slowly, as it happens. All of them are counted by the guide beside it, which is
 * drawn at other times: two numbers of the same would not agree.
 */
export function toldSoFar(told: number): string {
  return `${told} ${told === 1 ? "step" : "steps"} to tell slowly so far`;
}

/** The button that plays, pauses and goes on: its word, and what it does. */
export function player(
  play: Pick<Play, "playing" | "waits" | "pause" | "begin" | "goOn">,
  ended: boolean,
): Pick<Onward, "word" | "press"> {
  if (play.playing) return { word: "Pause", press: () => play.pause() };
  if (ended) return { word: "Again", press: () => play.begin() };
  return { word: play.waits === "" ? "Play" : "Go on", press: () => play.goOn() };
}

/** Puts the button that goes on into whose hand it is: enter goes on from there, and the arrow keys do. */
export async function toPlay(view: LitElement): Promise<void> {
  await view.updateComplete;
  view.renderRoot.querySelector<HTMLElement>(".play")?.focus({ preventScroll: true });
}

/**
 * The same for a guide that stands alone, with what is said of the step, or why it waits. `steps` lead to the one before
 * and the next.
 */
export function onward(
  play: Parameters<typeof player>[0],
  said: string,
  title = "",
  ended: boolean,
  steps: Pick<Onward, "back" | "on">,
): Onward {
  const { playing, waits } = play;
  // Who goes step by step reads what each is; what it waits for is said where it waits.
  const tells = playing || (waits === "" && !ended);
  return {
    said: (tells ? "" : where(play, title, "", ended)) || said,
    playing,
    ...player(play, ended),
    ...steps,
  };
}

/** Whether two say the same and lead the same ways: nothing is to be drawn anew. */
export function isSame(a: Onward | undefined, b: Onward | undefined): boolean {
  return a?.said === b?.said && a?.word === b?.word && !a?.back === !b?.back && !a?.on === !b?.on;
}

/** What a switch has that is on; its place is there when it is off as well. */
const TICK = html`<span class="tick" aria-hidden="true">✓ </span>`;

/** As it happens: how much there is to tell, and what did not move. */
export function liveControls(
  steps: number,
  told: number,
  missed: Undrawn,
  look: (step: TraceStep) => void,
) {
  return html`<span class="at" title=${counted(steps, told)}>${toldSoFar(told)}</span
    >${drawUndrawn(missed, look)}`;
}

/** Back, play, on, where it is, and what it waits for. */
export function slowControls({ play, step, said, at, last, steps, begun, every, ...on }: Slow) {
  const ended = at >= last && !play.playing;
  const { word, press } = player(play, at >= last);
  return html`<button
      class="quiet"
      aria-label="One step back"
      ?disabled=${at <= 0}
      @click=${() => on.go(at - 1)}
    >
      ◂
    </button>
    <button
      class="play ${play.waits !== "" ? "button primary" : ended ? "button" : "quiet"}"
      @click=${press}
    >
      ${word}
    </button>
    <button
      class="quiet"
      aria-label="One step on"
      ?disabled=${at >= last}
      @click=${() => on.go(at + 1)}
    >
      ▸
    </button>
    <button
      class="quiet"
      aria-pressed=${every}
      title="Those as well that only looked, and what was done for each pod alike"
      @click=${() => on.showEvery()}
    >
      ${TICK}Every step
    </button>
    <input
      type="range"
      aria-label="Step of the command"
      min="0"
      max=${last}
      aria-valuetext="${at + 1} of ${last + 1}: ${step.component}, ${said}"
      .value=${String(at)}
      @input=${(e: Event) => on.go(Number((e.target as HTMLInputElement).value))}
    />
    <span class="at" title=${counted(steps, last + 1)}
      >${at + 1} of ${last + 1} · +${took(step.at - begun)}</span
    >
    <div class="where" ?data-ended=${ended}>
      <span role="status">${where(play, on.title, on.own, at >= last)}</span>
      ${on.hidden && on.title !== "" && !ended ? html`<button class="quiet" @click=${() => on.read()}>Read it</button>` : nothing}
      ${on.later ? drawLater(on.later, at >= last, (later) => on.tell(later)) : ended ? drawNext(on.next) : nothing}
      <button
        class="quiet end"
        aria-pressed=${!play.stops}
        title="Does not wait where a chapter of the guide begins"
        @click=${() => play.setStops(!play.stops)}
      >
        ${TICK}Without stops
      </button>
    </div>`;
}

/** Characters of a later command that have room. */
const LATER = 40;

/** A command's line, as far as it has room. */
export function shortly(command: TraceStep): string {
  const line = sentence(command);
  return line.length > LATER ? `${line.slice(0, LATER - 1)}…` : line;
}

/** What was typed since, and has it told: at the end of a story that is what comes next. */
function drawLater(later: TraceStep, ended: boolean, tell: (later: TraceStep) => void) {
  return html`<button
    class="tell button ${ended ? "primary" : ""}"
    title="Ran since then: ${sentence(later)}"
    @click=${() => tell(later)}
  >
    Tell instead: <span class="mono">${shortly(later)}</span>
  </button>`;
}

/** What was typed since a command, whoever is told beside it; undefined if that was nothing. */
export function since(
  told: TraceStep | undefined,
  { later, command }: Pick<Telling, "later" | "command">,
): TraceStep | undefined {
  // Who was chosen to be told slowly, and has not been gone on with, may be followed elsewhere by what came since.
  return told && [later, command].find((one) => one && one.id > told.id);
}

/** Where it is, in the guide's words, of a step `own`, and what it waits for. */
export function where(
  { waits, playing }: Pick<Play, "waits" | "playing">,
  title: string,
  own: string,
  ended: boolean,
): string {
  const now = title === "" ? "" : `Now: ${title}.`;
  if (waits === "chapter") return `${now} Read, then go on.`;
  if (waits === "reader") return `${now} It waits while you read.`;
  if (ended && !playing) return "This was the last step.";
  return now === "" ? "" : own || now;
}

/** What is said of those that did not move; empty if all did. */
export function undrawn({ requests, events, others }: Omit<Undrawn, "first">): string {
  const of = (n: number, one: string) => (n === 0 ? [] : [`${n} ${one}${n === 1 ? "" : "s"}`]);
  const known = [...of(requests, "request"), ...of(events, "watch event")];
  const all = [...known, ...of(others, known.length > 0 ? "other" : "step")];
  return all.length === 0 ? "" : `Not drawn: ${all.join(", ")}`;
}

/** The same as the way to them. */
function drawUndrawn(of: Undrawn, look: (step: TraceStep) => void) {
  const { first } = of;
  if (!first) return nothing;
  return html`<button
    class="quiet undrawn"
    title="Nothing is missing: more happened at once than one could follow. The trace has all of them, and this leads to the first one"
    @click=${() => look(first)}
  >
    ${undrawn(of)}
  </button>`;
}
