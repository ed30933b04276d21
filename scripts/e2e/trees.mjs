/*
 * Trees of the trace, and the table of what they have to hold, which core/cluster's tests share
 * (trace_test.go says what a line of it means).
 */
import { readFileSync } from "node:fs";

export const TREES = "core/cluster/testdata/trees.json";

export const readTrees = () => JSON.parse(readFileSync(TREES, "utf8"));

const started = (a, b) => a.at - b.at || a.id - b.id;

function childrenOf(steps) {
  const children = new Map();
  for (const step of steps) {
    if (!step.cause || step.cause >= step.id) continue;
    if (!children.has(step.cause)) children.set(step.cause, []);
    children.get(step.cause).push(step);
  }
  for (const list of children.values()) list.sort(started);
  return children;
}

/** What a step is about, as core/trace's Tree.String has it. */
function about({ kind, object = {}, node, took, inferred }) {
  const { resource, subresource, namespace, name } = object;
  let text = kind;
  if (resource) {
    const whole = subresource ? `${resource}/${subresource}` : resource;
    text += ` ${whole} ${[namespace, name].filter((part) => part !== undefined).join("/")}`;
  }
  if (node) text += ` on ${node}`;
  if (took) text += ` ${took.toFixed(2)} ms`;
  return inferred ? `${text} (inferred)` : text;
}

/** A step and all that it caused, a line each. */
export function draw(steps, root) {
  const children = childrenOf(steps);
  let text = "";
  const walk = (step, depth) => {
    text += `${"  ".repeat(depth)}${about(step)}\n`;
    for (const child of children.get(step.id) ?? []) walk(child, depth + 1);
  };
  walk(root, 0);
  return text;
}

/** What the tree of root lacks of what a row of the table expects, or has too much; "" if nothing. */
export function missing(row, steps, root) {
  const children = childrenOf(steps);
  const below = (step) => [step, ...(children.get(step.id) ?? []).flatMap(below)];
  const path = [[root]];
  for (const line of row.steps) {
    const [, indent, count, kind, text = ""] = /^( *)(?:(\d+) x )?(\S+)(?: (.*))?$/.exec(line);
    const depth = indent.length / 2;
    const above = path[depth];
    const candidates =
      depth === 0 ? below(root) : above.flatMap((step) => below(step).filter((s) => s !== step));
    const found = candidates.filter(
      (step) =>
        step.kind === kind && (about(step).includes(text) || JSON.stringify(step).includes(text)),
    );
    if (found.length < Number(count ?? 1)) return `"${line}" was found ${found.length} times`;
    path.length = depth + 1;
    path.push(found);
  }
  const extra = below(root).find((step) => row.absent.includes(step.kind));
  return extra ? `there is ${extra.kind}` : "";
}
