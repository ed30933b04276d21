import { forceLinting, lintGutter, linter, lintKeymap, type Diagnostic } from "@codemirror/lint";
import { EditorState, StateEffect, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { Catalog } from "../kube/catalog.ts";
import type { Fetch } from "../kube/reflector.ts";
import { messageOf } from "../rpc/reason.ts";
import { assist } from "./assist.ts";
import { Checker, type Outcome } from "./check.ts";
import { Schemas } from "./schemas.ts";
import { setup } from "./setup.ts";
import type { Way } from "./submit.ts";

export interface ManifestOptions {
  label: string;
  /** How its documents are handed in. */
  way: Way;
  /** Called with what the server says to a dry run, some time after each change. */
  checked(outcomes: readonly Outcome[]): void;
  /** Called at each change of the text. */
  changed?(text: string): void;
  /** Ctrl-Enter. */
  apply(): void;
  /** Ctrl-S. */
  save?(): void;
}

/** That the same text is to be checked again: what the server has may have changed. */
const again = StateEffect.define();

/** Milliseconds of rest after which the server is asked. */
const REST = 500;

/** An editor for manifests: completion and hover from OpenAPI, diagnostics from a dry run. */
export class ManifestEditor {
  readonly view: EditorView;
  readonly checker: Checker;
  readonly #extensions: Extension;
  readonly #schemas: Schemas;
  #stop = new AbortController();

  constructor(
    parent: HTMLElement,
    cluster: { fetch: Fetch; catalog: Catalog },
    options: ManifestOptions,
  ) {
    this.checker = new Checker(cluster.fetch, cluster.catalog);
    const schemas = new Schemas(cluster.fetch, cluster.catalog);
    this.#schemas = schemas;
    this.#extensions = [
      keymap.of([
        { key: "Mod-Enter", run: () => (options.apply(), true) },
        { key: "Mod-s", preventDefault: true, run: () => (options.save?.(), true) },
        ...lintKeymap,
      ]),
      setup({ language: "yaml", readOnly: false, label: options.label }),
      assist(schemas, cluster.catalog),
      linter((view) => this.#lint(view, options), {
        delay: REST,
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((effect) => effect.is(again))),
      }),
      lintGutter(),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) options.changed?.(update.state.doc.toString());
      }),
    ];
    const root = parent.getRootNode();
    this.view = new EditorView({
      state: this.stateOf(""),
      parent,
      ...(root instanceof ShadowRoot ? { root } : {}),
    });
  }

  /** A state of its own for a file: with its own history of changes. */
  stateOf(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.#extensions });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Asks the server now. */
  check(): void {
    this.view.dispatch({ effects: again.of(null) });
    forceLinting(this.view);
  }

  /** Puts the cursor at an offset, in sight. */
  goTo(offset: number): void {
    this.view.dispatch({
      selection: { anchor: Math.min(offset, this.view.state.doc.length) },
      scrollIntoView: true,
    });
    this.view.focus();
  }

  dispose(): void {
    this.#stop.abort();
    this.view.destroy();
  }

  async #lint(view: EditorView, options: ManifestOptions): Promise<Diagnostic[]> {
    this.#stop.abort();
    const stop = new AbortController();
    this.#stop = stop;
    const text = view.state.doc.toString();
    try {
      const outcomes = await this.checker.run(text, options.way, {
        dryRun: true,
        signal: stop.signal,
      });
      if (stop.signal.aborted) return [];
      options.checked(outcomes);
      // So that completion and hover answer at once: the first document of a group takes a second.
      for (const { document } of outcomes) {
        const { apiVersion, kind } = document;
        if (apiVersion && kind) void this.#schemas.of(apiVersion, kind).catch(() => undefined);
      }
      return outcomes.flatMap(({ findings }) =>
        findings.map(({ from, to, message, severity }) => ({ from, to, message, severity })),
      );
    } catch (error) {
      if (stop.signal.aborted) return [];
      const message = messageOf(error);
      return [{ from: 0, to: Math.min(1, text.length), severity: "warning", message }];
    }
  }
}
