/*
 * A Worker that speaks the protocol and pretends to be a cluster, for making and testing views
 * without a WebAssembly build. It is no simulator: it knows a handful of lines and moves pods
 * through a few states on a timer. It is built in mode "fake" only and never part of the product.
 */
import {
  VERSION,
  type AskPluginParams,
  type ConfigFiles,
  type DecisionParams,
  type AttachEvent,
  type AttachOrder,
  type AttachParams,
  type EtcdHistoryParams,
  type EtcdKeysParams,
  type PacketPathParams,
  type PodName,
  type EtcdObjectParams,
  type ExecParams,
  type FetchParams,
  type InviteParams,
  type InviteResult,
  type NodesParams,
  type StepParams,
  type ToPage,
  type ToWorker,
} from "../rpc/protocol.ts";
import { sh } from "../kube/shell-line.ts";
import type { WorkerInit } from "../worker/init.ts";
import { FakeCheckpoints } from "./fake-checkpoints.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { serve } from "./fake-api.ts";
import { FakeConfiguration, filesOf } from "./fake-configuration.ts";
import { FakeEtcd } from "./fake-etcd.ts";
import { FakeShell } from "./fake-shell.ts";
import { asked, decided } from "./fake-decision.ts";
import { FakeTrace } from "./fake-trace.ts";

const BOOT: [step: Extract<ToPage, { type: "boot" }>["step"], milliseconds: number][] = [
  ["compile", 20],
  ["store", 5],
  ["apiserver", 40],
  ["controllers", 15],
  ["scheduler", 10],
  ["nodes", 20],
];
/** With `?verbose` in the address slowly, to be looked at: so many times as long. */
const SLOWLY = 20;

addEventListener("message", (event: MessageEvent<WorkerInit>) => void start(event.data), {
  once: true,
});

async function start({ port, config }: WorkerInit): Promise<void> {
  const post = (message: ToPage) => port.postMessage(message);
  const cluster = new FakeCluster();
  const trace = new FakeTrace();
  const etcd = new FakeEtcd(cluster);
  const configuration = new FakeConfiguration();
  const checkpoints = new FakeCheckpoints();
  const shell = new FakeShell(cluster, trace);
  const calls = new Map<number, AbortController>();
  /** Who takes the body of each request that has one. */
  const bodies = new Map<number, (message: ToWorker) => void>();
  const bodyOf = (id: number): Promise<string> =>
    new Promise((resolve) => {
      const decoder = new TextDecoder();
      let text = "";
      bodies.set(id, (message) => {
        if (message.type === "data") text += decoder.decode(message.chunk, { stream: true });
        else if (message.type === "end") resolve(text);
      });
    });

  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type !== "call") {
      if (data.type === "cancel") calls.get(data.id)?.abort();
      else if (bodies.has(data.id)) bodies.get(data.id)?.(data);
      else shell.receive(data);
      return;
    }
    const { id, method, params } = data;
    const stop = new AbortController();
    calls.set(id, stop);
    const answer = async (): Promise<unknown> => {
      const told = cluster.told(method);
      if (told !== undefined) return told;
      switch (method) {
        case "fetch":
          return serve(
            cluster,
            params as FetchParams,
            id,
            post,
            stop.signal,
            (params as FetchParams).body ? bodyOf(id) : Promise.resolve(""),
          );
        case "visit":
        case "visitSocket":
          post({ type: "event", id, event: { failed: "refused" } });
          throw new Error("connect: connection refused");
        case "exec":
          return shell.exec(params as ExecParams, id, post, stop.signal);
        case "nodes":
          return cluster.manage(params as NodesParams);
        case "check":
          return checked(params as ConfigFiles);
        case "close":
        case "defineImage":
          return {};
        case "measureContainers": // no image runs here
        case "answered":
          return new Promise(() => undefined);
        case "complete":
          return shell.complete(params as { line: string; cursor: number });
        case "invite":
          return invitation(params as InviteParams);
        case "trace":
          return trace.follow(stop.signal, (line) => post(dataOf(id, `${JSON.stringify(line)}\n`)));
        case "kinds":
          return trace.kinds();
        case "step":
          return trace.step((params as StepParams).id) ?? Promise.reject(new Error("not held"));
        case "export":
          post(dataOf(id, trace.export()));
          return {};
        case "decision":
          return decided(cluster, params as DecisionParams);
        case "askPlugin":
          return asked(params as AskPluginParams);
        case "packetPath": {
          const { from, to } = params as PacketPathParams;
          const end = ({ namespace, name }: PodName) => ({
            at: `pod ${namespace}/${name}`,
            by: "in-tab network",
          });
          return {
            hops: [end(from), { at: "node-1", by: "in-tab dialer" }, end(to)],
            arrives: true,
            subnets: [{ node: "node-1", pods: "10.244.1.0/24", inTab: true }],
          };
        }
        case "etcdKeys":
          return etcd.keys(params as EtcdKeysParams);
        case "etcdObject":
          return etcd.object(params as EtcdObjectParams);
        case "etcdHistory":
          return etcd.history(params as EtcdHistoryParams);
        case "etcdWatchers":
          return etcd.watchers();
        case "configuration":
          return configuration.inForce();
        case "checkConfiguration":
          return { problems: configuration.problems(filesOf(params)) };
        case "configure":
          return configuration.configure(filesOf(params));
        case "restoreConfiguration":
          return configuration.restore();
        case "accessControls":
          return configuration.accessControls();
        case "audit":
          post(dataOf(id, configuration.audit()));
          return new Promise((_resolve, reject) => {
            stop.signal.addEventListener("abort", () => reject(new Error("cancelled")));
          });
        case "whoMay":
          return configuration.whoMay();
        case "exportCluster":
          post(dataOf(id, "a cluster's file"));
          return {};
        case "manifest":
          post(dataOf(id, "---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: mine\n"));
          return { objects: 1 };
        case "checkpoints":
          return checkpoints.list();
        case "takeCheckpoint": {
          const {
            why,
            before = false,
            of,
          } = params as {
            why: string;
            before?: boolean;
            of?: string;
          };
          return checkpoints.take(why, !before, of);
        }
        case "compareCheckpoint":
          return checkpoints.compare((params as { id: number }).id);
        case "restoreCheckpoint":
          return checkpoints.restore((params as { id: number }).id);
        case "copyCheckpoint":
        case "copyCluster":
          return { left: "" };
        case "importCluster":
          await bodyOf(id);
          throw new Error("import the cluster: the file ends early: copy or download it again");
        case "attach":
          bodies.set(
            id,
            (message) =>
              message.type === "order" && answered(cluster, message.order as AttachOrder),
          );
          return attach(params as AttachParams, id, post, stop.signal);
      }
    };
    answer().then(
      (value) => post({ type: "result", id, value }),
      (error: unknown) => post({ type: "error", id, error: { message: String(error) } }),
    );
  };

  // A module takes no call before it has said which protocol it speaks; this one answers at once.
  post({ type: "hello", version: VERSION });
  // One that was written, and one that was not.
  if (config.resume) {
    const at = Date.now();
    const why = "the browser's storage for this page is full: delete clusters that you do not need";
    post({
      type: "image",
      kept: { at: at - 150_000, bytes: 214e6 },
      failed: { at: at - 30_000, why },
    });
  }
  const total = 14_200_000;
  const pace = config.verbose ? SLOWLY : 1;
  post({ type: "boot", step: "download", state: "started", at: performance.now() });
  for (let loaded = 0; loaded < total; loaded += total / 8) {
    post({
      type: "boot",
      step: "download",
      state: "progress",
      loaded,
      total,
      at: performance.now(),
    });
    await sleep(5 * pace);
  }
  post({
    type: "boot",
    step: "download",
    state: "done",
    loaded: total,
    total,
    at: performance.now(),
  });
  for (const [step, milliseconds] of BOOT) {
    post({ type: "boot", step, state: "started", at: performance.now() });
    if (step === "apiserver") trace.started();
    if (step === "store") cluster.addNamespaces("default", "kube-system");
    if (step === "nodes") cluster.addNodes(config.nodes);
    await sleep(milliseconds * pace);
    post({ type: "boot", step, state: "done", at: performance.now() });
  }
}

function dataOf(id: number, text: string): ToPage {
  return { type: "data", id, stream: "body", chunk: new TextEncoder().encode(text) };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** As the cluster does it: what is no mapping is refused. */
function checked({ schedulerConfig, admissionConfig }: ConfigFiles): ConfigFiles {
  const say = (text: string) =>
    text === "" || text.includes("kind:") ? "" : "Object 'Kind' is missing";
  return { schedulerConfig: say(schedulerConfig), admissionConfig: say(admissionConfig) };
}

/** Writes down what the owner has said, for tests. */
function answered(cluster: FakeCluster, order: AttachOrder): void {
  if (order.type !== "answer") return;
  const name = `answer-${order.id}-${order.agree ? "yes" : "no"}`;
  const metadata = { name, namespace: "default", uid: name, resourceVersion: "" };
  cluster.put("configmaps", { metadata }, { Name: name });
}

/** A tunnel that is up until the page goes. Two people ask the cluster named "asked" for access. */
function attach(
  { name }: AttachParams,
  id: number,
  post: (message: ToPage) => void,
  stop: AbortSignal,
): Promise<Record<string, never>> {
  const up: AttachEvent = {
    type: "state",
    up: true,
    name: name || "tab",
    addresses: ["127.0.0.1:6443"],
  };
  const ask = (id: number, user: string): AttachEvent => ({
    type: "ask",
    id,
    user,
    code: `CODE-${id}`,
  });
  const asks = name === "asked" ? [ask(1, "ada"), ask(2, "mallory")] : [];
  for (const event of [up, ...asks]) post({ type: "event", id, event });
  return new Promise((resolve) => stop.addEventListener("abort", () => resolve({})));
}

function invitation({ hub, cluster }: InviteParams): InviteResult {
  const token = "abcdef.0123456789abcdef";
  const caHash = `sha256:${"0".repeat(64)}`;
  return {
    token,
    caHash,
    expires: new Date(Date.now() + 24 * 3_600_000).toISOString(),
    line: sh`sudo nodehost join ${hub} --cluster ${cluster} --token ${token} --ca-cert-hash ${caHash}`,
  };
}
