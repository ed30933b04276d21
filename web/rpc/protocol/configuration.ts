/* The control plane's configuration, and what a request passes. Part of web/rpc/protocol.ts. */

/** What each file says, by its name (docs/configuration.md). */
export type ConfigurationFiles = Record<string, string>;

export interface ConfigurationInForce {
  files: ConfigurationFiles;
  /** How many there are to go back to. */
  before: number;
}

export interface Configured {
  /** The files that differ from those before. */
  changed: string[];
  /** Those that upstream read anew; for all others the components in `restarted` started anew. */
  reloaded: string[];
  restarted: string[];
  /** Those that count for in-tab nodes which start from now on. */
  newNodes: string[];
  /** It is in force only when the cluster starts again: this one never served, or has ended. */
  atStart: boolean;
  /** In milliseconds. */
  took: number;
}

/** What a request passes, each list in the order in which it is asked. */
export interface AccessControls {
  authenticators: AccessControl[];
  authorizers: AccessControl[];
  /** All plugins that there are, those that are off among them. */
  admission: AccessControl[];
}

export interface AccessControl {
  name: string;
  /** An admission plugin's: whether it is in force, and would be if nobody said so. */
  on: boolean;
  default: boolean;
  last?: Deed;
}

/** The last thing that one did, as far as the trace holds it. */
export interface Deed {
  /** The trace's step. */
  step: number;
  /** In milliseconds since 1970. */
  at: number;
  did: string;
  reason?: string;
  user?: string;
  verb?: string;
  object?: string;
}

/** What somebody may do; `path` in place of a resource is a URL that is none. */
export interface Right {
  verb: string;
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  path: string;
}

export interface WhoMay {
  /** The authorizers that are asked, in order. */
  chain: { type: string; name: string }[];
  /** Whom those of them give it that can be asked for everybody. */
  subjects: Subject[];
  /** How many there are besides. */
  more: number;
  /** What could not be followed: a binding to a role that is not there. */
  problem?: string;
}

export interface Subject {
  kind: string;
  namespace?: string;
  name: string;
  /** A group that a user has to be in as well, by a policy of ABAC. */
  group?: string;
  /** The authorizer's type; none for the group that no authorizer binds. */
  by?: string;
}

/** A line of `audit`: an event of audit.k8s.io/v1, or how many went before they were read. */
export type AuditLine = { event: unknown } | { missed: number };
