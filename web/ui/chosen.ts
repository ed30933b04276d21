import { html } from "lit";

/** Before the name of what was chosen among others: a glyph for who sees, a word for who hears. */
export const chosenMark = html`<span role="img" aria-label="chosen:">▸</span> `;
