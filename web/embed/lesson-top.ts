import { html, nothing, type TemplateResult } from "lit";
import { partsOf, type Lesson, type Part, type Problem } from "../lesson/lesson.ts";
import type { Progress } from "../lesson/progress.ts";
import { drawCode } from "./lesson-parts.ts";

/** Draws what a lesson is, and that it has mistakes if it has. */
export function drawAbout(lesson: Lesson, problems: readonly Problem[]): TemplateResult {
  const [first] = problems;
  return html`<h2>${lesson.title}</h2>
    ${lesson.description === undefined ? nothing : html`<p>${lesson.description}</p>`}
    <p class="about">${about(lesson)}</p>
    ${
      first === undefined
        ? nothing
        : html`<p class="failed">
            ${`This lesson has mistakes, and not all of it is here. The first is in ${first.file ?? "lesson.md"}${first.line ? `, line ${first.line}` : ""}: ${first.what}.`}
          </p>`
    }`;
}

/** Draws the steps, the way to each of them. */
export function drawSteps(
  { title: lesson, steps }: Lesson,
  at: number,
  done: ReadonlySet<number>,
  go: (to: number) => void,
): TemplateResult {
  const said = (title: string, i: number) => `${i + 1}. ${title}${done.has(i) ? ", done" : ""}`;
  return html`<nav aria-label=${`Steps of ${lesson}`}>
    <ol>
      ${steps.map(
        ({ title }, i) =>
          html`<li>
            <button
              aria-current=${i === at ? "step" : nothing}
              aria-label=${said(title, i)}
              title=${title}
              @click=${() => go(i)}
            >
              ${i + 1}${done.has(i) ? " ✓" : ""}
            </button>
          </li>`,
      )}
    </ol>
  </nav>`;
}

/** Draws what a link says of somebody's progress, or why it cannot be read; nothing is taken unasked. */
export function drawOffer(
  offer: Progress | string | undefined,
  { steps }: Lesson,
  take: () => void,
  leave: () => void,
): TemplateResult | typeof nothing {
  if (offer === undefined) return nothing;
  if (typeof offer === "string") return html`<p class="failed" role="alert">${offer}</p>`;
  return html`<div class="part task">
    <p>
      The link that was opened is at step ${offer.at + 1}, ${steps[offer.at]?.title}, with
      ${offer.done.size} of ${steps.length} steps done.
    </p>
    <div class="row">
      <button @click=${take}>Go on from there</button>
      <button @click=${leave}>Leave it</button>
    </div>
  </div>`;
}

/** A manifest of the lesson's folder, by its name. */
export type Manifest = readonly [name: string, text: string];

/** Draws what a lesson runs and does not show where it runs, for who wants to know it before. */
export function drawUnseen(
  { intro, steps }: Lesson,
  manifests: readonly Manifest[],
  open = false,
): TemplateResult | typeof nothing {
  const unseen = [
    ...manifests.map(([name, text]) => ({ when: `Applied first: ${name}`, text })),
    ...[{ title: "", blocks: intro }, ...steps].flatMap(({ title, blocks }) =>
      partsOf(blocks)
        // A check that has a title does not show its lines.
        .filter(
          ({ hidden, kind, title: called, text }) =>
            hidden ?? (kind === "check" && called !== undefined && text !== ""),
        )
        .map(({ kind, reset, text }) => ({ when: whenOf(kind, reset ?? false, title), text })),
    ),
  ];
  if (unseen.length === 0) return nothing;
  return html`<details class="part" ?open=${open}>
    <summary>What this lesson runs without showing it, in its cluster</summary>
    ${unseen.map(
      ({ when, text }) =>
        html`<p class="about">${when}</p>
          ${drawCode(text, when)}`,
    )}
  </details>`;
}

function whenOf(kind: Part["kind"], reset: boolean, step: string): string {
  if (step === "") return "Before the first step";
  if (kind === "check") return `When you have the step “${step}” checked`;
  return `${reset ? "To start again the step" : "Before the step"} “${step}”`;
}

function about({ minutes, steps }: Lesson): string {
  const count = `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
  return minutes === undefined ? count : `${minutes} minutes, ${count}`;
}
