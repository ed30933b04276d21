/** Notices that a later command is told than before: who reads stays where they are, and is offered its beginning. */
export class Begins {
  /** The reader has stayed where they were, though another command is told. */
  another = false;
  /** The latest command that was told. */
  #last: number | undefined;
  /** One that the reader has chosen here: there is no need to say that it is told. */
  #chosen: number | undefined;

  /** Which command is told now. */
  tells(command: number | undefined): void {
    const before = this.#last;
    if (command === undefined || (before !== undefined && command <= before)) return;
    this.#last = command;
    this.another = before !== undefined && command !== this.#chosen;
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
