import { html, nothing } from "lit";
import type { Reader } from "./blocks.ts";
import { WORDS } from "./glossary.ts";

/** Behind the chapters: all words that they explain, if somebody reads there. */
export function drawWordsSection(toggle: () => void, reader: Reader | undefined) {
  const open = reader !== undefined;
  return html`<h3 data-name=${WORDS} ?data-open=${open}>
      <button
        aria-expanded=${open}
        aria-controls=${open ? `chapter-${WORDS}` : nothing}
        @click=${toggle}
      >
        <span class="mark" aria-hidden="true">${open ? "▾" : "▸"}</span>
        <span class="name">Words</span>
      </button>
    </h3>
    ${reader ? drawArticle(reader) : nothing}`;
}

function drawArticle(reader: Reader) {
  const { drawn } = reader.words;
  return html`<article id="chapter-${WORDS}" aria-label="Words" ?data-coming=${drawn === ""}>
    ${typeof drawn === "string" ? html`<p role="status">${drawn}</p>` : drawn.drawWords(reader)}
  </article>`;
}
