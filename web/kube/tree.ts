import { byName } from "./order.ts";
import { apiVersionOf } from "./apipath.ts";
import type { Resource } from "./discovery.ts";
import type { KubeObject, ObjectMeta } from "./types.ts";

/** An object in the tree of owners, with what it owns. */
export interface OwnerNode {
  resource: Resource;
  metadata: ObjectMeta;
  children: OwnerNode[];
  /** True for what the one above leads to without owning it: the pods of an EndpointSlice. */
  led?: boolean;
}

/** Every node of a tree, from the top down. */
export function nodesOf(tree: OwnerNode): OwnerNode[] {
  return [tree, ...tree.children.flatMap(nodesOf)];
}

/** Every object of a list, without its spec and status. */
export interface Listed {
  resource: Resource;
  objects: readonly KubeObject[];
}

/**
 * The tree that `uid` is part of: from the topmost owner down to everything owned. Owners are
 * found by metadata.ownerReferences alone, whatever the kinds. Undefined when `uid` is nowhere.
 */
export function ownerTree(listed: readonly Listed[], uid: string): OwnerNode | undefined {
  const nodes = new Map<string, OwnerNode>();
  for (const { resource, objects } of listed) {
    for (const { metadata } of objects) {
      // The same object can be listed under two groups (events): the first one counts.
      if (!nodes.has(metadata.uid)) nodes.set(metadata.uid, { resource, metadata, children: [] });
    }
  }
  const owners = new Map<string, string>();
  for (const [child, node] of nodes) {
    const references = node.metadata.ownerReferences ?? [];
    const owner = references.find((r) => r.controller) ?? references[0];
    if (!owner?.uid || !nodes.has(owner.uid)) continue;
    owners.set(child, owner.uid);
    nodes.get(owner.uid)?.children.push(node);
  }
  let top = uid;
  const seen = new Set([top]);
  for (let up = owners.get(top); up !== undefined && !seen.has(up); up = owners.get(up)) {
    seen.add(up);
    top = up;
  }
  for (const { children } of nodes.values()) children.sort(byKindAndName);
  return nodes.get(top);
}

function byKindAndName(a: OwnerNode, b: OwnerNode): number {
  const key = ({ resource, metadata }: OwnerNode) =>
    `${resource.kind} ${apiVersionOf(resource)} ${metadata.name}`;
  return byName(key(a), key(b));
}
