/** A step of a table, in the form of core/cluster/testdata/kubectl.yaml. */
export interface Step {
  readonly run: string;
  /** The exit code that it must have; 0 if left out, "any" if none matters. */
  readonly code?: number | "any";
  readonly stdout?: string;
  /** Expressions that stdout must match, line by line; and must not; and that stderr must. */
  readonly match?: readonly string[];
  readonly absent?: readonly string[];
  readonly stderr?: readonly string[];
  readonly eventually?: boolean;
}

/** Something to break; web/breakage/scenarios.yaml says what the fields mean. */
export interface Scenario {
  readonly name: string;
  readonly group: string;
  readonly title: string;
  readonly see: string;
  readonly why: string;
  readonly how: string;
  readonly unplug?: boolean;
  readonly disk?: number;
  readonly break: readonly string[];
  readonly mend: readonly string[];
  readonly clean?: readonly string[];
}

/** Something that is wrong, to be found; web/breakage/riddles.yaml says what the fields mean. */
export interface Riddle {
  readonly name: string;
  readonly title: string;
  readonly story: string;
  readonly break: readonly string[];
  readonly hints: readonly string[];
  readonly answer: string;
  readonly solution: readonly string[];
  readonly solved: readonly Step[];
}

const tables = import.meta.glob<readonly (Scenario | Riddle)[]>("./*.yaml", {
  eager: true,
  import: "default",
});

/** Everything that can be broken, in the order in which it is offered. */
export const SCENARIOS = (tables["./scenarios.yaml"] ?? []) as readonly Scenario[];

export const RIDDLES = (tables["./riddles.yaml"] ?? []) as readonly Riddle[];
