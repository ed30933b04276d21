import { Document, isAlias, isNode, isScalar, isSeq, parseAllDocuments } from "yaml";
import { apiVersionOf, placeOf, type ApiPlace } from "../kube/apipath.ts";
import { byKind, type Resource } from "../kube/discovery.ts";
import type { Range } from "./locate.ts";

/** One document of a file. */
export interface ManifestDocument extends Range {
  yaml: Document;
  /** The document as it stands in the file, without the line that begins it. */
  text: string;
  /** What YAML itself finds wrong; offsets are the file's. */
  errors: (Range & { message: string })[];
  apiVersion: string;
  kind: string;
  name: string;
  generateName: string;
  namespace: string;
}

/**
 * The documents of a file that say something. Of a list (`kind: List`, as `kubectl get -o yaml`
 * prints it, or any other with items) each item is one.
 */
export function documentsOf(file: string): ManifestDocument[] {
  const parsed = parseAllDocuments(file, { keepSourceTokens: false, version: "1.1" });
  if (!Array.isArray(parsed)) return [];
  return (parsed as Document[])
    .filter((yaml) => saysSomething(yaml) || yaml.errors.length > 0)
    .flatMap((yaml) => {
      const [from, , to] = yaml.range ?? [0, 0, 0];
      const text = file.slice(from, to).replace(/^---[^\n]*\n/, "");
      return items(manifest(yaml, { from, to }, text), file);
    });
}

function manifest(yaml: Document, range: Range, text: string): ManifestDocument {
  const read = (...path: string[]) => {
    return yaml.errors.length > 0 ? "" : wordOf(yaml, yaml.getIn(path, true));
  };
  return {
    yaml,
    ...range,
    text,
    errors: yaml.errors.map(({ message, pos: [begin, end] }) => ({
      // The first line says what; the rest shows where, which the editor does itself.
      message: (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/, ""),
      from: begin,
      to: Math.max(end, begin + 1),
    })),
    apiVersion: read("apiVersion"),
    kind: read("kind"),
    name: read("metadata", "name"),
    generateName: read("metadata", "generateName"),
    namespace: read("metadata", "namespace"),
  };
}

/** What stands for a name: a text, a number, or what YAML takes for a date and kubectl does not. */
function wordOf(yaml: Document, node: unknown): string {
  const scalar = isAlias(node) ? node.resolve(yaml) : node;
  if (!isScalar(scalar)) return "";
  const { value, source } = scalar;
  if (value instanceof Date) return source ?? "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** What a list holds, lists in it opened as well; any other document as it is. Whatever has items is one to kubectl. */
function items(list: ManifestDocument, file: string): ManifestDocument[] {
  const held = list.errors.length === 0 ? list.yaml.get("items", true) : undefined;
  if (!isSeq(held)) return [list];
  return held.items.filter(isNode).flatMap((item) => {
    const [from, to] = item.range ?? [list.from, list.to];
    const yaml = new Document();
    yaml.contents = item;
    // Its first line stands behind a "- ": in its place the spaces that the other lines have.
    const column = from - (file.lastIndexOf("\n", from - 1) + 1);
    return items(manifest(yaml, { from, to }, " ".repeat(column) + file.slice(from, to)), file);
  });
}

/** False for what is empty or only comments. */
function saysSomething({ contents }: Document): boolean {
  return contents !== null && !(isScalar(contents) && contents.value === null);
}

/** Where in the API a manifest goes, or why nowhere, in kubectl's words. */
export type Target = { place: ApiPlace; resource: Resource } | { problem: string; field: string };

export function targetOf(
  { apiVersion, kind, name, generateName, namespace }: ManifestDocument,
  resources: readonly Resource[],
): Target {
  if (!apiVersion) return { field: "", problem: "apiVersion is not set" };
  if (!kind) return { field: "", problem: "kind is not set" };
  const resource = byKind(resources, apiVersion, kind);
  if (!resource) {
    const other = resources.find((r) => r.kind === kind);
    const hint = other ? ` The API serves it in ${apiVersionOf(other)}.` : "";
    const problem = `no matches for kind "${kind}" in version "${apiVersion}".${hint}`;
    return {
      field: resources.some((r) => apiVersionOf(r) === apiVersion) ? "kind" : "apiVersion",
      problem,
    };
  }
  if (!name) {
    const why = generateName
      ? "apply needs a name; generateName is for kubectl create"
      : "metadata.name is not set";
    return { field: "metadata.generateName", problem: why };
  }
  return { resource, place: placeOf(resource, namespace || "default", name) };
}
