import {
  forEachDiagnostic,
  lintGutter,
  lintKeymap,
  setDiagnostics,
  type Diagnostic,
} from "@codemirror/lint";
import { EditorView, keymap } from "@codemirror/view";
import { fields } from "../../configuration/fields.ts";
import { assist } from "../../editor/assist.ts";
import { placesIn } from "../../editor/places.ts";
import { changeTo, setup } from "../../editor/setup.ts";
import { syntaxErrors } from "../../editor/syntax.ts";

/** How long nothing is typed before what stands there is looked at, in milliseconds. */
const PAUSE = 400;
/** Whose a mark is that was made while somebody typed; it goes with the next look. */
const TYPED = "syntax";

/** The text of one file, which a person changes. */
export interface FileText {
  /** Shows another text, leaving in place what is the same. */
  show(text: string): void;
  /** Marks the places of what upstream says of the text, in place of what it said before. */
  mark(problems: readonly string[]): void;
  dispose(): void;
}

/** Puts an editor of a file into `parent`. */
export function openFile(
  parent: HTMLElement,
  name: string,
  text: string,
  changed: (text: string) => void,
): FileText {
  const root = parent.getRootNode();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isYaml = /\.(ya?ml|kubeconfig)$/.test(name);
  const view = new EditorView({
    doc: text,
    extensions: [
      setup({
        language: isYaml ? "yaml" : "plain",
        readOnly: false,
        label: `Text of ${name}`,
      }),
      isYaml ? assist(fields) : [],
      keymap.of(lintKeymap),
      lintGutter(),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        changed(update.state.doc.toString());
        soon();
      }),
    ],
    parent,
    ...(root instanceof ShadowRoot ? { root } : {}),
  });
  /** Marks where the text is no YAML, beside what upstream has said of it. */
  function look(): void {
    const said: Diagnostic[] = [];
    forEachDiagnostic(view.state, (mark, from, to) => {
      if (mark.source !== TYPED) said.push({ ...mark, from, to });
    });
    const { doc } = view.state;
    const row = (at: number) => doc.lineAt(Math.min(at, doc.length)).number;
    const rows = new Set(said.map(({ from }) => row(from)));
    const found = syntaxErrors(doc.toString())
      .filter(({ from }) => !rows.has(row(from)))
      .map((place): Diagnostic => ({ ...place, severity: "error", source: TYPED }));
    view.dispatch(setDiagnostics(view.state, [...said, ...found]));
  }
  function soon(): void {
    clearTimeout(timer);
    if (isYaml) timer = setTimeout(look, PAUSE);
  }
  soon();
  return {
    show: (next) => changeTo(view, next),
    mark: (problems) => {
      soon(); // what follows replaces all marks
      const of = view.state.doc.toString();
      const places = problems.flatMap((problem) => placesIn(of, problem));
      view.dispatch(
        setDiagnostics(
          view.state,
          places.map((place) => ({ ...place, severity: "error" })),
        ),
      );
      const first = Math.min(...places.map(({ from }) => from));
      if (places.length > 0) view.dispatch({ effects: EditorView.scrollIntoView(first) });
    },
    dispose: () => {
      clearTimeout(timer);
      view.destroy();
    },
  };
}
