/* How a cluster is made, begins, sleeps and fails. Part of web/rpc/protocol.ts. */
import type { ContainerWorker } from "../../worker/container-worker.ts";
import type { ImageHost } from "../../image/host.ts";
import type { ConfigurationFiles } from "./configuration.ts";

/** The files of a cluster's configuration, or what there is to say of each. */
export interface ConfigFiles {
  schedulerConfig: string;
  admissionConfig: string;
}

export interface ClusterConfig {
  /** In-tab nodes at start. */
  nodes: number;
  /** Whole cores and MiB of each of them. */
  nodeCPU?: number;
  nodeMemory?: number;
  /** Images that the tab does not have fail to pull, where otherwise a stand-in runs. */
  refuseImages?: boolean;
  /** The name under which it is kept in this browser, and goes on from there; empty for not at all. */
  keep?: string;
  /** Of one that is kept, whether its memory is, too, and gone on from (ADR 52). */
  resume?: boolean;
  /** A KubeSchedulerConfiguration and an AdmissionConfiguration in YAML; none when empty. */
  schedulerConfig?: string;
  admissionConfig?: string;
  /** Any files of the configuration, for a new cluster; the two above stand for theirs where these have none. */
  configuration?: ConfigurationFiles;
  /** Writes the components' informational log lines to the console; slow. */
  verbose?: boolean;
}

/** What the worker script leaves on its globalThis for the Go program before `go.run`. */
export interface TabernetesHost {
  port: MessagePort;
  /** The page's VERSION. */
  protocol: number;
  config: ClusterConfig;
  /** Starts the Worker of a container whose image the page has defined; the number is in its address. */
  container: (number: number) => ContainerWorker;
  /** What keeps the program's memory; undefined where it is not kept. */
  image?: ImageHost;
}

/** Progress of starting, in the order it happens. Times are milliseconds since the worker began. */
export interface BootStep {
  type: "boot";
  step: "download" | "compile" | "store" | "apiserver" | "controllers" | "scheduler" | "nodes";
  state: "started" | "progress" | "done" | "failed";
  at: number;
  /** Bytes so far and in all, for `download`. */
  loaded?: number;
  total?: number;
  /** A short sentence on what is happening, or what failed. */
  detail?: string;
}

/** The tab was asleep, and with it the cluster's monotonic clock (web/worker/clock.ts). */
export interface Slept {
  /** By which it is told from other messages. */
  type: "slept";
  /** When it woke, in milliseconds since 1970. */
  at: number;
  /** For how long it slept. */
  milliseconds: number;
}

/** What is kept of the cluster's memory (ADR 52); told whenever that changes. Times are milliseconds since 1970. */
export interface MemoryImage {
  type: "image";
  /** The one that counts: when it was taken, and its size. Undefined where there is none. */
  kept?: { at: number; bytes: number };
  /** Why the last attempt failed, in words for people, and whether each will; undefined once one succeeds. */
  failed?: { at: number; why: string; lasts?: boolean };
}

/** The cluster cannot go on: a Go panic, an os.Exit deep in upstream, or no memory left. */
export interface Fault {
  /** By which it is told from other messages. */
  type: "fault";
  /** Which part: "download", "compile", "memory", "kube-apiserver", "kubelet", ... */
  component: string;
  /** What was being done and what went wrong. */
  message: string;
  /** What to do about it. */
  hint: string;
  /** Where in the program, for a report. */
  stack?: string;
}
