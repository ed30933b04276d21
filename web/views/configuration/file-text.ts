import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorView, keymap } from "@codemirror/view";
import { fields } from "../../configuration/fields.ts";
import { assist } from "../../editor/assist.ts";
import { placesIn } from "../../editor/places.ts";
import { changeTo, setup } from "../../editor/setup.ts";

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
        if (update.docChanged) changed(update.state.doc.toString());
      }),
    ],
    parent,
    ...(root instanceof ShadowRoot ? { root } : {}),
  });
  return {
    show: (next) => changeTo(view, next),
    mark: (problems) => {
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
    dispose: () => view.destroy(),
  };
}
