import { MANAGER } from "./boxes.ts";
import { layoutFor, type Layout, type Point } from "./layout.ts";
import type { Place, Scene } from "./scene.ts";

/*
 * Who is joined with whom, and along which line. One line leads to etcd, from kube-apiserver: whoever
 * watches something is told by the server's watch cache.
 */

export interface Way {
  readonly from: string;
  readonly to: string;
  /** The line, from edge to edge. */
  readonly points: readonly Point[];
}

/** Every way between places that are drawn, and the ways of requests, which are drawn where one goes. */
export function waysOf(
  places: ReadonlyMap<string, Place>,
  stations: readonly string[],
  {
    trunk,
    riser,
    lane,
    aisle,
    edge,
    managerEdge,
    besideScheduler,
  }: Pick<
    Layout,
    "trunk" | "riser" | "lane" | "aisle" | "edge" | "managerEdge" | "besideScheduler"
  >,
): { readonly ways: readonly Way[]; readonly requests: readonly Way[] } {
  const ways: Way[] = [];
  const join = (from: Place | undefined, to: Place | undefined, points: readonly Point[]) => {
    if (from && to) ways.push({ from: from.id, to: to.id, points });
  };
  const kubectl = places.get("kubectl");
  const first = places.get(stations[0] ?? "");
  const storage = places.get(stations.at(-1) ?? "");
  const cache = places.get("watch cache");
  const etcd = places.get("etcd");
  if (!kubectl || !first || !storage || !cache || !etcd) return { ways, requests: [] };
  const { x, y } = first;
  const beside = kubectl.y === y;
  join(kubectl, first, [beside ? { x: right(kubectl), y } : { x, y: bottom(kubectl) }, { x, y }]);
  stations.slice(1).forEach((id, i) => {
    const [a, b] = [places.get(stations[i] ?? ""), places.get(id)];
    if (a && b) join(a, b, [a, b].map(middle));
  });
  const door = { x: storage.x, y: top(etcd) };
  join(storage, etcd, [middle(storage), door]);
  const corner = { x: door.x, y: cache.y };
  join(etcd, cache, [door, corner, middle(cache)]);
  // What only looks passes by admission and validation: beside them, to where it is answered.
  const allowed = places.get(stations[1] ?? "");
  if (allowed) {
    const past =
      storage.y === y
        ? [allowed, storage].map((one) => ({ x: one.x, y: y + BELOW }))
        : [allowed, corner].map((one) => ({ x: x - BESIDE, y: one.y }));
    const way = [middle(allowed), ...past, corner];
    join(allowed, cache, [...way, middle(cache)]);
    join(allowed, etcd, [...way, door]);
  }
  const begin = [middle(cache), { x: cache.x, y: trunk }];
  for (const place of places.values()) {
    if (place.id.startsWith("scheduler ") || place.id === "more schedulers") {
      const down = [trunk, place.y].map((y) => ({ x: besideScheduler, y }));
      join(cache, place, [...begin, ...down, { x: left(place), y: place.y }]);
    } else if (
      place.id.startsWith("node ") ||
      (place.shape === "rest" && !(isManager(place) && aisle))
    ) {
      const by = place.id === "more controllers" ? edge : isManager(place) ? managerEdge : riser;
      const up = [
        { x: by, y: trunk },
        { x: by, y: place.y },
      ];
      join(cache, place, [...begin, ...up, { x: left(place), y: place.y }]);
    } else if (place.id.startsWith("controller ") && aisle !== undefined) {
      const down = { x: aisle, y: trunk };
      const apart = left(place) > aisle || right(place) < aisle;
      const edge = left(place) > aisle ? left(place) : right(place);
      const end = apart
        ? [
            { x: aisle, y: place.y },
            { x: edge, y: place.y },
          ]
        : [{ x: aisle, y: top(place) }];
      join(cache, place, [...begin, down, ...end]);
    } else if (place.id.startsWith("controller ") || place.id === "scheduler") {
      const end = [trunk, top(place)].map((at) => ({ x: place.x, y: at }));
      join(cache, place, [...begin, ...end]);
    }
  }
  // Whoever watches asks at the front door: back along the line that told it, and up to the first station.
  const up = [
    { x: lane, y: trunk },
    { x: lane, y },
    { x, y },
  ];
  const requests = ways
    .filter(({ from }) => from === cache.id)
    .map(({ to, points }) => {
      const back = points.slice(begin.length).reverse();
      return { from: to, to: first.id, points: [...back, ...up] };
    });
  if (requests.length > 0) {
    // Who it is that asks may not be told: only that the cache told them.
    requests.push({ from: cache.id, to: first.id, points: [...begin, ...up] });
    ways.push({ from: DOOR, to: first.id, points: [{ x: cache.x, y: trunk }, ...up] });
  }
  return { ways, requests };
}

/** The name of the frame round kube-controller-manager's controllers. */
const isManager = ({ id }: Place) => id === `controller ${MANAGER}`;

/** How far from the stations a line is that passes them by: below a row of them, or beside a column. */
const BELOW = 32;
const BESIDE = 14;

/** Where the lines of all who watch meet, below the server. */
const DOOR = "door";

type Joined = Pick<Scene, "ways" | "requests">;

/** Whether one line joins two places, whichever way it is gone. */
export function joins(a: Place, b: Place, { ways, requests }: Joined): boolean {
  return [...ways, ...requests].some(
    ({ from, to }) => (from === a.id && to === b.id) || (from === b.id && to === a.id),
  );
}

/**
 * The way from one place to another, from middle to middle: along the line that joins them, or along those that lead
 * there. Straight only where none does.
 */
export function route(from: Place, to: Place, joined: Joined): readonly Point[] {
  return [middle(from), ...between(from.id, to.id, joined), middle(to)].filter(
    ({ x, y }, i, all) => i === 0 || x !== all[i - 1]?.x || y !== all[i - 1]?.y,
  );
}

/** The points of the lines that lead from one place to another, the shortest way; none if no line does. */
function between(from: string, to: string, { ways, requests }: Joined): readonly Point[] {
  const all = [...ways, ...requests];
  const back = all.map((way) => ({
    from: way.to,
    to: way.from,
    points: [...way.points].reverse(),
  }));
  const both = [...all, ...back];
  const direct = both.find((way) => way.from === from && way.to === to);
  if (direct) return direct.points;
  const open = new Map<string, { readonly far: number; readonly points: readonly Point[] }>();
  open.set(from, { far: 0, points: [] });
  const reached = new Set<string>();
  for (;;) {
    const [next] = [...open].sort(([, a], [, b]) => a.far - b.far);
    if (!next) return [];
    const [at, { points }] = next;
    if (at === to) return points;
    open.delete(at);
    reached.add(at);
    for (const way of both) {
      if (way.from !== at || reached.has(way.to)) continue;
      const more = [...points, ...way.points];
      const far = long(more);
      if (far < (open.get(way.to)?.far ?? Infinity)) open.set(way.to, { far, points: more });
    }
  }
}

/** How long a line is. */
function long(points: readonly Point[]): number {
  return points.reduce((so, { x, y }, i) => {
    const before = points[i - 1];
    return so + (before ? Math.hypot(x - before.x, y - before.y) : 0);
  }, 0);
}

/** The line that a Binding draws, from the scheduler to the node that it chose; none if that is not drawn. */
export function bindingTo(
  from: Place,
  node: string,
  { places, riser, narrow }: Pick<Scene, "places" | "riser" | "narrow">,
): readonly Point[] {
  const to = places.get(`node ${node}`);
  if (!to) return [];
  const end = [
    { x: riser, y: to.y },
    { x: left(to), y: to.y },
  ];
  if (!narrow) return [{ x: right(from), y: from.y }, { x: riser, y: from.y }, ...end];
  if (from.id === "scheduler") return [{ x: riser, y: top(from) }, ...end];
  // Around the one above it.
  const { besideScheduler: x, trunk: y } = layoutFor(narrow);
  return [{ x: left(from), y: from.y }, { x, y: from.y }, { x, y }, { x: riser, y }, ...end];
}

/** How far along a line each of its points is: from 0 to 1. */
export function along(points: readonly Point[]): number[] {
  let so = 0;
  const far = points.map(({ x, y }, i) => {
    const before = points[i - 1];
    return (so += before ? Math.hypot(x - before.x, y - before.y) : 0);
  });
  return far.map((one) => (so === 0 ? 0 : one / so));
}

const middle = ({ x, y }: Point): Point => ({ x, y });
const left = ({ x, width }: Place) => x - width / 2;
const right = ({ x, width }: Place) => x + width / 2;
const top = ({ y, height }: Place) => y - height / 2;
const bottom = ({ y, height }: Place) => y + height / 2;
