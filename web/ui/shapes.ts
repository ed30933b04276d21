/** A path in a square of 16: filled, stroked, or in the colour of the ground. */
export interface Mark {
  d: string;
  /** Width of the stroke; filled when left out. */
  stroke?: number;
  dash?: readonly number[];
  /** In the colour of the ground, on top of what is below. */
  hole?: boolean;
}

const OUTLINE =
  "M4.25 2.75h7.5a1.5 1.5 0 0 1 1.5 1.5v7.5a1.5 1.5 0 0 1-1.5 1.5h-7.5a1.5 1.5 0 0 1-1.5-1.5v-7.5a1.5 1.5 0 0 1 1.5-1.5z";

/** What is told apart by shape, and by the colour of the same name in web/style/tokens.css. */
export type Shape =
  | "running"
  | "standin"
  | "unready"
  | "pending"
  | "failing"
  | "terminating"
  | "succeeded"
  | "unknown";

/*
 * One shape for each state, told apart without colour: filled square, hollow diamond,
 * half-filled square, dashed ring, triangle, crossed square, tick, question mark.
 */
export const SHAPES: Record<Shape, readonly Mark[]> = {
  running: [{ d: "M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2z" }],
  standin: [{ d: "M8 1.9 14.1 8 8 14.1 1.9 8z", stroke: 1.75 }],
  unready: [{ d: OUTLINE, stroke: 1.5 }, { d: "M3 13V8h10v5z" }],
  pending: [{ d: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 1 1 0-11z", stroke: 1.75, dash: [3, 1.9] }],
  failing: [{ d: "M8 1.5 15 14H1z" }, { d: "M8 6v4M8 11.4v1.2", stroke: 1.5, hole: true }],
  terminating: [
    { d: OUTLINE, stroke: 1.5 },
    { d: "m5.5 5.5 5 5m0-5-5 5", stroke: 1.5 },
  ],
  succeeded: [{ d: "m2.5 8.5 3.5 3.5 7.5-8", stroke: 2 }],
  unknown: [
    { d: OUTLINE, stroke: 1.5, dash: [2, 1.5] },
    { d: "M6.2 6.4c0-2.4 3.6-2.3 3.6 0 0 1.4-1.8 1.5-1.8 3M8 10.8v1.3", stroke: 1.4 },
  ],
};
