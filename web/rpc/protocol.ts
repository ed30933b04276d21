/**
 * The messages between the page and the worker that holds the cluster, one JSON-like
 * object each, over one MessagePort. `wasm/port` is the Go end; this file is its typed mirror.
 *
 * A call opens a stream: the page chooses an id, either side may send `data` on it, and it
 * ends with exactly one `result` or `error` from the worker. `cancel` asks the worker to end
 * it early; the worker still answers.
 *
 * Back-pressure: the page acknowledges the bytes its reader has taken with `ack`, and the
 * worker keeps at most WINDOW unacknowledged bytes under way in one call (a single larger
 * chunk may go when nothing is under way). The other direction needs no window: request
 * bodies are bounded by the apiserver, standard input is asked for line by line (`stdin`).
 *
 * The Go program's first message is `hello`. What the worker's own script has to say (`boot` of
 * download and compile, `slept`, `image`, `fault`) may come before.
 */
import type { AttachParams, AttachEvent, AttachOrder } from "./protocol/hub.ts";
import type { ConfigFiles, BootStep, MemoryImage, Slept, Fault } from "./protocol/cluster.ts";
import type {
  DecisionParams,
  SchedulingDecision,
  AskPluginParams,
  PluginAnswer,
} from "./protocol/scheduling.ts";
import type {
  EtcdKeysParams,
  EtcdPage,
  EtcdObjectParams,
  EtcdObject,
  EtcdHistoryParams,
  EtcdHistory,
  EtcdWatching,
} from "./protocol/etcd.ts";
import type {
  ConfigurationFiles,
  ConfigurationInForce,
  Configured,
  AccessControls,
  Right,
  WhoMay,
} from "./protocol/configuration.ts";
import type { ExecParams, CloseParams, CompleteParams, Completion } from "./protocol/shell.ts";
import type { FetchParams } from "./protocol/fetch.ts";
import type { AnsweredEvent, PacketPath, PacketPathParams } from "./protocol/network.ts";
import type { DefineImageParams } from "./protocol/images.ts";
import type {
  VisitEvent,
  VisitParams,
  VisitSocketEvent,
  VisitSocketParams,
} from "./protocol/visit.ts";
import type { NodesParams, NodesResult, InviteParams, InviteResult } from "./protocol/nodes.ts";

export type * from "./protocol/shell.ts";
export type * from "./protocol/nodes.ts";
export type * from "./protocol/fetch.ts";
export type * from "./protocol/visit.ts";
export type * from "./protocol/images.ts";
export type * from "./protocol/network.ts";
export type * from "./protocol/hub.ts";
export type * from "./protocol/scheduling.ts";
export type * from "./protocol/etcd.ts";
export type * from "./protocol/cluster.ts";
export type * from "./protocol/configuration.ts";

/**
 * The protocol's version. It goes up with each change after which an older page or an older module
 * would misunderstand the other: the two are cached apart.
 */
export const VERSION = 4;

/** Bytes of `data` the worker may have under way in one call before it waits for an `ack`. */
export const WINDOW = 256 * 1024;

/** What the worker can be asked to do, with the shape of what goes in and what comes back. */
export interface Methods {
  /** One HTTP request to the apiserver as cluster admin. `data` to the worker is the request
   * body (closed by `end`), `head` comes first from the worker, then `data`, then `result`. */
  fetch: { params: FetchParams; result: Record<string, never> };
  /** One HTTP request to an address of the cluster, as a client outside of it; streams as `fetch`.
   * Redirects are not followed. */
  visit: { params: VisitParams; result: Record<string, never>; event: VisitEvent };
  /** A WebSocket to an address of the cluster, as a client outside of it: `head` when it is open, with
   * the subprotocol. `data` are messages, either way: a byte of their kind (1 text, 2 binary, 8 close),
   * four of their length, big endian, and their bytes; a close has two of its code first, or nothing. */
  visitSocket: {
    params: VisitSocketParams;
    result: Record<string, never>;
    event: VisitSocketEvent;
  };
  /** One command line of the terminal's shell, or one program with its arguments and no shell.
   * `data` to the worker is standard input. */
  exec: { params: ExecParams; result: { code: number } };
  /** Ends a shell: the line that runs in it, its jobs in the background, and what they hold. */
  close: { params: CloseParams; result: Record<string, never> };
  /** What to offer for the word under the cursor. */
  complete: { params: CompleteParams; result: Completion };
  /** Adds, stops, heals or removes an in-tab node, and lists them. */
  nodes: { params: NodesParams; result: NodesResult };
  /** Adds an image to what in-tab nodes can pull, or replaces one that was defined before. */
  defineImage: { params: DefineImageParams; result: Record<string, never> };
  /** Asks the page what Workers of containers hold while there are any (`event`); each `order` answers one question. */
  measureContainers: {
    params: Record<string, never>;
    result: Record<string, never>;
    event: Record<string, never>;
    order: MeasuredContainers;
  };
  /** An expiring token with which a machine can join, and the line to copy. */
  invite: { params: InviteParams; result: InviteResult };
  /** What a new cluster would refuse of its configuration files: empty for nothing. */
  check: { params: ConfigFiles; result: ConfigFiles };
  /** What the cluster does, step by step, as long as the call lasts: `data` is a TraceLine of JSON
   * on each line. Not reading costs the cluster nothing: the steps missed are counted. */
  trace: { params: TraceParams; result: Record<string, never> };
  /** One step with its details, as long as it is held. */
  step: { params: StepParams; result: TraceStep };
  /** What steps there can be, and which line of upstream does what they tell of. */
  kinds: { params: Record<string, never>; result: KindsResult };
  /** What is held of the trace, or what one step caused: `data` is a TraceExport in JSON. */
  export: { params: ExportParams; result: Record<string, never> };
  /** The scheduler's last attempt at a pod, nodes by plugins; fails if none is kept. */
  decision: { params: DecisionParams; result: SchedulingDecision };
  /** What a plugin says of a pod and a node now: a cell that was not asked, asked afterwards. */
  askPlugin: { params: AskPluginParams; result: PluginAnswer };
  /** Where connections end, of pods, the prompt, Ingresses and visitors, as long as the call lasts. */
  answered: {
    params: Record<string, never>;
    result: Record<string, never>;
    event: AnsweredEvent;
  };
  /** The way of a packet from one pod to another; fails if either has no address. */
  packetPath: { params: PacketPathParams; result: PacketPath };
  /** A file of the cluster (`data`), with its Secrets and keys or without both. */
  exportCluster: { params: { secrets: boolean }; result: Record<string, never> };
  /** Keeps another cluster with the same objects and new keys in this browser. */
  /** `left` is what of the nodes' disks is not in the copy; "" if all is. */
  copyCluster: { params: { name: string }; result: { left: string } };
  /** Keeps a cluster from a file that the page sends; of one that is refused nothing is made. */
  importCluster: { params: { name: string }; result: { revision: number; objects: number } };
  /** What people made, as a manifest for another cluster (`data`). */
  manifest: { params: { secrets: boolean }; result: { objects: number } };
  /** The moments that are remembered, the oldest first. */
  checkpoints: { params: Record<string, never>; result: Checkpoints };
  /** Remembers what there is now; `before` a change, where that is what the last one has, it is the last one. */
  takeCheckpoint: {
    params: { why: string; before?: boolean; of?: string };
    result: Checkpoint;
  };
  /** What going back to one would change; fails if it is not held any more. */
  compareCheckpoint: { params: { id: number }; result: CheckpointDifference };
  /** Goes back to one, which can be gone back on, and says what that changed. */
  restoreCheckpoint: { params: { id: number }; result: CheckpointDifference };
  /** Keeps another cluster in this browser that goes on from there, with new keys. */
  copyCheckpoint: { params: { id: number; name: string }; result: Record<string, never> };
  /** What lies directly below a prefix of the store's keys, a page at a time. */
  etcdKeys: { params: EtcdKeysParams; result: EtcdPage };
  /** One version of a key, decoded; fails if there is none, or if it is compacted. */
  etcdObject: { params: EtcdObjectParams; result: EtcdObject };
  /** The versions of a key that are still held, latest first; fails if there is none. */
  etcdHistory: { params: EtcdHistoryParams; result: EtcdHistory };
  /** Who watches the store now, and how far each lags. */
  etcdWatchers: { params: Record<string, never>; result: EtcdWatching };
  /** The control plane's files in force. */
  configuration: { params: Record<string, never>; result: ConfigurationInForce };
  /** What upstream would refuse of these files; nothing is touched. */
  checkConfiguration: { params: { files: ConfigurationFiles }; result: { problems: string[] } };
  /** Puts the files into force; fails, and leaves the old ones, where anything refuses them. */
  configure: { params: { files: ConfigurationFiles }; result: Configured };
  /** Goes back to the configuration before this one. It asks no API. */
  restoreConfiguration: { params: Record<string, never>; result: Configured };
  /** Authenticators, authorizers and admission plugins, and the last thing that each did. */
  accessControls: { params: Record<string, never>; result: AccessControls };
  /** What an audit policy has recorded, and records as long as the call lasts: `data` is an
   * AuditLine of JSON on each line. */
  audit: { params: Record<string, never>; result: Record<string, never> };
  /** To whom RBAC's bindings give a right. */
  whoMay: { params: Right; result: WhoMay };
  /** Keeps the tunnel to a hub up as long as the call lasts. Fails if the hub refuses. */
  attach: {
    params: AttachParams;
    result: Record<string, never>;
    event: AttachEvent;
    order: AttachOrder;
  };
}

/** What is remembered, the oldest first. */
export interface Checkpoints {
  checkpoints: Checkpoint[];
  /** Whether they outlive the tab. */
  kept: boolean;
  /** Why not, and what could not be read of those before; empty if there is nothing to say. */
  lost: string;
}

/** A moment of the cluster that is remembered (core/checkpoint). */
export interface Checkpoint {
  id: number;
  /** When, as RFC 3339 has it. */
  time: string;
  /** The command before which it was taken, or the name that somebody gave it. */
  why: string;
  /** Somebody asked for it. */
  asked: boolean;
  /** What it is a step of, such as a lesson. */
  of?: string;
  revision: number;
  objects: number;
  /** What it holds beside the store and later ones. */
  bytes: number;
}

/** What going back would do, or did. */
export interface CheckpointDifference {
  comesBack: number;
  changes: number;
  goes: number;
  /** 500 at most. */
  objects: CheckpointChange[];
}

export interface CheckpointChange {
  what: "comes back" | "changes" | "goes";
  kind: string;
  namespace?: string;
  name: string;
}

/** What a method tells the page unasked, while a call of it runs. */
export type EventOf<M extends keyof Methods> = Methods[M] extends { event: infer E } ? E : never;
/** What the page can want of a method's call that runs. */
export type OrderOf<M extends keyof Methods> = Methods[M] extends { order: infer O } ? O : never;

/** What was measured of Workers, by their number; one that is not there was not seen. */
export interface MeasuredContainers {
  workers: { number: number; bytes: number }[];
}

export interface TraceParams {
  /** Only what comes from now on; else what is held first. */
  onlyNew?: boolean;
  /** With each step's details; otherwise with what a line says of it (TraceStep's `brief`). */
  details?: boolean;
}

export interface StepParams {
  id: number;
}

export interface ExportParams {
  /** The step whose tree is wanted; 0 or none: everything. */
  id?: number;
}

/** A line of `trace`: a step, or how many went from the ring before they were read. */
export type TraceLine = { step: TraceStep } | { missed: number };

/** One thing that happened. It is told when it has ended: what it caused may come before it. */
export interface TraceStep {
  /** Its number, which grows with time. */
  id: number;
  /** When it began, in milliseconds since 1970. */
  at: number;
  /** How many milliseconds it took; none if it is a moment. */
  took?: number;
  /** Who did it: "kube-apiserver", "kubelet". */
  component: string;
  /** TraceKind's name. */
  kind: string;
  /** TraceKind's variant, if the step is of one. */
  variant?: string;
  /** TraceKind's chapter. */
  chapter: string;
  /** What it is about. */
  object?: TraceObject;
  /** The step that it is drawn under. */
  cause?: number;
  /** Further ones. */
  causes?: number[];
  /** The cause was not carried here, and was found by the object. */
  inferred?: boolean;
  /** The node on which it happened. */
  node?: string;
  /** The node said so itself. */
  told?: boolean;
  /** Data of the kind's own. */
  details?: unknown;
  /** `details` are less than there is: what a line says of it. `step` has the whole. */
  brief?: boolean;
  /** What was left out, and why. */
  cut?: string;
}

/** What a step is about, as far as it is known. */
export interface TraceObject {
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

export interface KindsResult {
  /** Kubernetes' version. */
  version: string;
  kinds: TraceKind[];
}

export interface TraceKind {
  /** Who acts and what it does: "authentication.accepted", "etcd.put". */
  name: string;
  /** Which of the kind's steps, if another line does it: "update" of "etcd.put". */
  variant?: string;
  /** The guide's chapter. */
  chapter: string;
  package: string;
  func: string;
  /** The line of upstream's source, in the version that runs; empty if there is none. */
  url: string;
}

/** What the cluster did, as far as it is held. */
export interface TraceExport {
  /** How many steps had gone from the ring. */
  gone: number;
  /** What its steps are called, and where they stand in upstream's source. */
  source: KindsResult;
  /** By their numbers. */
  steps: TraceStep[];
}

export interface RpcError {
  /** What was being done and what went wrong. */
  message: string;
  /** What to do about it. */
  hint?: string;
}

export type ToWorker =
  | { type: "call"; id: number; method: keyof Methods; params: unknown }
  | { type: "data"; id: number; chunk: Uint8Array }
  | { type: "end"; id: number }
  | { type: "resize"; id: number; cols: number; rows: number }
  | { type: "signal"; id: number; signal: "INT" | "TERM" }
  /** The reader has taken this many more bytes of the call's `data`. */
  | { type: "ack"; id: number; bytes: number }
  /** Something that is wanted of a call that runs: OrderOf its method. */
  | { type: "order"; id: number; order: unknown }
  /** Answers `edit`: the new text, or none when the file is to stay as it is. */
  | { type: "edited"; id: number; ask: number; text?: string }
  | { type: "cancel"; id: number };

export type ToPage =
  /** The first message of the Go program: which version of this protocol it speaks. */
  | { type: "hello"; version: number }
  /** Something that was not asked for: EventOf the call's method. */
  | { type: "event"; id: number; event: unknown }
  | { type: "head"; id: number; status: number; statusText: string; headers: [string, string][] }
  | { type: "data"; id: number; stream: "stdout" | "stderr" | "body"; chunk: Uint8Array }
  /** The command wants keystrokes one by one (true) or whole edited lines again (false). */
  | { type: "raw"; id: number; on: boolean }
  /** A command on a terminal waits for input: the page answers with one line as `data`, or
   * with `end`. What was typed ahead goes to whoever asks first: the command, or the prompt
   * after it. */
  | { type: "stdin"; id: number }
  /** A command on a terminal (vi, kubectl edit) waits for a person to edit a file: the page opens
   * its editor and answers with `edited` and the same `ask`. */
  | { type: "edit"; id: number; ask: number; name: string; text: string }
  | { type: "result"; id: number; value: unknown }
  | { type: "error"; id: number; error: RpcError }
  | BootStep
  | Slept
  | MemoryImage
  | Fault;
