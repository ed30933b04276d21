/*
 * The shapes of the API's answers that the page reads: no more fields than it uses. Every list is
 * asked for as a Table (https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables)
 * with the objects included, so that STATUS, READY and AGE are upstream's words, not ours.
 */

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  ownerReferences?: { kind: string; name: string; controller?: boolean }[];
}

export interface KubeObject {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
}

export interface Pod extends KubeObject {
  spec: {
    nodeName?: string;
    containers: { name: string; image: string }[];
  };
  status: {
    phase?: string;
    podIP?: string;
    startTime?: string;
    conditions?: Condition[];
  };
}

export interface Node extends KubeObject {
  spec: { unschedulable?: boolean; podCIDR?: string };
  status: {
    conditions?: Condition[];
    capacity?: Record<string, string>;
    addresses?: { type: string; address: string }[];
  };
}

/** core/v1 Event. */
export interface Event extends KubeObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  involvedObject: { kind?: string; name?: string; namespace?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

export interface Status {
  kind: "Status";
  code?: number;
  reason?: string;
  message?: string;
}

export interface Table<T extends KubeObject> {
  kind: "Table";
  metadata: { resourceVersion?: string; continue?: string };
  /** Named in a list and in the first event of a watch only. */
  columnDefinitions?: { name: string }[] | null;
  rows?: { cells: unknown[]; object: T }[];
}

export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: unknown;
}

/** One object with the cells that `kubectl get -o wide` prints for it, by column name. */
export interface Row<T extends KubeObject> {
  object: T;
  cells: Record<string, string>;
}
