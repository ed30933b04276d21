import { isMap, isScalar, isSeq, type Document, type Node, type Pair } from "yaml";

/** A step of a field's path: a key, an index, or the item with these fields (`[name="web"]`). */
export type Step = string | number | Readonly<Record<string, string>>;

/**
 * Reads a field's path as the API's answers write it: `spec.containers[0].image`,
 * `.spec.template.spec.containers[name="nginx"].image`, `metadata.labels[app.kubernetes.io/name]`.
 */
export function parseField(field: string): Step[] {
  const steps: Step[] = [];
  let rest = field.replace(/^[.$]+/, "");
  while (rest !== "") {
    const bracket = /^\[("(?:[^"\\]|\\.)*"|[^\]]*)\]\.?/.exec(rest);
    if (bracket) {
      steps.push(inBrackets(bracket[1] ?? ""));
      rest = rest.slice(bracket[0].length);
      continue;
    }
    const key = /^[^.[]+\.?/.exec(rest)?.[0];
    if (key === undefined) break;
    steps.push(key.replace(/\.$/, ""));
    rest = rest.slice(key.length);
  }
  return steps;
}

function inBrackets(text: string): Step {
  if (/^\d+$/.test(text)) return Number(text);
  const pairs = [...text.matchAll(/([\w-]+)=("(?:[^"\\]|\\.)*"|[^,]+)/g)];
  if (pairs.length > 0)
    return Object.fromEntries(pairs.map(([, k, v]) => [k ?? "", unquote(v ?? "")]));
  return unquote(text);
}

function unquote(text: string): string {
  return text.replace(/^"|"$/g, "");
}

/** A part of a text, as offsets. */
export interface Range {
  from: number;
  to: number;
}

/**
 * Where in a document a field stands: its key, or, when the document has no such field, the key
 * of the nearest one around it, or the document's first key.
 */
export function locate(document: Document, steps: readonly Step[]): Range | undefined {
  let node = document.contents;
  let found = firstKey(node);
  for (const step of steps) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isScalar(item.key) && String(item.key.value) === step,
      ) as Pair<Node, Node | null> | undefined;
      if (!pair) break;
      found = rangeOf(pair.key) ?? found;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = (
        typeof step === "number"
          ? node.items[step]
          : node.items.find((candidate) => typeof step === "object" && has(candidate as Node, step))
      ) as Node | undefined;
      if (!item) break;
      found = firstKey(item) ?? rangeOf(item) ?? found;
      node = item;
    } else break;
  }
  // A value that is one word says more than its key.
  if (isScalar(node) && steps.length > 0 && found) {
    const value = rangeOf(node);
    if (value && value.to > value.from) return { from: found.from, to: value.to };
  }
  return found;
}

function has(node: Node, fields: Readonly<Record<string, string>>): boolean {
  return (
    isMap(node) && Object.entries(fields).every(([key, value]) => String(node.get(key)) === value)
  );
}

function firstKey(node: Node | null | undefined): Range | undefined {
  if (isMap(node)) return rangeOf(node.items[0]?.key as Node | undefined);
  return node ? rangeOf(node) : undefined;
}

function rangeOf(node: Node | undefined): Range | undefined {
  return node?.range ? { from: node.range[0], to: node.range[1] } : undefined;
}
