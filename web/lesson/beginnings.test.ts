import { expect, test } from "vitest";
import type { Checkpoint, CheckpointDifference } from "../rpc/protocol.ts";
import { Beginnings, type Remembering } from "./beginnings.ts";
import type { Lesson } from "./lesson.ts";

/** A cluster that remembers `most` moments. */
function remembering(most = 40) {
  const held: Checkpoint[] = [];
  const restored: number[] = [];
  const nothing: CheckpointDifference = { comesBack: 0, changes: 0, goes: 0, objects: [] };
  let last = 0;
  const cluster: Remembering = {
    checkpoint: (why = "", of = "") => {
      const id = ++last;
      const taken = { id, why, of, time: `${id}`, asked: true, revision: id, objects: 1, bytes: 1 };
      held.push(taken);
      if (held.length > most) held.shift();
      return Promise.resolve(taken);
    },
    checkpoints: () => Promise.resolve([...held]),
    compare: (id) => Promise.resolve({ ...nothing, goes: id }),
    restore: (id) => {
      restored.push(id);
      return Promise.resolve({ ...nothing, goes: id });
    },
  };
  return { cluster, held, restored };
}

const lesson: Lesson = {
  title: "T".repeat(200),
  intro: [],
  steps: ["One", "Two", "Three"].map((title) => ({ title, blocks: [] })),
  images: [],
  links: [],
};

test("a step goes back to its own beginning, and the later ones have none then", async () => {
  const { cluster, held, restored } = remembering();
  const beginnings = new Beginnings();
  for (const at of [0, 1, 2]) await beginnings.take(cluster, lesson, at);
  // They are the lesson's, and have room of their own.
  expect(held.map(({ of }) => of)).toEqual(Array(3).fill(`${"T".repeat(80)}…`));
  expect(held.map(({ why }) => why)[1]).toBe(`step 2 of “${"T".repeat(80)}…”: Two`);
  expect(await beginnings.look(cluster, 1)).toMatchObject({ difference: { goes: 2 } });
  expect(restored).toEqual([]);
  expect(await beginnings.goBack(cluster, 1)).toMatchObject({ goes: 2 });
  expect(restored).toEqual([2]);
  expect([0, 1, 2].map((at) => beginnings.has(at))).toEqual([true, true, false]);
});

test("what is not remembered is said, and nothing is touched", async () => {
  const { cluster, held, restored } = remembering(2);
  const beginnings = new Beginnings();
  expect(await beginnings.look(cluster, 0)).toEqual({
    gone: "This step has not begun in this cluster.",
  });
  await beginnings.take(cluster, lesson, 0);
  for (const why of ["a", "b"]) await cluster.checkpoint(why);
  const gone = { gone: expect.stringContaining("not remembered any more") as string };
  expect(await beginnings.look(cluster, 0)).toEqual(gone);
  expect(await beginnings.goBack(cluster, 0)).toBeUndefined();
  // A moment of another run of the program, which counts from 1 again.
  held.splice(0, 2, { ...(await cluster.checkpoint("c")), id: 1, time: "another" });
  expect(await beginnings.look(cluster, 0)).toEqual(gone);
  expect(await beginnings.goBack(cluster, 0)).toBeUndefined();
  expect(restored).toEqual([]);
});

test("a cluster that cannot remember lets the step go on", async () => {
  const { cluster } = remembering();
  const beginnings = new Beginnings();
  const broken = { ...cluster, checkpoint: () => Promise.reject(new Error("no room")) };
  await beginnings.take(broken, lesson, 0);
  expect(beginnings.has(0)).toBe(true);
  expect(await beginnings.look(cluster, 0)).toEqual({
    gone: "How this step began was not remembered: no room",
  });
});
