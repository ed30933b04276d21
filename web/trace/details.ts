/** Reads what somebody else has written, without believing its shape. */
export class Details {
  readonly #of: Readonly<Record<string, unknown>>;

  constructor(of: unknown) {
    this.#of = typeof of === "object" && of !== null ? (of as Record<string, unknown>) : {};
  }

  has(key: string): boolean {
    return this.#of[key] !== undefined && this.#of[key] !== null;
  }

  text(key: string): string {
    const value = this.#of[key];
    return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
  }

  inner(key: string): Details {
    return new Details(this.#of[key]);
  }

  list(key: string): readonly unknown[] {
    const value = this.#of[key];
    return Array.isArray(value) ? value : [];
  }
}

/** A text, a number or a yes of a step's details; empty if there is none. */
export function textOf(details: unknown, key: string): string {
  return new Details(details).text(key);
}
