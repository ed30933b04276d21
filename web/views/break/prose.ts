import { html, type TemplateResult } from "lit";

/** A text in which what stands between backticks is code. */
export function prose(text: string): TemplateResult[] {
  return text
    .split("`")
    .map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
