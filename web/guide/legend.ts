import { html, nothing } from "lit";

/** What the texts follow from chapter to chapter. */
export const FOLLOWED = { kind: "apiserver.request", like: "created-deployments" } as const;

/**
 * What is said above a text: that it does not follow the command that is told (`other`), whose figures stand in it, and
 * which of them are of a command before that (`dashed`). Nothing, if neither is so.
 */
export function drawLegend(other: boolean, dashed: boolean) {
  if (!other && !dashed) return nothing;
  const line = html`<span class="claim" data-earlier>dashed line</span>`;
  if (!other)
    return html`<p class="aside legend">What has a ${line} is of a command before this one.</p>`;
  return html`<p class="aside legend">
    The text follows a Deployment that is made. What is lit in it is of the command
    above${dashed ? html`; what has a ${line}, of one before that` : nothing}.
  </p>`;
}
