import { html, nothing } from "lit";
import { ENDED, nextButton } from "./ended.ts";

/**
 * The story that the journey tells slowly, for who reads where there is no room for both: what it waits for or says, and
 * the button that plays it.
 */
export interface Onward {
  readonly said: string;
  /** "Go on", or what the button does else. */
  readonly word: string;
  readonly playing: boolean;
  readonly press: () => void;
  /** To the step before and the next one; undefined where there is none. */
  readonly back: (() => void) | undefined;
  readonly on: (() => void) | undefined;
}

/**
 * Its line below the chapters; `follow` has the guide go where the story goes, `next` leads to what comes next, once it
 * has ended.
 */
export function drawOnward(
  onward: Onward | undefined,
  follow: () => void,
  next: (() => void) | undefined,
) {
  if (!onward) return nothing;
  const { said, word, playing, press } = onward;
  const step = (words: string, icon: string, act: (() => void) | undefined) =>
    html`<button
      class="quiet step"
      aria-label=${words}
      ?disabled=${!act}
      @click=${() => {
        follow();
        act?.();
      }}
    >
      ${icon}
    </button>`;
  return html`<div class="onward" role="group" aria-label="The story, slowly">
    <span role=${playing ? nothing : "status"}>${next ? ENDED : said}</span>
    ${next ? nextButton(next) : nothing} ${step("One step back", "◂", onward.back)}
    <button
      class="button ${playing || next ? "" : "primary"}"
      @click=${() => {
        // Whoever goes on here wants to read on.
        if (!playing) follow();
        press();
      }}
    >
      ${word}
    </button>
    ${step("One step on", "▸", onward.on)}
  </div>`;
}
