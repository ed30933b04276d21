/*
 * What kubectl reads in a file is compared with what a reader was shown of it. Two programs read a text, and
 * whoever made it may have written one that they do not read alike: a line that ends at U+2028 for one of them
 * only, a merged key, a list in a kind that is none. So the second one is asked, before it applies.
 */
import type { Tabernetes } from "../cluster/api.ts";
import { sh } from "../kube/shell-line.ts";
import type { Held } from "./content.ts";
import { ShareError } from "./pack.ts";
import { seen } from "./seen.ts";

const FIELDS = ["apiVersion", "kind", "namespace", "name"] as const;

/** A line for each object: what names it, each part as in an address and so without spaces. */
const NAMES = [".apiVersion", ".kind", ".metadata.namespace", ".metadata.name"]
  .map((field) => `{{with ${field}}}{{urlquery .}}{{end}}`)
  .join(" ");
const FORMAT = `go-template=${NAMES}{{"\\n"}}`;

/** Throws ShareError where kubectl reads other objects in a file of the terminal's home than were shown. */
export async function agree(
  file: string,
  shown: readonly Held[],
  api: Pick<Tabernetes, "shell">,
): Promise<void> {
  // It asks no server: what is printed are the objects as it would apply them, in that order.
  const { code, stdout, stderr } = await api.shell(
    sh`kubectl annotate --local --overwrite -o ${FORMAT} -f ~/${file} ${"tabernetes.internal/read=yes"}`,
    { session: "open" },
  );
  if (code !== 0) {
    throw new ShareError(
      `It is nothing that kubectl can read: ${seen(stderr.trim().slice(0, 1000))}`,
    );
  }
  const read = stdout.split("\n").slice(0, -1).map(heldOf);
  for (let i = 0; i < Math.max(read.length, shown.length); i++) {
    const [is, was] = [read[i], shown[i]];
    if (is && was && FIELDS.every((field) => is[field] === was[field])) continue;
    throw new ShareError(
      `It was not applied: kubectl reads ${nameOf(is)} where ${nameOf(was)} is shown. It is written so that two programs do not read it alike; ask whoever made it for plain YAML.`,
    );
  }
}

function heldOf(line: string): Held {
  const [apiVersion = "", kind = "", namespace = "", name = ""] = line
    .split(" ")
    .map((part) => decodeURIComponent(part.replaceAll("+", " ")));
  return { apiVersion, kind, namespace, name };
}

function nameOf(held: Held | undefined): string {
  if (!held) return "nothing";
  const { apiVersion, kind, namespace, name } = held;
  const place = namespace === "" ? name : `${namespace}/${name}`;
  return seen(`${kind} ${place} (${apiVersion})`).slice(0, 300);
}
