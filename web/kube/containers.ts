import type { KubeObject } from "./types.ts";

interface Named {
  name: string;
}

interface PodSpec {
  initContainers?: Named[];
  containers?: Named[];
  ephemeralContainers?: Named[];
}

/** Names of the containers of a pod, the ordinary ones first. */
export function containersOf(object: KubeObject): string[] {
  const { spec } = object as { spec?: PodSpec };
  return [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ].map(({ name }) => name);
}

/** True for what has a template of pods, whose logs `kubectl logs` finds by itself. */
export function hasPodTemplate(object: KubeObject): boolean {
  const { spec } = object as { spec?: { template?: { spec?: PodSpec } } };
  return spec?.template?.spec?.containers !== undefined;
}
