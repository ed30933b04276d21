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
  annotations?: Record<string, string>;
  generation?: number;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFields[];
}

export interface OwnerReference {
  apiVersion?: string;
  kind: string;
  name: string;
  uid?: string;
  controller?: boolean;
}

/** Which fields somebody owns (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management). */
interface ManagedFields {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  subresource?: string;
  fieldsV1?: Record<string, unknown>;
}

export interface KubeObject {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
}

export interface Pod extends KubeObject {
  spec: {
    nodeName?: string;
    containers: Container[];
    initContainers?: Container[];
    overhead?: Record<string, string>;
  };
  status: {
    phase?: string;
    podIP?: string;
    startTime?: string;
    conditions?: Condition[];
  };
}

interface Container {
  name: string;
  image: string;
  resources?: { requests?: Record<string, string> };
}

export interface Node extends KubeObject {
  spec: { unschedulable?: boolean; podCIDR?: string };
  status: {
    conditions?: Condition[];
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    addresses?: { type: string; address: string }[];
  };
}

/** core/v1 Event. */
export interface Event extends KubeObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  involvedObject: {
    apiVersion?: string;
    kind?: string;
    name?: string;
    namespace?: string;
    uid?: string;
    fieldPath?: string;
  };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Status {
  kind: "Status";
  code?: number;
  reason?: string;
  message?: string;
  details?: { causes?: StatusCause[] };
}

interface StatusCause {
  reason?: string;
  message?: string;
  /** A path as "spec.containers[0].image", in conflicts with a leading dot. */
  field?: string;
}

/** A column as the server describes it. */
export interface Column {
  name: string;
  /** As OpenAPI names it: "string", "integer", "number", "boolean", "date". */
  type?: string;
  /** "name" for the column with the object's name. */
  format?: string;
  description?: string;
  /** 0 for columns that are always shown, more for those of `-o wide`. */
  priority?: number;
}

export interface Table<T extends KubeObject> {
  kind: "Table";
  metadata: { resourceVersion?: string; continue?: string };
  /** Named in a list and in the first event of a watch only. */
  columnDefinitions?: Column[] | null;
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
