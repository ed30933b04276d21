import { html, nothing } from "lit";
import { drawLine } from "../prose/draw.ts";
import type { Reader } from "./blocks.ts";
import type { Explaining } from "./word.ts";
import { glossary, WORDS, type Word } from "./glossary.ts";

let words: readonly Word[] = [];

/** The words have come. */
export async function loaded(): Promise<void> {
  words = await glossary();
}

/** What stands in a word's note, and the way to all of them. */
export function drawNote(name: string, reader: Explaining) {
  const word = words.find((one) => one.name === name);
  if (!word) return nothing;
  return html`<b id="word-${name}-term">${word.term}</b>
    <span>${meaning(word)}</span> ${reader.link(WORDS, "All words")}`;
}

/** All words by the alphabet, each with the chapters that speak of it. */
export function drawWords(reader: Reader) {
  return html`<dl class="words">
    ${words.map(
      (word) =>
        html`<dt>${word.term}</dt>
          <dd>
            ${meaning(word)}
            <span class="chapters"
              >In
              ${word.chapters.map((name, at) => html`${at === 0 ? nothing : ", "}${reader.link(name, reader.title(name) ?? name)}`)}</span
            >
          </dd>`,
    )}
  </dl>`;
}

function meaning({ of }: Word) {
  // It has no pieces but those that all documents have.
  return drawLine<never>(of, (piece) => piece);
}
