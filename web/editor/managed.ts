import type { EditorState, Text } from "@codemirror/state";

/** A part of a document, as offsets into it. */
export interface Span {
  from: number;
  to: number;
}

/** The entries of metadata.managedFields in the server's YAML, each without its first line. */
export function managedEntries(doc: Text): Span[] {
  const spans: Span[] = [];
  let inside = false;
  let open: Span | undefined;
  for (let n = 1; n <= doc.lines; n++) {
    const line = doc.line(n);
    if (line.text === "  managedFields:") {
      inside = true;
      continue;
    }
    if (!inside) continue;
    if (line.text.startsWith("  - ")) {
      if (open) spans.push(open);
      open = { from: line.to, to: line.to };
    } else if (/^ {4}/.test(line.text) && open) open.to = line.to;
    else break;
  }
  if (open) spans.push(open);
  return spans.filter(({ from, to }) => to > from);
}

/** Who owns the fields of an entry: "kubectl-create, Update, 12:04:31", for the fold's own text. */
export function managedBy(state: EditorState, { from, to }: Span): string | undefined {
  const text = state.sliceDoc(from, to);
  const value = (key: string) => new RegExp(`^ {4}${key}: "?([^"\\n]*)`, "m").exec(text)?.[1] ?? "";
  const manager = value("manager");
  if (!manager) return undefined;
  const at = Date.parse(value("time"));
  return [
    manager,
    value("operation"),
    value("subresource"),
    Number.isNaN(at) ? "" : new Date(at).toLocaleTimeString("en-GB"),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** The server's YAML without metadata.managedFields, which nobody edits by hand. */
export function withoutManagedFields(yaml: string): string {
  const lines = yaml.split("\n");
  const begin = lines.indexOf("  managedFields:");
  if (begin < 0) return yaml;
  let end = begin + 1;
  while (end < lines.length && /^ {2}(- | )/.test(lines[end] ?? "")) end++;
  return [...lines.slice(0, begin), ...lines.slice(end)].join("\n");
}
