import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

/*
 * CodeMirror as this page has it. Colour means state here, so the syntax is told apart by weight
 * and slant alone; everything else comes from the page's custom properties.
 */

const theme = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--text)",
    backgroundColor: "transparent",
    fontSize: "var(--size-s)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--text-2)",
    border: "none",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--hover)" },
  "&.cm-focused .cm-activeLineGutter": { backgroundColor: "var(--hover)", color: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--accent-soft)" },
  ".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" },
  ".cm-searchMatch": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-foldPlaceholder": {
    margin: "0 1ch",
    padding: "0 6px",
    border: "1px solid var(--line)",
    borderRadius: "3px",
    backgroundColor: "var(--hover)",
    color: "var(--text-2)",
  },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--text)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "6px 28px 6px 8px", fontSize: "var(--size-s)" },
  ".cm-textfield": {
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    fontFamily: "var(--mono)",
    fontSize: "var(--size-s)",
  },
  ".cm-button": {
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
    backgroundColor: "var(--raised)",
    backgroundImage: "none",
    color: "var(--text)",
    fontSize: "var(--size-s)",
  },
  ".cm-tooltip": {
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    fontSize: "var(--size-s)",
  },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px", lineHeight: "1.5" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--text)",
  },
  ".cm-completionDetail": { color: "var(--text-2)", fontStyle: "normal" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": {
    padding: "8px 12px",
    maxWidth: "44ch",
    fontFamily: "var(--sans)",
    whiteSpace: "pre-line",
  },
  ".cm-diagnostic": { padding: "4px 8px", whiteSpace: "pre-line" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--failing)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--pending)" },
  ".cm-diagnosticAction": {
    backgroundColor: "var(--hover)",
    color: "var(--text)",
    border: "1px solid var(--line-strong)",
  },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--failing)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--pending)",
    textUnderlineOffset: "3px",
  },
  ".cm-changedLine": { backgroundColor: "var(--hover)" },
  ".cm-deletedChunk": { backgroundColor: "var(--hover)", color: "var(--text-2)" },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], fontWeight: "600" },
  { tag: [tags.comment, tags.lineComment], fontStyle: "italic", color: "var(--text-2)" },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: "var(--text-2)" },
]);

/** A person's text, or a text that is only read. */
export interface TextOptions {
  language: "yaml" | "plain";
  readOnly: boolean;
  /** What a screen reader calls it. */
  label: string;
  wrap?: boolean;
}

/** What every text on the page has in common. */
export function setup({ language, readOnly, label, wrap = false }: TextOptions): Extension {
  return [
    theme,
    syntaxHighlighting(highlight),
    language === "yaml" ? [yaml(), foldGutter(), codeFolding()] : [],
    readOnly
      ? [EditorState.readOnly.of(true)]
      : [history(), indentOnInput(), highlightActiveLine(), highlightActiveLineGutter()],
    lineNumbers(),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    search({ top: true }),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    wrap ? EditorView.lineWrapping : [],
    EditorView.contentAttributes.of({
      "aria-label": label,
      tabindex: "0", // as it is anyway; said, so that tools that check the page can see it
      ...(readOnly ? { "aria-readonly": "true" } : {}),
    }),
    keymap.of([
      ...searchKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...foldKeymap,
      // Esc, then Tab leaves: CodeMirror's own way out for who has only a keyboard.
      ...(readOnly ? [] : [indentWithTab]),
    ]),
  ];
}

/** Replaces a text by another, leaving in place what is the same, with folds and scroll position. */
export function changeTo(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old === text) return;
  let from = 0;
  const shorter = Math.min(old.length, text.length);
  while (from < shorter && old[from] === text[from]) from++;
  let end = 0;
  while (end < shorter - from && old[old.length - 1 - end] === text[text.length - 1 - end]) {
    end++;
  }
  view.dispatch({
    changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) },
  });
}
