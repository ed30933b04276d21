import { html, nothing, type ReactiveController, type ReactiveControllerHost } from "lit";
import { drawTerm, Words } from "../guide/word.ts";
import { explained } from "./explained.ts";

/** Has words of the trade in what is said of a step be pressed, for what they mean: the guide's notes. */
export class Explains implements ReactiveController {
  readonly #words: Words;

  constructor(host: ReactiveControllerHost) {
    this.#words = new Words(() => host.requestUpdate());
    host.addController(this);
  }

  hostUpdated(): void {
    this.#words.placed();
  }

  /** A sentence with its words. */
  draw(sentence: string) {
    const reader = { words: this.#words, link: () => nothing };
    return html`${explained(sentence).map((part) =>
      typeof part === "string" ? part : drawTerm(part.name, part.said, reader),
    )}`;
  }
}
