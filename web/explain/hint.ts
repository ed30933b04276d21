import type { ApiPlace } from "../kube/apipath.ts";
import { findNamed } from "../kube/named.ts";
import { getObject } from "../kube/request.ts";
import type { Resource } from "../kube/discovery.ts";
import type { Fetch } from "../kube/reflector.ts";
import type { Event, KubeObject, Row } from "../kube/types.ts";
import { namesIn, type Named } from "../term/names.ts";
import { explain } from "./explain.ts";
import type { Around, Explanation } from "./types.ts";
import { told } from "./words.ts";

/** What is known of a cluster, as a session has it. */
export interface HintNeeds {
  readonly catalog: { use(): Promise<readonly Resource[]> };
  readonly fetch: Fetch;
  readonly pods: Rows<KubeObject>;
  readonly nodes: Rows<KubeObject>;
  readonly events: Rows<Event>;
}

interface Rows<T extends KubeObject> {
  readonly state: { readonly rows: ReadonlyMap<string, Row<T>> };
}

/** Lines of an output that are looked through, and names of them that the API is asked for. */
const LINES = 200;
const ASKED = 8;

/**
 * Whether a line prints a table of `kubectl get`, and nothing but that: not as YAML, not without an
 * end, not through another program.
 */
export function printsTable(line: string): boolean {
  if (/[|;&<>$`\\'"(){}\n]/.test(line)) return false;
  const [program = "", verb, ...words] = line.trim().split(/\s+/);
  if (!/^k(?:ubectl)?$/.test(program) || verb !== "get") return false;
  return !words.some((word, i) => {
    if (/^(?:-w|--watch(?:-only)?|--no-headers|--template|--raw|--help|-h)(?:=|$)/.test(word))
      return true;
    const output = /^(?:-o|--output)=?(.*)$/.exec(word)?.[1];
    return output !== undefined && (output || words[i + 1]) !== "wide";
  });
}

/**
 * A sentence on the first thing that fails in a table that `kubectl get` has printed, and on a line of
 * its own the command that looks further; "" if nothing does.
 */
export async function hintFor(
  line: string,
  output: readonly string[],
  on: HintNeeds,
): Promise<string> {
  if (!printsTable(line)) return "";
  const shown = output.slice(0, LINES);
  const names = shown.flatMap((text, i) => namesIn(text, { line, before: shown.slice(0, i) }));
  if (names.length === 0) return "";
  const resources = await on.catalog.use();
  const around: Around = {
    now: Date.now(),
    events: objects(on.events),
    pods: objects(on.pods),
  };
  const later = new Map<Explanation["state"], string>();
  let asked = 0;
  for (const named of names) {
    const stored = await known(named, resources, on);
    if (!stored && asked++ >= ASKED) continue;
    const object = stored ?? (await read(named, resources, on));
    const why = object && explain(object, around);
    if (!why) continue;
    const hint = textOf(named, why);
    if (why.state === "failing") return hint;
    if (!later.has(why.state)) later.set(why.state, hint);
  }
  for (const state of AFTER) {
    const hint = later.get(state);
    if (hint) return hint;
  }
  return "";
}

/**
 * What is told where nothing fails, the first before the others. A stand-in is Running to kubectl, and
 * may be a name that was misspelt. A cordon somebody wanted.
 */
const AFTER = ["unready", "pending", "terminating", "standin"] as const;

function textOf({ kind, name }: Named, why: Explanation): string {
  return `${told(`${kind}/${name}`, 120)}: ${why.sentence}\n${why.line}`;
}

function objects<T extends KubeObject>({ state }: Rows<T>): T[] {
  return [...state.rows.values()].map(({ object }) => object);
}

const NONE = () => Promise.resolve(new Response("", { status: 404 }));

/** A pod or a node, which the page knows anyway. */
async function known(named: Named, resources: readonly Resource[], on: HintNeeds) {
  const pods = on.pods.state.rows.values();
  const nodes = on.nodes.state.rows.values();
  const place = await findNamed(named, { resources, pods, nodes, fetch: NONE });
  if (!place) return undefined;
  const { rows } = (place.resource === "pods" ? on.pods : on.nodes).state;
  return [...rows.values()].find(({ object }) => isAt(object, place))?.object;
}

function isAt({ metadata }: KubeObject, { name, namespace }: ApiPlace): boolean {
  return metadata.name === name && metadata.namespace === namespace;
}

/** Anything else, which the API is asked for. */
async function read(named: Named, resources: readonly Resource[], on: HintNeeds) {
  const place = await findNamed(named, { resources, pods: [], nodes: [], fetch: on.fetch });
  return place && getObject(on.fetch, place);
}
