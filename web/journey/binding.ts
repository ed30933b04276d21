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
  readonly text: string;
}

/** The words, line by line, where they have room beside the line's way up to the nodes. */
export function wordsOf({
  riser,
  narrow,
  places,
}: Pick<Scene, "riser" | "narrow" | "places">): readonly Words[] {
  const { trunk } = layoutFor(narrow);
  if (!narrow)
    return [
      {
        x: riser - 6,
        y: trunk + 15,
        anchor: "end",
        text: "Binding: no connection",
      },
    ];
  const below: Words = { x: riser + 6, y: trunk + 9, anchor: "start", text: "no connection" };
  // The nodes that are not drawn are counted there.
  return places.has("more nodes") ? [below] : [{ ...below, y: trunk - 4, text: "Binding:" }, below];
}
