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
 * download and compile, `slept`, `fault`) may come before.
 */

/**
 * The protocol's version. It goes up with each change after which an older page or an older module
 * would misunderstand the other: the two are cached apart.
 */
export const VERSION = 3;

/** Bytes of `data` the worker may have under way in one call before it waits for an `ack`. */
export const WINDOW = 256 * 1024;

/** What the worker can be asked to do, with the shape of what goes in and what comes back. */
export interface Methods {
  /** One HTTP request to the apiserver as cluster admin. `data` to the worker is the request
   * body (closed by `end`), `head` comes first from the worker, then `data`, then `result`. */
  fetch: { params: FetchParams; result: Record<string, never> };
  /** One command line of the terminal's shell, or one program with its arguments and no shell.
   * `data` to the worker is standard input. */
  exec: { params: ExecParams; result: { code: number } };
  /** Ends a shell: the line that runs in it, its jobs in the background, and what they hold. */
  close: { params: CloseParams; result: Record<string, never> };
  /** What to offer for the word under the cursor. */
  complete: { params: CompleteParams; result: Completion };
  /** Adds, stops, heals or removes an in-tab node, and lists them. */
  nodes: { params: NodesParams; result: NodesResult };
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
  /** What lies directly below a prefix of the store's keys, a page at a time. */
  etcdKeys: { params: EtcdKeysParams; result: EtcdPage };
  /** One version of a key, decoded; fails if there is none, or if it is compacted. */
  etcdObject: { params: EtcdObjectParams; result: EtcdObject };
  /** The versions of a key that are still held, latest first; fails if there is none. */
  etcdHistory: { params: EtcdHistoryParams; result: EtcdHistory };
  /** Who watches the store now, and how far each lags. */
  etcdWatchers: { params: Record<string, never>; result: EtcdWatching };
  /** Keeps the tunnel to a hub up as long as the call lasts. Fails if the hub refuses. */
  attach: {
    params: AttachParams;
    result: Record<string, never>;
    event: AttachEvent;
    order: AttachOrder;
  };
}

/** What a method tells the page unasked, while a call of it runs. */
export type EventOf<M extends keyof Methods> = Methods[M] extends { event: infer E } ? E : never;
/** What the page can want of a method's call that runs. */
export type OrderOf<M extends keyof Methods> = Methods[M] extends { order: infer O } ? O : never;

/** The hub's URL as the machine sees it, and the cluster's name there. */
export interface InviteParams {
  hub: string;
  cluster: string;
  /** The pin of the hub's certificate; empty if none is needed. */
  certHash: string;
}

export interface InviteResult {
  /** "id.secret", good until `expires` (RFC 3339). */
  token: string;
  expires: string;
  /** "sha256:…" of the cluster CA's public key. */
  caHash: string;
  /** What the machine's administrator runs. */
  line: string;
}

/** The files of a cluster's configuration, or what there is to say of each. */
export interface ConfigFiles {
  schedulerConfig: string;
  admissionConfig: string;
}

export interface NodesParams {
  action: "list" | "add" | "stop" | "heal" | "remove";
  /** The node's, but for "list" and "add". */
  name?: string;
  /** Whole cores and MiB of a node to be added; 0 or none: as the others have. */
  cpu?: number;
  memory?: number;
}

export interface NodesResult {
  /** The node's that was added. */
  name?: string;
  nodes: { name: string; state: "running" | "stopped" }[];
}

export interface FetchParams {
  method: string;
  /** Path and query, beginning with "/". */
  path: string;
  headers: [string, string][];
  /** True when body chunks follow as `data`, closed by `end`. */
  body: boolean;
}

export interface ExecParams {
  /** A line for the shell; none where there is `args`. */
  line?: string;
  /** A program and its arguments, each taken as it is: for what is put together from names that
   * others chose. */
  args?: readonly string[];
  /** The shell that keeps variables and the working directory between lines; made on first use. */
  session: string;
  /** True when the output is a terminal (xterm.js), which lets `kubectl exec -it` go raw. */
  tty: boolean;
  cols: number;
  rows: number;
}

export interface CloseParams {
  session: string;
}

export interface CompleteParams {
  line: string;
  /** Offset into `line` in UTF-16 units, as JavaScript counts. */
  cursor: number;
  /** The shell whose working directory and variables count; the same name as in ExecParams. */
  session?: string;
}

export interface AttachParams {
  /** The hub's WebSocket. */
  url: string;
  /** The hub's pairing secret. */
  secret: string;
  /** What the cluster wants to be called; empty leaves it to the hub. */
  name: string;
  /** A random text by which the hub knows this tab again. */
  instance: string;
}

/** What the worker tells of the tunnel. */
export type AttachEvent =
  | {
      type: "state";
      up?: boolean;
      name?: string;
      serverName?: string;
      addresses?: string[];
      certHash?: string;
      error?: string;
    }
  /** Somebody asks for access; `code` is what the asker's terminal shows, too. */
  | { type: "ask"; id: number; user: string; code: string }
  /** Nobody waits for that answer any more. */
  | { type: "withdrawn"; id: number };

export type AttachOrder =
  | { type: "answer"; id: number; agree: boolean }
  /** The network may have changed: see whether the tunnel is alive. */
  | { type: "nudge" };

export interface TraceParams {
  /** Only what comes from now on; else what is held first. */
  onlyNew?: boolean;
  /** With each step's details, which are otherwise asked for by `step`. */
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
  id: number;
  /** When it began, in milliseconds since 1970, and how long it took; none if it is a moment. */
  at: number;
  took?: number;
  component: string;
  /** TraceKind's name and chapter. */
  kind: string;
  chapter: string;
  object?: TraceObject;
  /** The step that it is drawn under, and further ones. */
  cause?: number;
  causes?: number[];
  /** The cause was not carried here, and was found by the object. */
  inferred?: boolean;
  node?: string;
  /** The node said so itself. */
  told?: boolean;
  /** Data of the kind's own. */
  details?: unknown;
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
  /** The guide's chapter. */
  chapter: string;
  package: string;
  func: string;
  /** The line of upstream's source, in the version that runs; empty if there is none. */
  url: string;
}

export interface TraceExport {
  /** How many steps had gone from the ring. */
  gone: number;
  source: KindsResult;
  steps: TraceStep[];
}

export interface DecisionParams {
  namespace: string;
  name: string;
}

/** One attempt of the scheduler at one pod. */
export interface SchedulingDecision {
  namespace: string;
  name: string;
  uid: string;
  /** The scheduler's name, as in spec.schedulerName. */
  profile: string;
  /** Counted from 1. */
  attempt: number;
  /** In milliseconds since 1970, and how long the search for a node took. */
  began: number;
  took: number;
  /** The plugins, in the order in which they are asked. */
  filters: string[];
  scores: SchedulingWeight[];
  rows: SchedulingRow[];
  /** How many nodes there are besides those in rows. */
  moreRows: number;
  /** How many nodes passed all filters. */
  feasible: number;
  /** The node that was chosen; empty if none was. */
  node: string;
  /** The node that was tried first since an equal pod had just been scheduled; empty for none. */
  hint: string;
  /** The node that preemption had made room on before; empty for none. */
  nominated: string;
  /** Why no node was chosen, in the scheduler's words. */
  message: string;
  /** What preemption came to, if no node passed. */
  preemption: string;
}

/** A score plugin, and what its normalized score is multiplied by. */
export interface SchedulingWeight {
  name: string;
  weight: number;
}

export interface SchedulingRow {
  node: string;
  passed: boolean;
  /** In the order of SchedulingDecision's. */
  filters: PluginVerdict[];
  scores: PluginScore[];
  /** The sum of the weighted scores. */
  total: number;
}

export interface PluginVerdict {
  plugin: string;
  verdict: "passed" | "refused" | "skipped" | "not asked";
  /** The plugin's message, or why it was not asked. */
  why?: string;
}

/** The numbers mean nothing unless `scored`; `why` says what kept the plugin from it. */
export interface PluginScore {
  plugin: string;
  scored: boolean;
  raw: number;
  normalized: number;
  weighted: number;
  why?: string;
}

export interface AskPluginParams {
  namespace: string;
  name: string;
  node: string;
  plugin: string;
}

/** What a plugin says when it is asked afterwards, of the cluster as it is at that time. */
export interface PluginAnswer {
  plugin: string;
  node: string;
  /** In milliseconds since 1970. */
  at: number;
  /** None if the plugin does not filter, or does not score. */
  filter?: PluginVerdict;
  score?: PluginScore;
}

export interface EtcdKeysParams {
  /** "" is everything; a directory's name is what lies in it. */
  prefix: string;
  /** The name of the last entry of the page before; none or "" is from the beginning. */
  after?: string;
  /** At most 500, which is what none means. */
  limit?: number;
}

export interface EtcdPage {
  /** The store's latest revision, and the lowest that can still be read (0: all). */
  revision: number;
  compacted: number;
  /** Of the whole store: how many keys, and their bytes with those of the values. */
  keys: number;
  bytes: number;
  /** In the order of keys. */
  entries: EtcdEntry[];
  /** There is another page. */
  more: boolean;
}

/** A key, or all keys that go on after the same slash. */
export interface EtcdEntry {
  /** The whole key, or the prefix, which ends in a slash. */
  name: string;
  directory?: boolean;
  /** How many keys a directory holds; `atLeast` if they were too many to count. */
  keys?: number;
  atLeast?: boolean;
  /** The length of the value, or of all values in a directory. */
  bytes: number;
  /** The latest change of the key, or among a directory's keys. */
  modRevision: number;
  /** A key's only. */
  createRevision?: number;
  version?: number;
  lease?: number;
}

export interface EtcdObjectParams {
  key: string;
  /** The version that was there at that revision; none or 0: now. */
  revision?: number;
  /** "yaml" if none. */
  format?: "yaml" | "json";
  /** With the values of Secrets, because the owner asked for them. */
  secrets?: boolean;
}

export interface EtcdObject {
  key: string;
  /** The store's latest. */
  revision: number;
  createRevision: number;
  /** The object's resourceVersion, which is nowhere in the value. */
  modRevision: number;
  /** Counts the changes since the key was made. */
  version: number;
  lease?: number;
  /** The trace's step that wrote it, if it is held. */
  step?: number;
  /** The length of the value. */
  bytes: number;
  /** How the value is stored: "text" is no object, "unknown" may be encrypted. */
  encoding: "protobuf" | "json" | "text" | "unknown";
  apiVersion?: string;
  kind?: string;
  /** The object in the format asked for; empty if there is a `problem`. */
  text: string;
  problem?: string;
  /** Values of a Secret were left out. */
  withheld?: boolean;
}

export interface EtcdHistoryParams {
  key: string;
  /** Only versions before that revision; none or 0: all. */
  before?: number;
  /** At most 200, which is what none means. */
  limit?: number;
}

export interface EtcdHistory {
  key: string;
  /** The store's latest revision, and the lowest that can still be read (0: all). */
  revision: number;
  compacted: number;
  /** Latest first. What each held is asked for by `etcdObject` with its revision. */
  versions: EtcdVersion[];
  /** Older ones are held: ask for those before the last one's revision. */
  more: boolean;
  /** The last one made the key. */
  begins: boolean;
}

export interface EtcdVersion {
  revision: number;
  change: "create" | "update" | "delete";
  /** Counts the changes since the key was made; 0 for a deletion. */
  version: number;
  /** 0 for a deletion. */
  bytes: number;
  /** The trace's step that wrote it, if it is held. */
  step?: number;
}

export interface EtcdWatching {
  /** The store's latest. */
  revision: number;
  /** In the order in which they began. */
  watchers: EtcdWatcher[];
  /** How many there are besides. */
  more?: number;
}

export interface EtcdWatcher {
  id: number;
  /** The key, or the prefix of all that is watched, or the first key of another range up to `end`. */
  key: string;
  prefix?: boolean;
  end?: string;
  /** In milliseconds since 1970, and the revision that it began with. */
  began: number;
  from: number;
  /** How many events it was given. */
  events: number;
  /** How many revisions it has not been given that may concern it; 0: it is up to date. */
  lag: number;
}

export interface Completion {
  /** Candidates that replace line[from:cursor]. */
  from: number;
  words: { text: string; help?: string }[];
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
  | Fault;

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
  type: "slept";
  /** When it woke, in milliseconds since 1970. */
  at: number;
  milliseconds: number;
}

/** The cluster cannot go on: a Go panic, an os.Exit deep in upstream, or no memory left. */
export interface Fault {
  type: "fault";
  /** Which part: "download", "compile", "memory", "kube-apiserver", "kubelet", ... */
  component: string;
  message: string;
  hint: string;
  stack?: string;
}

/** What the worker script leaves on its globalThis for the Go program before `go.run`. */
export interface TabernetesHost {
  port: MessagePort;
  /** The page's VERSION. */
  protocol: number;
  config: ClusterConfig;
}

export interface ClusterConfig {
  /** In-tab nodes at start. */
  nodes: number;
  /** Whole cores and MiB of each of them. */
  nodeCPU?: number;
  nodeMemory?: number;
  /** The name under which it is kept in this browser, and goes on from there; empty for not at all. */
  keep?: string;
  /** A KubeSchedulerConfiguration and an AdmissionConfiguration in YAML; none when empty. */
  schedulerConfig?: string;
  admissionConfig?: string;
  /** Writes the components' informational log lines to the console; slow. */
  verbose?: boolean;
}
