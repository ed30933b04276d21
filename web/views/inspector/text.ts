import { foldEffect, foldedRanges, unfoldEffect } from "@codemirror/language";
import { openSearchPanel } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { changeTo, setup, type TextOptions } from "../../editor/setup.ts";
import type { Span } from "../../editor/managed.ts";

/** A text on the page, in CodeMirror: read, searched, folded, wrapped, and edited where it may be. */
export class TextPane {
  readonly view: EditorView;
  readonly #wrapping = new Compartment();

  constructor(parent: ParentNode & Node, options: TextOptions, more: Extension = []) {
    const root = parent.getRootNode();
    this.view = new EditorView({
      state: EditorState.create({
        doc: "",
        extensions: [
          more,
          setup({ ...options, wrap: false }),
          this.#wrapping.of(options.wrap ? EditorView.lineWrapping : []),
        ],
      }),
      parent: parent as Element,
      ...(root instanceof ShadowRoot ? { root } : {}),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    changeTo(this.view, text);
  }

  set wrap(on: boolean) {
    this.view.dispatch({ effects: this.#wrapping.reconfigure(on ? EditorView.lineWrapping : []) });
  }

  /** Folds parts of the text, again where one is folded already: what stands for it is made anew. */
  fold(spans: readonly Span[]): void {
    const effects = spans.flatMap((span) => {
      const before: Span[] = [];
      foldedRanges(this.view.state).between(span.from, span.to, (from, to) => {
        before.push({ from, to });
      });
      return [...before.map((range) => unfoldEffect.of(range)), foldEffect.of(span)];
    });
    if (effects.length > 0) this.view.dispatch({ effects });
  }

  /** Adds to the end; drops lines at the beginning when there are more than `most`. */
  append(text: string, most: number): void {
    const { doc } = this.view.state;
    const tooMany = doc.lines - most;
    this.view.dispatch({
      changes: [
        ...(tooMany > 0 ? [{ from: 0, to: doc.line(tooMany + 1).from }] : []),
        { from: doc.length, insert: text },
      ],
    });
  }

  scrollToEnd(): void {
    this.view.dispatch({ effects: EditorView.scrollIntoView(this.view.state.doc.length) });
  }

  /** True when the end of the text is in sight. */
  get atEnd(): boolean {
    const { scrollTop, clientHeight, scrollHeight } = this.view.scrollDOM;
    return scrollTop + clientHeight > scrollHeight - 24;
  }

  find(): void {
    openSearchPanel(this.view);
  }

  dispose(): void {
    this.view.destroy();
  }
}
