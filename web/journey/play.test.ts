import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { chapterAt, Play } from "./play.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const STEPS: readonly (readonly [kind: string, chapter: string])[] = [
  ["kubectl.command", "kubectl"],
  ["kubectl.request", "kubectl"],
  ["apiserver.request", "etcd"],
  ["authentication.accepted", "authentication"],
  ["admission.mutating", "admission"],
  ["registry.created", "etcd"],
  ["admission.validating", "admission"],
  ["etcd.put", "etcd"],
  ["etcd.watched", "etcd"],
  ["controllers.reconcile", "controllers"],
  ["apiserver.request", "etcd"],
  ["authentication.accepted", "authentication"],
  ["admission.mutating", "admission"],
  ["etcd.put", "etcd"],
  ["x.y", "no chapter of the guide"],
  ["scheduler.attempt", "scheduler"],
];
const told = STEPS.map(([kind, chapter], i): TraceStep => ({
  id: i + 1,
  at: i,
  component: "c",
  kind,
  chapter,
}));
const known = (chapter: string) => !chapter.includes(" ");

function started() {
  let at = 0;
  let seen = true;
  const play = new Play({
    told: () => told,
    at: () => at,
    go: (to) => (at = to),
    known,
    seen: () => seen,
    letters: () => 20,
    changed: () => undefined,
  });
  play.begin();
  return { play, at: () => at, by: (to: number) => (at = to), hide: () => (seen = false) };
}

test("a page is turned to a chapter that is come to for the first time, and never back", () => {
  expect(told.map((_, at) => chapterAt(told, at, known))).toEqual([
    ...Array<string>(3).fill("kubectl"),
    "authentication",
    ...Array<string>(3).fill("admission"),
    "etcd",
    "etcd",
    ...Array<string>(6).fill("controllers"),
    "scheduler",
  ]);
  expect(chapterAt([], 0, known)).toBe("");
});

test("a handler opens the chapter of what it reads, and none if it writes", () => {
  const at = (details: unknown) => {
    const handler = { id: 9, at: 9, component: "c", kind: "apiserver.handler", chapter: "etcd" };
    return chapterAt([...told.slice(0, 4), { ...handler, details }], 4, known);
  };
  expect(at({ handler: "Get", from: "etcd" })).toBe("etcd");
  expect(at({ handler: "Create" })).toBe("authentication");
});

test("what a controller does within a request turns no page to the controllers", () => {
  const one = (id: number, kind: string, chapter: string, cause: number): TraceStep => ({
    id,
    at: id,
    component: "c",
    kind,
    chapter,
    cause,
  });
  const quota = [
    one(2, "apiserver.request", "etcd", 1),
    one(3, "admission.mutating", "admission", 2),
    one(4, "controllers.reconcile", "controllers", 2),
    one(5, "etcd.put", "etcd", 2),
  ];
  expect(quota.map((_, at) => chapterAt(quota, at, known))).toEqual([
    "",
    "admission",
    "admission",
    "etcd",
  ]);
});

test("it stops at each chapter's first step, once, and goes on when it is told to", () => {
  const { play, at } = started();
  const stops = [];
  for (let i = 0; i < 20 && (play.waits === "chapter" || i === 0); i++) {
    stops.push(`${at()} ${play.chapter()}`);
    expect(play.playing).toBe(false);
    // However long it takes to read.
    vi.advanceTimersByTime(3_600_000);
    play.goOn();
    vi.advanceTimersByTime(60_000);
  }
  expect(stops).toEqual([
    "0 kubectl",
    "3 authentication",
    "4 admission",
    "7 etcd",
    "9 controllers",
    "15 scheduler",
  ]);
  expect([at(), play.playing]).toEqual([15, false]);
});

test("without stops it goes to its end; switched while it waits, it plays nothing by itself", () => {
  const { play, at } = started();
  play.setStops(false);
  expect([play.playing, play.waits]).toEqual([false, "chapter"]);
  vi.advanceTimersByTime(60_000);
  expect(at()).toBe(0);
  play.goOn();
  vi.advanceTimersByTime(60_000);
  expect([at(), play.playing, play.waits]).toEqual([15, false, ""]);
});

test("where the reader has gone by hand, they have been", () => {
  const { play, at, by } = started();
  by(4);
  play.moved();
  by(0);
  play.moved();
  play.goOn();
  vi.advanceTimersByTime(60_000);
  // Of admission they have seen the page; authentication they have jumped over.
  expect(at()).toBe(3);
  play.goOn();
  vi.advanceTimersByTime(60_000);
  expect(at()).toBe(7);
});

test("it waits for a reader, and does not go on where nobody sees it", () => {
  const { play, at, hide } = started();
  play.goOn();
  play.pause("reader");
  vi.advanceTimersByTime(60_000);
  expect([at(), play.waits]).toEqual([0, "reader"]);
  play.goOn();
  hide();
  vi.advanceTimersByTime(60_000);
  expect([at(), play.playing]).toEqual([0, false]);
});

test("who goes by hand while it plays stands where they have gone, until they have it go on", () => {
  const { play, at, by } = started();
  play.goOn();
  by(5);
  play.moved();
  vi.advanceTimersByTime(60_000);
  expect([at(), play.playing, play.waits]).toEqual([5, false, ""]);
});
