import { layoutFor, type Point } from "./layout.ts";
import type { Scene } from "./scene.ts";

/*
 * What stands at the line that a Binding draws to a node. It is no connection, as all other lines are: the node's name is
 * stored in the pod, and its kubelet hears of that as everybody does who watches.
 */

export const MEANS =
  "The scheduler's choice, which is stored in the pod. Nothing goes along this line: the kubelet hears of it from the watch cache";

export interface Words extends Point {
  readonly anchor: "start" | "end";
  /** How big they are, in units of the viewBox. */
  readonly size: number;
}

export const WORDS = "Binding: only a name";

/** Where the words have room beside the line's way up to the nodes. */
export function wordsAt({
  riser,
  narrow,
  places,
}: Pick<Scene, "riser" | "narrow" | "places">): Words {
  const { trunk } = layoutFor(narrow);
  if (!narrow) return { x: riser - 6, y: trunk + 15, anchor: "end", size: 14 };
  // The nodes that are not drawn are counted above the line there.
  const y = places.has("more nodes") ? trunk + 9 : trunk - 5;
  return { x: riser + 5, y, anchor: "start", size: 11.5 };
}
