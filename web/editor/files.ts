/** A text that is open in the editor. */
export interface OpenFile {
  id: number;
  name: string;
  text: string;
  /** The text as it was opened or last saved. */
  saved: string;
}

export interface Files {
  open: readonly OpenFile[];
  /** The id of the one that is shown. */
  shown: number;
}

export type FilesAction =
  | { type: "open"; name: string; text: string }
  | { type: "show"; id: number }
  | { type: "edit"; id: number; text: string }
  | { type: "saved"; id: number; name?: string }
  | { type: "close"; id: number };

const UNTITLED = "untitled.yaml";

/** One empty file: the editor is never without one. */
export const NO_FILES: Files = { open: [{ id: 1, name: UNTITLED, text: "", saved: "" }], shown: 1 };

export function reduceFiles(state: Files, action: FilesAction): Files {
  const change = (id: number, to: Partial<OpenFile>): Files => ({
    ...state,
    open: state.open.map((file) => (file.id === id ? { ...file, ...to } : file)),
  });
  switch (action.type) {
    case "open": {
      const { text } = action;
      const id = Math.max(0, ...state.open.map((file) => file.id)) + 1;
      const name = freeName(action.name || UNTITLED, state.open);
      const opened = { id, name, text, saved: text };
      // An empty file that nobody has named gives way.
      const kept = state.open.filter(
        (file) => file.text !== "" || !file.name.startsWith("untitled"),
      );
      return { open: [...kept, opened], shown: id };
    }
    case "show":
      return state.open.some((file) => file.id === action.id)
        ? { ...state, shown: action.id }
        : state;
    case "edit":
      return change(action.id, { text: action.text });
    case "saved": {
      const file = state.open.find((f) => f.id === action.id);
      return file
        ? change(action.id, { saved: file.text, ...(action.name ? { name: action.name } : {}) })
        : state;
    }
    case "close": {
      const at = state.open.findIndex((file) => file.id === action.id);
      const open = state.open.filter((file) => file.id !== action.id);
      if (open.length === 0) return NO_FILES;
      const next = open[Math.min(Math.max(0, at), open.length - 1)];
      return { open, shown: state.shown === action.id && next ? next.id : state.shown };
    }
  }
}

export function shownFile({ open, shown }: Files): OpenFile {
  const file = open.find(({ id }) => id === shown) ?? open[0];
  if (!file) throw new Error("the editor has no file");
  return file;
}

/** "web.yaml", or "web-2.yaml" when there is one of that name. */
function freeName(name: string, open: readonly OpenFile[]): string {
  const taken = new Set(open.map((file) => file.name));
  const [, stem = name, end = ""] = /^(.*?)(\.[^.]*)?$/.exec(name) ?? [];
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${stem}-${n}${end}`;
    if (!taken.has(tried)) return tried;
  }
}
