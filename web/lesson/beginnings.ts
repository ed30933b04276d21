import type { Tabernetes } from "../cluster/api.ts";
import type { Checkpoint, CheckpointDifference } from "../rpc/protocol.ts";
import { messageOf } from "../rpc/reason.ts";
import { cut, type Lesson } from "./lesson.ts";

/** A cluster that remembers moments of its own (ADR 51). */
export type Remembering = Pick<Tabernetes, "checkpoint" | "checkpoints" | "compare" | "restore">;

/** What there is to say of going back to where a step began: what it would change, or why it cannot be. */
export type Beginning = { readonly difference: CheckpointDifference } | { readonly gone: string };

/** What a cluster held when each step of a lesson began there. */
export class Beginnings {
  /** By the step's number; a text says why its beginning was not remembered. */
  readonly #taken = new Map<number, Checkpoint | string>();

  /** Whether the step has begun in this cluster. */
  has(at: number): boolean {
    return this.#taken.has(at);
  }

  /** Remembers what the cluster holds now. The step goes on if it cannot. */
  async take(cluster: Remembering, lesson: Lesson, at: number): Promise<void> {
    try {
      this.#taken.set(at, await cluster.checkpoint(nameOf(lesson, at), cut(lesson.title)));
    } catch (error) {
      this.#taken.set(at, messageOf(error));
    }
  }

  /** What going back to a step's beginning would change. */
  async look(cluster: Remembering, at: number): Promise<Beginning> {
    const found = await this.#find(cluster, at);
    return typeof found === "string"
      ? { gone: found }
      : { difference: await cluster.compare(found.id) };
  }

  /** Goes back to it, and says what that changed; undefined if it is not remembered, and nothing was touched. */
  async goBack(cluster: Remembering, at: number): Promise<CheckpointDifference | undefined> {
    const found = await this.#find(cluster, at);
    if (typeof found === "string") return undefined;
    const did = await cluster.restore(found.id);
    // What came later began in what is undone now.
    for (const later of [...this.#taken.keys()]) if (later > at) this.#taken.delete(later);
    return did;
  }

  clear(): void {
    this.#taken.clear();
  }

  /** The checkpoint, if it is held still, or why it is not. */
  async #find(cluster: Remembering, at: number): Promise<Checkpoint | string> {
    const taken = this.#taken.get(at);
    if (taken === undefined) return "This step has not begun in this cluster.";
    if (typeof taken === "string") return `How this step began was not remembered: ${taken}`;
    const held = await cluster.checkpoints();
    // A program that was started anew counts from 1 again.
    const there = held.some(({ id, time }) => id === taken.id && time === taken.time);
    return there
      ? taken
      : "How this step began is not remembered any more: of lessons' steps the latest 50 are, and fewer of large ones.";
  }
}

/** As people find it among the moments of their cluster. Titles are the lesson's: they are not let fill it. */
function nameOf({ title, steps }: Lesson, at: number): string {
  return `step ${at + 1} of “${cut(title)}”: ${cut(steps[at]?.title ?? "")}`;
}
