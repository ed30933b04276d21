/** Notices that a later command is told than before: who follows begins at its first chapter, who does not is offered that. */
export class Begins {
  /** The reader has stayed where they were, though another command is told. */
  another = false;
  /** The latest command that was told. */
  #last: number | undefined;
  /** One that the reader has chosen here: there is no need to say that it is told. */
  #chosen: number | undefined;

  /** Which command is told now; true if the reader is to be led to its beginning. */
  tells(command: number | undefined, following: boolean): boolean {
    const before = this.#last;
    if (command === undefined || (before !== undefined && command <= before)) return false;
    this.#last = command;
    this.another = !following && before !== undefined && command !== this.#chosen;
    return following;
  }

  choose(command: number): void {
    this.#chosen = command;
    this.another = false;
  }

  /** The reader has gone on by their own hand, or was led. */
  read(): void {
    this.another = false;
  }
}
