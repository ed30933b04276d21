/*
 * Names of objects in what kubectl has printed. They are strangers' words: what is found here may be a
 * name, and is one only if the cluster has such an object (web/kube/named.ts).
 */

/** Something that looks like a name, in a line of output. */
export interface Named {
  /** Where it stands in the line. */
  readonly from: number;
  readonly to: number;
  /** As kubectl takes it: "pod", "deploy", "deployments.apps". */
  readonly kind: string;
  readonly name: string;
  /** None if the line does not say. */
  readonly namespace?: string;
}

/** What is known beside the line itself. */
export interface Printed {
  /** The command that has printed it. */
  readonly line: string;
  /** What it has printed before. */
  readonly before: readonly string[];
}

/** The longest name that an object may have, and the longest line that is looked into. */
const LONGEST = 253;
const LONGEST_LINE = 2000;

/** "pod/x", "deployment.apps/nginx": as `-o name`, and as what kubectl says of what it has done. */
const SLASHED =
  /(?<![\w./:-])([a-z][a-z0-9]{0,62}(?:\.[a-z0-9][a-z0-9.-]{0,252})?)\/([a-z0-9](?:[a-z0-9.:-]{0,251}[a-z0-9])?)(?![\w/])/g;

export function namesIn(text: string, { line, before }: Printed): Named[] {
  if (text.length > LONGEST_LINE) return [];
  const get = gotten(line);
  const row = rowOf(text, before);
  const namespace = row?.namespace ?? get?.namespace;
  const within = namespace === undefined ? {} : { namespace };
  const found = [...text.matchAll(SLASHED)].map(
    ({ index, 0: all, 1: kind = "", 2: name = "" }) => ({
      from: index,
      to: index + all.length,
      kind,
      name,
      ...within,
    }),
  );
  if (found.length > 0 || !row || !get || get.kind === "") return found;
  const { name, at } = row;
  return [{ from: at, to: at + name.length, kind: get.kind, name, ...within }];
}

/** The name in a row of a table whose head is known. */
function rowOf(text: string, before: readonly string[]) {
  const head = before.findLast((line) => HEAD.test(line));
  if (head === undefined || HEAD.test(text)) return undefined;
  // Tables are told apart by an empty line.
  if (before.slice(before.lastIndexOf(head)).includes("")) return undefined;
  const [, first = "", gap = "", second = ""] = /^(\S+)(\s*)(\S*)/.exec(text) ?? [];
  const spaced = head.startsWith("NAMESPACE");
  const name = spaced ? second : first;
  if (name === "" || name.length > LONGEST) return undefined;
  return spaced
    ? { name, at: first.length + gap.length, namespace: first }
    : { name, at: 0, namespace: undefined };
}

const HEAD = /^(?:NAMESPACE\s+)?NAME(?:\s+[A-Z]|\s*$)/;

/** Flags of `kubectl get` whose value is a word of its own. */
const VALUED = new Set([
  "-n",
  "--namespace",
  "-l",
  "--selector",
  "-o",
  "--output",
  "--field-selector",
  "--sort-by",
  "--context",
  "--kubeconfig",
  "-L",
  "--label-columns",
]);

/** Of what kind, and in which namespace, the table of a command is; kind is empty for more than one. */
function gotten(line: string): { kind: string; namespace?: string } | undefined {
  // What goes through another program, or is put together by the shell, is not read.
  if (/[|;&<>$`\\'"]/.test(line)) return undefined;
  const [program = "", verb, ...words] = line.trim().split(/\s+/);
  if (!/^(?:k|kubectl)$/.test(program) || verb !== "get") return undefined;
  let kind: string | undefined;
  let namespace: string | undefined;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    const [flag = "", value] = word.split("=", 2);
    if (word.startsWith("-")) {
      const given = value ?? (VALUED.has(flag) ? words[++i] : undefined);
      if (flag === "-n" || flag === "--namespace") namespace = given;
    } else kind ??= word;
  }
  const one = kind !== undefined && kind !== "all" && !/[,/]/.test(kind) ? kind : "";
  return { kind: one, ...(namespace === undefined ? {} : { namespace }) };
}
