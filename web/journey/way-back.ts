import type { TraceStep } from "../rpc/protocol.ts";
import type { Answer } from "./besides.ts";
import type { Point } from "./layout.ts";
import { route } from "./lines.ts";
import { WRITE } from "../trace/told.ts";
import { originOf, placeOf, STATIONS, type Place, type Scene } from "./scene.ts";

/** The way of an answer: back the way that its request came, and to whom. */
export interface WayBack {
  readonly to: Place;
  readonly code: string;
  readonly points: readonly Point[];
}

/** From the step after which it goes; undefined if who asked is not told, but only that the watch cache told them something. */
export function wayBack(
  step: TraceStep,
  { request, code }: Answer,
  steps: ReadonlyMap<number, TraceStep>,
  scene: Scene,
): WayBack | undefined {
  const to = originOf(request, steps, scene);
  if (to.shape === "station" || to.id === "etcd") return undefined;
  const here = placeOf(step, scene);
  const station = STATIONS.findIndex((id) => id === here.id);
  // What is read was admitted and validated by nobody.
  const last = station >= 0 ? station : WRITE.test(step.kind) ? STATIONS.length - 1 : 1;
  const passed = STATIONS.slice(0, last + 1).flatMap((id) => scene.places.get(id) ?? []);
  const way = [to, ...passed, ...(station >= 0 ? [] : [here])];
  const points = way.slice(1).flatMap((next, i) => route(way[i] ?? next, next, scene));
  return { to, code, points: points.toReversed() };
}
