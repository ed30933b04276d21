import { html, nothing } from "lit";
import type { Consumption } from "../../kube/consumption.ts";
import { bytes, trim, type Usage } from "../../map/capacity.ts";

/**
 * What pods have asked for of what a node offers, as words with a line under each; a mark on the line
 * shows what is in use, where the kubelet measures it.
 */
export function meters({ cpu, memory }: Usage, measured: Consumption | undefined) {
  const meter = (
    name: string,
    write: (amount: number) => string,
    { requested, of }: { requested: number; of: number },
    used: number | undefined,
  ) => {
    const part = (amount: number) => (of > 0 ? Math.min(1, amount / of) : 0);
    const text = `${write(requested)}/${write(of)}`;
    const inUse = used === undefined ? "" : `, ${write(used)} in use`;
    return html`<span title=${`${name}: requested ${text}${inUse}`}
      >${name} ${text}<i style=${`--part: ${part(requested)}`}></i>${
        used === undefined ? nothing : html`<b style=${`--part: ${part(used)}`}></b>`
      }</span
    >`;
  };
  return html`<div class="meters mono">
    ${meter("cpu", trim, cpu, measured?.cpu)} ${meter("mem", bytes, memory, measured?.memory)}
  </div>`;
}

/** The same of all nodes together. */
export function sum(used: ReadonlyMap<string, Usage>): string {
  const total = (resource: "cpu" | "memory" | "pods", part: "requested" | "of") =>
    [...used.values()].reduce((n, usage) => n + usage[resource][part], 0);
  return (
    `cpu ${trim(total("cpu", "requested"))}/${trim(total("cpu", "of"))}` +
    ` · mem ${bytes(total("memory", "requested"))}/${bytes(total("memory", "of"))}` +
    ` · pods ${total("pods", "requested")}/${total("pods", "of")}`
  );
}
