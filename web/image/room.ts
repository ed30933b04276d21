/* Where a program's memory is copied to while it rests. */

/** How much is touched in one go, in bytes. */
const PART = 4 << 20;

/** For how long room that nobody has used is held, in milliseconds. */
const HELD_MS = 10_000;

/**
 * Memory that was never touched is given by the system page by page, which takes several times as long as copying. So
 * room is touched before, part by part, and nobody waits for long.
 */
export class Room {
  #into: Uint8Array<ArrayBuffer> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Makes room for a copy. Others run between its parts, and what is copied now is of no use but to be touched. */
  async make(memory: ArrayBufferLike, turn: () => Promise<void> = nextTurn): Promise<void> {
    clearTimeout(this.#timer);
    const size = memory.byteLength;
    if (this.#into?.byteLength !== size) {
      this.#into = undefined;
      const into = new Uint8Array(size);
      for (let at = 0; at < size; at += PART) {
        // One that has grown meanwhile has another buffer, and this one is empty.
        if (memory.byteLength !== size) return;
        const part = new Uint8Array(memory, at, Math.min(PART, size - at));
        into.set(part, at);
        await turn();
      }
      this.#into = into;
    }
    this.#timer = setTimeout(() => (this.#into = undefined), HELD_MS);
  }

  /** Copies, in one go. Without room of the right size the copy makes it. */
  copy(memory: ArrayBufferLike): ArrayBuffer {
    const into = this.#into;
    this.#into = undefined;
    clearTimeout(this.#timer);
    if (into?.byteLength !== memory.byteLength) return memory.slice(0) as ArrayBuffer;
    into.set(new Uint8Array(memory));
    return into.buffer;
  }
}

const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve));
