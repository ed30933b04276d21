/*
 * Where everything in the drawing stands, wide and high: corners and sizes, in units of the viewBox.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Frame extends Point {
  readonly width: number;
  readonly height: number;
}

/** Where a station's name and what is said below it stand, from its middle. */
export interface Label {
  readonly anchor: "start" | "middle" | "end";
  readonly dx: number;
  readonly name: number;
  readonly small: number;
  /** How wide the words below its name may be. */
  readonly room: number;
  /** Where the marks of its plugins stand, and the room that all of them have. */
  readonly stops?: { readonly dy: number; readonly room: number };
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly kubectl: Frame;
  readonly server: Frame;
  /** Where the server's own name begins. */
  readonly title: Point;
  /** The middle of the first station, how far it is to the next, and where their names stand. */
  readonly stations: Point & { readonly dx: number; readonly dy: number; readonly label: Label };
  /** The watch cache, and its name. It is as high as the place where etcd's line parts. */
  readonly cache: Point;
  readonly cacheLabel: Label;
  readonly etcd: Frame;
  readonly controllers: readonly Frame[];
  /**
   * The frame round the controllers of kube-controller-manager, which is a box until one of them has acted: by how many
   * of the boxes are its own, from the first one on.
   */
  readonly manager: readonly [Frame, Frame, Frame];
  /** Where the frame's name begins, and how big it is in each of them. */
  readonly managerName: Point & { readonly size: readonly [number, number, number] };
  readonly scheduler: Frame;
  /** Down here to the schedulers below the first. */
  readonly besideScheduler: number;
  /** The column of the nodes, and the height that one has at most. */
  readonly nodes: Frame & { readonly most: number };
  /** Where the lines of those who watch go: along this height, and up here to the nodes. */
  readonly trunk: number;
  readonly riser: number;
  /** Requests come in here from below, to the first station. */
  readonly lane: number;
  /** Where those are counted that have no box: from the left, and the height of the line that leads there. */
  readonly moreControllers: Point & { readonly size: number };
  readonly moreSchedulers: Point;
  readonly moreNodes: Point;
  /** Down here to the controllers that have no box, and to their frame's name. */
  readonly edge: number;
  readonly managerEdge: number;
  /** Down here to the controllers, which stand on both sides; they have it from above else. */
  readonly aisle?: number;
}

const frame = (x: number, y: number, width: number, height: number): Frame => ({
  x,
  y,
  width,
  height,
});

// Names stand where no line goes: above a row of stations, beside a column of them.
const WIDE: Layout = {
  width: 1060,
  height: 400,
  kubectl: frame(10, 74, 100, 56),
  server: frame(122, 14, 650, 164),
  title: { x: 132, y: 32 },
  stations: {
    x: 190,
    y: 102,
    dx: 132,
    dy: 0,
    label: {
      anchor: "middle",
      dx: 0,
      name: -42,
      small: -22,
      room: 128,
      stops: { dy: 17, room: 104 },
    },
  },
  cache: { x: 586, y: 152 },
  cacheLabel: { anchor: "end", dx: -18, name: 6, small: 24, room: 110 },
  etcd: frame(616, 208, 160, 64),
  controllers: [0, 1, 2].map((i) => frame(14 + 186 * i, 312, 174, 56)),
  manager: [frame(6, 304, 190, 92), frame(6, 304, 372, 92), frame(6, 304, 562, 92)],
  managerName: { x: 14, y: 382, size: [12.5, 14, 14] },
  scheduler: frame(590, 312, 180, 64),
  besideScheduler: 580,
  nodes: { ...frame(800, 14, 250, 370), most: 108 },
  trunk: 292,
  riser: 787,
  lane: 190,
  edge: 380,
  managerEdge: 3,
  moreControllers: { x: 386, y: 382, size: 12.5 },
  moreSchedulers: { x: 590, y: 389 },
  moreNodes: { x: 800, y: 391 },
};

const NARROW: Layout = {
  width: 400,
  height: 588,
  kubectl: frame(10, 8, 120, 44),
  server: frame(10, 70, 218, 290),
  title: { x: 60, y: 88 },
  stations: {
    x: 38,
    y: 110,
    dx: 0,
    dy: 50,
    label: { anchor: "start", dx: 22, name: 1, small: 19, room: 164, stops: { dy: 24, room: 150 } },
  },
  cache: { x: 72, y: 342 },
  cacheLabel: { anchor: "start", dx: 18, name: 6, small: 24, room: 130 },
  etcd: frame(10, 384, 184, 60),
  controllers: [frame(10, 474, 184, 50), frame(206, 474, 184, 50), frame(10, 532, 184, 50)],
  manager: [frame(4, 454, 193, 74), frame(4, 454, 392, 74), frame(4, 454, 392, 132)],
  managerName: { x: 12, y: 464, size: [13, 13, 13] },
  scheduler: frame(206, 384, 184, 60),
  besideScheduler: 200,
  nodes: { ...frame(252, 8, 138, 348), most: 108 },
  trunk: 372,
  riser: 240,
  lane: 19,
  edge: 200,
  managerEdge: 200,
  moreControllers: { x: 206, y: 557, size: 13 },
  moreSchedulers: { x: 206, y: 454 },
  moreNodes: { x: 252, y: 364 },
  aisle: 200,
};

export function layoutFor(narrow: boolean): Layout {
  return narrow ? NARROW : WIDE;
}

/**
 * Pixels that the object which grows has at least where it stands below the drawing, a dozen lines: with fewer one
 * reads it better beside it. And the padding of the drawing.
 */
const BELOW = 240;
const PADDING = 16;
/** How small the wide drawing may be for that: its words are read then. */
const READ = 0.6;

/**
 * How high the drawing is, wide as it happens and slowly alike, in a room of so many pixels with the object that
 * grows below it; undefined if there is no room for both: they stand beside each other then.
 */
export function stays(room: {
  readonly width: number;
  readonly height: number;
}): number | undefined {
  const inner = room.width - PADDING;
  const height = Math.min((inner * WIDE.height) / WIDE.width + PADDING, room.height - BELOW);
  const scale = Math.min(inner / WIDE.width, (height - PADDING) / WIDE.height);
  return scale < READ ? undefined : Math.floor(height);
}

/** How much more must be read of the other drawing: one that changes for little has to be found one's way in anew. */
const MORE = 1.25;

/** Whether more can be read of the drawing that is higher than wide, in a room of so many pixels. */
export function fitsHigh(room: { readonly width: number; readonly height: number }): boolean {
  const scale = ({ width, height }: Layout) => Math.min(room.width / width, room.height / height);
  return scale(NARROW) > scale(WIDE) * MORE;
}
