import type { Tabernetes } from "../cluster/api.ts";
import type { NodesParams, NodesResult } from "../rpc/protocol.ts";
import { passes } from "./judge.ts";
import { sh } from "../kube/shell-line.ts";
import { breakLines, cleanLines, mendLines, namespaceOf, needsNode } from "./lines.ts";
import type { Riddle, Scenario } from "./table.ts";

/** What things are broken with. */
export interface BreakerNeeds {
  readonly api: Pick<Tabernetes, "shell">;
  /** Types lines into the page's terminal and runs them. */
  type(lines: string): void;
  /** The in-tab nodes, and what unplugs one and plugs it in. */
  nodes(params: NodesParams): Promise<NodesResult>;
}

/** The shell of what is asked in silence. */
const SHELL = "breakage";

/** How often, and how long, it is asked whether what was typed has been done, in milliseconds. */
const EVERY = 500;
const WITHIN = 120_000;

/** Breaks, mends and cleans up. Each fails with a sentence for whoever pressed the button. */
export class Breaker {
  readonly #on: BreakerNeeds;
  /** The node that a scenario harms, as long as it is not cleaned up. */
  readonly #nodes = new Map<string, string>();

  constructor(on: BreakerNeeds) {
    this.#on = on;
  }

  nodeOf({ name }: Scenario): string | undefined {
    return this.#nodes.get(name);
  }

  /** Types what breaks it; then, where it has one unplugged, waits for its pods and unplugs their node. */
  async break(scenario: Scenario): Promise<void> {
    const node = needsNode(scenario) ? await this.#chosen(scenario) : "";
    const lines = breakLines(scenario, node);
    this.#type(lines);
    if (!scenario.unplug) return;
    await this.#done(lines.at(-1) ?? "");
    await this.#on.nodes({ action: "stop", name: node });
  }

  /** Plugs in what was unplugged, and types what mends it. */
  async mend(scenario: Scenario): Promise<void> {
    const node = await this.#plugIn(scenario);
    this.#type(mendLines(scenario, node));
  }

  /** Types what leaves nothing of it. */
  async clean(scenario: Scenario): Promise<void> {
    const node = await this.#plugIn(scenario);
    this.#type(cleanLines(scenario, node));
    this.#nodes.delete(scenario.name);
    if (scenario.disk && node !== "") await this.#on.nodes({ action: "remove", name: node });
  }

  /** All at once: lines that are typed ahead would stand in the terminal twice. */
  #type(lines: readonly string[]): void {
    if (lines.length > 0) this.#on.type(lines.join("\n"));
  }

  /** Makes what is wrong, without showing how. */
  async pose(riddle: Riddle): Promise<void> {
    for (const line of breakLines(riddle)) {
      const { code, stderr } = await this.#on.api.shell(line, { session: SHELL });
      if (code !== 0) {
        throw new Error(`The riddle could not be made: ${stderr.trim().slice(0, 200)}`);
      }
    }
  }

  /** Whether nothing is wrong any more. */
  async isSolved(riddle: Riddle): Promise<boolean> {
    for (const step of riddle.solved) {
      if (!passes(step, await this.#on.api.shell(step.run, { session: SHELL }))) return false;
    }
    return true;
  }

  /** Deletes a riddle's namespace; `whole` waits until it is gone, so that it can be posed again. */
  async forget(riddle: Riddle, whole = false): Promise<void> {
    for (const line of cleanLines(riddle)) await this.#on.api.shell(line, { session: SHELL });
    if (!whole) return;
    const gone = sh`kubectl wait namespace/${namespaceOf(riddle)} --for=delete --timeout=60s`;
    await this.#on.api.shell(gone, { session: SHELL });
  }

  /**
   * The last in-tab node that runs and that no other scenario harms: the first one is looked at most.
   * Or one of its own, where it needs a disk of some size.
   */
  async #chosen({ name, title, disk }: Scenario): Promise<string> {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    if (disk) {
      const { name: added = "" } = await this.#on.nodes({ action: "add", disk });
      this.#nodes.set(name, added);
      return added;
    }
    const { nodes } = await this.#on.nodes({ action: "list" });
    const taken = new Set(this.#nodes.values());
    const free = nodes.filter((node) => node.state === "running" && !taken.has(node.name));
    const chosen = free.at(-1);
    if (!chosen || nodes.length < 2) {
      throw new Error(
        `“${title}” needs a node to harm beside another one. Add a node under Nodes, or clean up first.`,
      );
    }
    this.#nodes.set(name, chosen.name);
    return chosen.name;
  }

  async #plugIn(scenario: Scenario): Promise<string> {
    const node = this.#nodes.get(scenario.name) ?? "";
    if (scenario.unplug && node !== "") await this.#on.nodes({ action: "heal", name: node });
    return node;
  }

  /** Waits until what was typed has come to its end, by asking the same. */
  async #done(line: string): Promise<void> {
    const deadline = Date.now() + WITHIN;
    for (;;) {
      const { code, stderr } = await this.#on.api.shell(line, { session: SHELL });
      if (code === 0) return;
      if (Date.now() > deadline) {
        throw new Error(
          `Nothing was unplugged, as the pods did not come up: ${stderr.trim().slice(0, 200)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY));
    }
  }
}
