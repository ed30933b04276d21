/*
 * The SDK: a cluster in anybody's page. `createCluster` starts one; what it returns is all there is
 * to it. docs/embedding.md tells how.
 */
export { createCluster, downloadSize, type EmbeddedCluster, type WatchOptions } from "./create.ts";
export type { ClusterEvents } from "./events.ts";
export { memoryHere, type Memory } from "./memory.ts";
export type { ClusterOptions } from "./options.ts";
export type { OverCluster, TerminalElement, TerminalOptions } from "./terminal.ts";
export type { ImageDefinition, Images } from "../cluster/images.ts";
export type { CommandOptions, CommandResult, Tabernetes } from "../cluster/api.ts";
export type { Change } from "../kube/reflector.ts";
export { CallError } from "../rpc/client.ts";
export type { Fault, Slept, TraceExport, TraceStep } from "../rpc/protocol.ts";
export type { Disposable } from "../state/disposable.ts";
