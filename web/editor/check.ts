import type { Catalog } from "../kube/catalog.ts";
import { kubectlArgument } from "../kube/kubectl.ts";
import type { ApiPlace } from "../kube/apipath.ts";
import type { Fetch } from "../kube/reflector.ts";
import type { Resource } from "../kube/discovery.ts";
import { getYaml } from "./ask-yaml.ts";
import { documentsOf, targetOf, type ManifestDocument, type Target } from "./documents.ts";
import { locate, parseField, type Range } from "./locate.ts";
import type { Problem } from "./problems.ts";
import { submit, type Answer, type Way } from "./submit.ts";
import { typeChecked } from "./warnings.ts";

/** A problem at its place in the file. */
interface Finding extends Problem, Range {
  severity: "error" | "warning";
}

/** What the server answered for one document of a file. */
export interface Outcome {
  document: ManifestDocument;
  target: Target;
  /** As kubectl names it: "deployment.apps/web". */
  what: string;
  answer: Answer | undefined;
  findings: Finding[];
}

/** Whether something would be, or was, refused: a warning is none. */
export function refuses({ findings }: Outcome): boolean {
  return findings.some(({ severity }) => severity === "error");
}

/** How often, and with how many milliseconds between, a policy is read until it was type-checked. */
const LOOKS = 20;
const BETWEEN = 200;

/** Hands in manifests, on trial or for good, and finds the places of what the server says. */
export class Checker {
  readonly #fetch: Fetch;
  readonly #catalog: Catalog;

  constructor(fetch: Fetch, catalog: Catalog) {
    this.#fetch = fetch;
    this.#catalog = catalog;
  }

  /** Every document of a file, in the file's order; for good, it stops at the first that fails. */
  async run(
    file: string,
    way: Way,
    options: { dryRun: boolean; signal?: AbortSignal },
  ): Promise<Outcome[]> {
    let resources = await this.#catalog.use();
    const documents = documentsOf(file);
    const outcomes: Outcome[] = [];
    for (const document of documents) {
      let target = targetOf(document, resources);
      if ("problem" in target && !options.dryRun) {
        // Its kind may have come with a document before it: discovery follows within seconds.
        resources = await this.#await(document);
        target = targetOf(document, resources);
      }
      const outcome = await this.#one(document, target, way, options, resources);
      outcomes.push(soften(outcome, documents, options.dryRun));
      options.signal?.throwIfAborted();
      if (!options.dryRun && refuses(outcome)) break;
    }
    return outcomes;
  }

  async #one(
    document: ManifestDocument,
    target: Target,
    way: Way,
    options: { dryRun: boolean; signal?: AbortSignal },
    resources: readonly Resource[],
  ): Promise<Outcome> {
    const name = document.name || "(no name)";
    if (document.errors.length > 0) {
      const findings = document.errors.map(({ message, from, to }): Finding => {
        return { message, field: "", from, to, severity: "error" };
      });
      return { document, target, what: "YAML", answer: undefined, findings };
    }
    if ("problem" in target) {
      const { problem: message, field } = target;
      const findings = [place(document, { message, field })];
      const what = `${document.kind || "document"}/${name}`;
      return { document, target, what, answer: undefined, findings };
    }
    const what = kubectlArgument(target.place, resources);
    const answer = await submit(this.#fetch, target.place, document.text, way, options);
    if (!answer.ok) {
      const findings = answer.problems.map((problem) => place(document, problem));
      return { document, target, what, answer, findings };
    }
    const types = await this.#types(target.place, answer.yaml, options);
    const findings = [...answer.warnings, ...types].map((one) => place(document, one, "warning"));
    return { document, target, what, answer, findings };
  }

  /**
   * What type checking says of a policy: on trial of one that is there and would stay as it is, for good
   * as soon as its controller has looked at it.
   */
  async #types(at: ApiPlace, yaml: string, options: { dryRun: boolean }): Promise<Problem[]> {
    let said = typeChecked(yaml);
    for (let looks = 0; said === "waits" && !options.dryRun && looks < LOOKS; looks++) {
      await new Promise((resolve) => setTimeout(resolve, BETWEEN));
      // It is there already: that it cannot be read is no word against it.
      said = await getYaml(this.#fetch, at).then(typeChecked, () => "none" as const);
    }
    return typeof said === "string" ? [] : said;
  }

  async #await(document: ManifestDocument): Promise<readonly Resource[]> {
    let resources = await this.#catalog.refresh();
    for (let tries = 0; tries < 8 && "problem" in targetOf(document, resources); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      resources = await this.#catalog.refresh();
    }
    return resources;
  }
}

function place(
  document: ManifestDocument,
  problem: Problem,
  severity: Finding["severity"] = "error",
): Finding {
  const range = locate(document.yaml, parseField(problem.field)) ?? {
    from: document.from,
    to: document.from + 1,
  };
  return { ...problem, ...range, severity };
}

/**
 * On trial nothing is kept, so what an earlier document of the file brings is not there yet: a
 * namespace, or a kind. That is no error of this one.
 */
function soften(
  outcome: Outcome,
  documents: readonly ManifestDocument[],
  dryRun: boolean,
): Outcome {
  if (!dryRun) return outcome;
  const { document } = outcome;
  const before = documents.slice(0, documents.indexOf(document));
  const brings = (kind: string, test: (d: ManifestDocument) => boolean) =>
    before.some((d) => d.kind === kind && test(d));
  return {
    ...outcome,
    findings: outcome.findings.map((finding) => {
      const namespace =
        finding.field === "metadata.namespace" &&
        brings("Namespace", (d) => d.name === document.namespace);
      const kind =
        finding.message.startsWith("no matches for kind") &&
        brings("CustomResourceDefinition", (d) => d.text.includes(document.kind));
      return namespace || kind
        ? {
            ...finding,
            severity: "warning",
            message: `${finding.message} yet: an earlier document of this file brings it.`,
          }
        : finding;
    }),
  };
}
