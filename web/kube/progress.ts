import type { Pod, Row } from "./types.ts";

/** What somebody has seen happen, in the order in which one comes to it, and of which Deployment that was said. */
export const STEPS = [
  { name: "created", label: (of: string) => `Created ${of}: all of its pods were ready` },
  { name: "scaled", label: (of: string) => `Scaled ${of}: it had more pods` },
  { name: "replaced", label: (of: string) => `Deleted a pod of ${of}, and saw it replaced` },
  { name: "updated", label: (of: string) => `Rolled out a new version of ${of}` },
] as const;

export type StepName = (typeof STEPS)[number]["name"];

/** What is known of the pods of one ReplicaSet: of one version of a Deployment. */
interface Version {
  /** Its ReplicaSet's namespace and name, which a later ReplicaSet may have as well. */
  name: string;
  /**
   * How many were ready when all were for the first time, or of the version before it, if those were more: a rollout
   * brings one pod after another.
   */
  first: number;
  /** How many were ready when none was being deleted, for the last time. */
  ready: number;
  /** Whether there were more than the first. */
  scaled: boolean;
  /** When the last of them was deleted that nobody has seen replaced, as the API says it. */
  deleted: string;
}

/**
 * Ticks what has been done, by the pods as the watch gives them. What is ticked stays so, and says of which Deployment
 * it is, the last one: beside a command that fails it would else be taken for that one's.
 */
export class Progress {
  readonly #done = new Map<StepName, string>();
  /** By the UID of the ReplicaSet. */
  readonly #versions = new Map<string, Version>();

  get done(): ReadonlyMap<StepName, string> {
    return this.#done;
  }

  meet(rows: Iterable<Row<Pod>>): void {
    for (const [uid, { name, pods }] of byVersion(rows)) this.#see(uid, name, pods);
  }

  #see(uid: string, name: string, pods: readonly Pod[]): void {
    const going = pods.filter(({ metadata }) => metadata.deletionTimestamp);
    const ready = pods.filter((pod) => !pod.metadata.deletionTimestamp && isReady(pod));
    const known = this.#versions.get(uid);
    const of = deploymentOf(name).replace(/^default\//, "");
    if (!known) {
      if (ready.length === 0 || ready.length < pods.length) return;
      // A second version of what had one before.
      const before = [...this.#versions.values()].filter(
        (other) => other.name !== name && deploymentOf(other.name) === deploymentOf(name),
      );
      this.#versions.set(uid, {
        name,
        first: Math.max(ready.length, before.at(-1)?.ready ?? 0),
        ready: ready.length,
        scaled: false,
        deleted: "",
      });
      this.#done.set(before.length > 0 ? "updated" : "created", of);
      return;
    }
    if (ready.length > known.first && !known.scaled) {
      known.scaled = true;
      this.#done.set("scaled", of);
    }
    for (const { metadata } of going) {
      known.deleted = [known.deleted, metadata.deletionTimestamp ?? ""].sort().at(-1) ?? "";
    }
    // Deleted, and no fewer than before: made in its place. A scaling down leaves fewer.
    if (going.length > 0) return;
    if (known.deleted === "") known.ready = ready.length;
    else if (ready.length >= known.ready) {
      known.deleted = "";
      this.#done.set("replaced", of);
    }
  }
}

/** Of a ReplicaSet's name, which ends with the hash of its template. */
function deploymentOf(name: string): string {
  return name.slice(0, name.lastIndexOf("-"));
}

function byVersion(rows: Iterable<Row<Pod>>): Map<string, { name: string; pods: Pod[] }> {
  const versions = new Map<string, { name: string; pods: Pod[] }>();
  for (const { object } of rows) {
    const { namespace = "", ownerReferences, labels } = object.metadata;
    const owner = ownerReferences?.find(({ controller }) => controller);
    const hash = labels?.["pod-template-hash"];
    if (owner?.kind !== "ReplicaSet" || !hash || !owner.name.endsWith(`-${hash}`)) continue;
    const name = `${namespace}/${owner.name}`;
    const uid = owner.uid ?? name;
    const version = versions.get(uid);
    if (version) version.pods.push(object);
    else versions.set(uid, { name, pods: [object] });
  }
  return versions;
}

function isReady({ status }: Pod): boolean {
  return status.conditions?.some((c) => c.type === "Ready" && c.status === "True") ?? false;
}
