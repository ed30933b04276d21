import { html, nothing, type TemplateResult } from "lit";

/*
 * What the marks in a chapter's text mean: one line at its beginning with each as it looks, which says more when it is
 * opened. The looks are those of link-style.ts and word-style.ts.
 */

interface Mark {
  readonly look: TemplateResult;
  readonly means: string;
  /** It is in the line that is always there. */
  readonly first?: true;
}

/** What there is; `leads`: beside other views, so that a claim leads to its step. */
function marks(leads: boolean): readonly Mark[] {
  const opens = leads ? " Leads to that step in Trace." : "";
  return [
    { look: html`<i class="claim">claim</i>`, means: "No command has done this yet." },
    {
      look: html`<i class="claim" data-seen>seen</i>`,
      means: `The command above did this; in brackets what was seen of it, and how long it took.${opens}`,
      first: true,
    },
    {
      look: html`<i class="claim" data-seen data-earlier>seen</i>`,
      means: "The same of another command.",
    },
    {
      look: html`<i class="claim now" data-seen>seen</i>`,
      means: "The step that is told now.",
    },
    ...(leads
      ? [
          {
            look: html`<i class="moment">▷</i>`,
            means: "The same step in Journey, slowly.",
            first: true as const,
          },
        ]
      : []),
    {
      look: html`<i class="term">word</i>`,
      means: "A word, with a note of what it means.",
      first: true,
    },
    {
      look: html`<i class="link">page</i>`,
      means: leads ? "Another chapter or view of this page." : "Another chapter of this page.",
      first: true,
    },
    {
      look: html`<i class="link out">source</i>`,
      means: "That line of Kubernetes' source, on GitHub.",
      first: true,
    },
  ];
}

/** `open` and `toggled` keep it as the reader has it from chapter to chapter. */
export function drawMarks(leads: boolean, open: boolean, toggled: (open: boolean) => void) {
  const all = marks(leads);
  return html`<details
    class="marks"
    ?open=${open}
    @toggle=${(event: Event) => toggled((event.currentTarget as HTMLDetailsElement).open)}
  >
    <summary>
      <span class="sr">What the marks in the text mean</span>
      <span aria-hidden="true"
        >Marks: ${all.map(({ first, look }) => (first ? look : nothing))}</span
      >
    </summary>
    <dl>
      ${all.map(
        ({ look, means }) =>
          html`<dt>${look}</dt>
            <dd>${means}</dd>`,
      )}
    </dl>
  </details>`;
}
