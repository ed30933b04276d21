import type { AuditLine } from "../rpc/protocol.ts";

/** How many events the page keeps. */
export const MAX_EVENTS = 1000;

/** An event of an audit log, as far as a line shows it. Each field is what the log says, as text. */
export interface AuditEvent {
  /** Counts what came. */
  readonly number: number;
  readonly at: string;
  readonly stage: string;
  readonly level: string;
  readonly verb: string;
  readonly user: string;
  /** The path that was asked. */
  readonly uri: string;
  /** The response's status; 0 while there is none. */
  readonly code: number;
  readonly decision: string;
  readonly reason: string;
  /** The event as a whole. */
  readonly whole: unknown;
}

/** What was recorded: the latest of it, oldest first, and how many the page was too late for. */
export interface AuditLog {
  readonly events: readonly AuditEvent[];
  readonly missed: number;
  readonly next: number;
}

export const emptyLog: AuditLog = { events: [], missed: 0, next: 0 };

/** Takes lines in. */
export function take({ events, missed, next }: AuditLog, lines: readonly AuditLine[]): AuditLog {
  const came: AuditEvent[] = [];
  for (const line of lines) {
    if ("missed" in line) missed += line.missed;
    else came.push(eventOf(line.event, next++));
  }
  return { events: [...events, ...came].slice(-MAX_EVENTS), missed, next };
}

/** What a log is looked through for; empty for everything. */
export interface AuditFilter {
  readonly words: string;
  readonly stage: string;
  /** Only what was refused. */
  readonly refused: boolean;
}

/** Whether an event passes: each word stands in it somewhere. */
export function passes(event: AuditEvent, { words, stage, refused }: AuditFilter): boolean {
  if (stage !== "" && event.stage !== stage) return false;
  if (refused && event.code < 400 && event.decision !== "forbid") return false;
  const text =
    `${event.verb} ${event.user} ${event.uri} ${event.code} ${event.level} ${event.reason}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function eventOf(whole: unknown, number: number): AuditEvent {
  const annotations = part(whole, "annotations");
  const status = part(part(whole, "responseStatus"), "code");
  return {
    number,
    at: text(part(whole, "stageTimestamp")),
    stage: text(part(whole, "stage")),
    level: text(part(whole, "level")),
    verb: text(part(whole, "verb")),
    user: text(part(part(whole, "user"), "username")),
    uri: text(part(whole, "requestURI")),
    code: typeof status === "number" ? status : 0,
    decision: text(part(annotations, "authorization.k8s.io/decision")),
    reason: text(part(annotations, "authorization.k8s.io/reason")),
    whole,
  };
}

function part(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? (of as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
