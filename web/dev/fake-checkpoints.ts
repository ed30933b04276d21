import type { Checkpoint, CheckpointDifference, Checkpoints } from "../rpc/protocol.ts";

/** What a cluster would remember. */
export class FakeCheckpoints {
  readonly #all: Checkpoint[] = [
    moment(1, "kubectl create deployment web --image=nginx --replicas=3"),
    moment(2, "kubectl -n shop set image deployment/front front=shop-front:2.0"),
    moment(3, "kubectl delete namespace shop"),
  ];

  list(): Checkpoints {
    return { checkpoints: [...this.#all], kept: false, lost: "" };
  }

  take(why: string, asked: boolean, of?: string): Checkpoint {
    const taken = { ...moment(this.#all.length + 1, why), asked, ...(of ? { of } : {}) };
    this.#all.push(taken);
    return taken;
  }

  compare(id: number): CheckpointDifference {
    if (id !== 3) return { comesBack: 0, changes: 0, goes: 0, objects: [] };
    return {
      comesBack: 3,
      changes: 1,
      goes: 1,
      objects: [
        { what: "comes back", kind: "Namespace", name: "shop" },
        { what: "comes back", kind: "Deployment", namespace: "shop", name: "front" },
        { what: "comes back", kind: "Pod", namespace: "shop", name: "front-7d876db474-2r7jm" },
        { what: "changes", kind: "Deployment", namespace: "default", name: "web" },
        { what: "goes", kind: "ConfigMap", namespace: "default", name: "new" },
      ],
    };
  }

  restore(id: number): CheckpointDifference {
    const did = this.compare(id);
    const why = this.#all.find((one) => one.id === id)?.why ?? "";
    this.#all.push(moment(this.#all.length + 1, `going back to "${why}"`));
    return did;
  }
}

function moment(id: number, why: string): Checkpoint {
  return {
    id,
    why,
    time: new Date(Date.now() - 1000 * (60 - id)).toISOString(),
    asked: false,
    revision: 300 + id,
    objects: 240 + id,
    bytes: 40_000,
  };
}
