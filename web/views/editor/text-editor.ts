import { EditorView } from "@codemirror/view";
import type { Catalog } from "../../kube/catalog.ts";
import type { Fetch } from "../../kube/reflector.ts";
import { assist } from "../../editor/assist.ts";
import { Schemas } from "../../editor/schemas.ts";
import { setup } from "../../editor/setup.ts";

/** A text that somebody edits, of whatever kind. */
export interface TextEditor {
  readonly text: string;
  focus(): void;
  dispose(): void;
}

/** Puts an editor into `parent`; manifests get completion and hover from the cluster. */
export function openText(
  parent: HTMLElement,
  cluster: { fetch: Fetch; catalog: Catalog },
  name: string,
  text: string,
): TextEditor {
  const isYaml = /\.ya?ml$/.test(name) || /^(#.*\n|\s*\n)*apiVersion:/.test(text);
  const root = parent.getRootNode();
  const view = new EditorView({
    doc: text,
    extensions: [
      setup({ language: isYaml ? "yaml" : "plain", readOnly: false, label: `Text of ${name}` }),
      isYaml ? assist(new Schemas(cluster.fetch, cluster.catalog), cluster.catalog) : [],
    ],
    parent,
    ...(root instanceof ShadowRoot ? { root } : {}),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    focus: () => view.focus(),
    dispose: () => view.destroy(),
  };
}
