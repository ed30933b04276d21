/*
 * Where the squares of a big map stand. Positions depend on the order of the groups and on the
 * size class of each, not on how many pods it has at the moment: a map that is looked at must not
 * jump with every pod that comes.
 */

/** A group as the layout sees it. */
export interface Extent {
  key: string;
  /** Places that are taken, empty ones between them included. */
  count: number;
}

export interface Block {
  key: string;
  /** Pixels. The cells begin below the label. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** Cells in a row. */
  columns: number;
}

export interface Layout {
  /** Side of one pod's cell, in pixels. */
  cell: number;
  label: number;
  blocks: readonly Block[];
  width: number;
  height: number;
}

/** Cells are as big as these allow; below the last the map scrolls. */
const CELLS = [16, 14, 12, 10, 8, 7, 6, 5] as const;
const GAP = 8;
const LABEL = 16;

/** How many places a group is given: they grow in steps, so that its neighbours rarely move. */
export function sizeClass(count: number): number {
  let size = 12;
  while (size < count) size = Math.ceil(size * 1.5);
  return size;
}

/**
 * Blocks of one width beside each other, each as high as its size class asks, in rows whose height
 * is that of their highest. With `tiles`, for nodes, every block has the size of the biggest.
 */
export function layOut(
  groups: readonly Extent[],
  { width, height, tiles }: { width: number; height: number; tiles: boolean },
): Layout {
  const sizes = groups.map(({ count }) => sizeClass(count));
  const biggest = Math.max(12, ...sizes);
  if (tiles) sizes.fill(biggest);
  let best: Layout | undefined;
  for (const cell of CELLS) {
    best = place(groups, sizes, { cell, width, biggest });
    if (best.height <= height) break;
  }
  return best ?? { cell: CELLS[0], label: LABEL, blocks: [], width, height: 0 };
}

function place(
  groups: readonly Extent[],
  sizes: readonly number[],
  { cell, width, biggest }: { cell: number; width: number; biggest: number },
): Layout {
  // About three times as wide as high, and wide enough for a name.
  const wanted = Math.max(Math.ceil(Math.sqrt(biggest * 3)), Math.ceil(84 / cell));
  const fits = Math.max(1, Math.floor((width + GAP) / (wanted * cell + GAP)));
  const perRow = Math.min(fits, Math.max(1, groups.length));
  const columns = Math.max(1, Math.floor(((width + GAP) / perRow - GAP) / cell));
  const blocks: Block[] = [];
  let y = 0;
  for (let first = 0; first < groups.length; first += perRow) {
    const row = sizes.slice(first, first + perRow);
    const lines = Math.ceil(Math.max(...row) / columns);
    const blockHeight = LABEL + lines * cell;
    row.forEach((_size, i) => {
      const group = groups[first + i];
      if (!group) return;
      const x = i * (columns * cell + GAP);
      blocks.push({ key: group.key, x, y, width: columns * cell, height: blockHeight, columns });
    });
    y += blockHeight + GAP;
  }
  return { cell, label: LABEL, blocks, width, height: Math.max(0, y - GAP) };
}

/** The cell of a group's i-th place. */
export function cellAt({ cell, label }: Layout, block: Block, i: number): { x: number; y: number } {
  return {
    x: block.x + (i % block.columns) * cell,
    y: block.y + label + Math.floor(i / block.columns) * cell,
  };
}

/** What is at a point: a group, and the place in it, or -1 on its label. */
export function hit(layout: Layout, x: number, y: number): { key: string; i: number } | undefined {
  const { blocks, cell, label } = layout;
  const block = blocks.find(
    (b) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + b.height + GAP,
  );
  if (!block) return undefined;
  const line = Math.floor((y - block.y - label) / cell);
  const column = Math.floor((x - block.x) / cell);
  return { key: block.key, i: line < 0 ? -1 : line * block.columns + column };
}

/** A grid of equal tiles, one for each group: how a thousand nodes are shown. */
export interface Tiles {
  side: number;
  columns: number;
  count: number;
  height: number;
}

const TILES = [48, 40, 32, 28, 24, 20, 16] as const;
const TILE_GAP = 2;

/** Tiles as big as the space allows. */
export function layOutTiles(
  count: number,
  { width, height }: { width: number; height: number },
): Tiles {
  let tiles: Tiles = { side: 16, columns: 1, count, height: 0 };
  for (const side of TILES) {
    const columns = Math.max(1, Math.floor((width + TILE_GAP) / (side + TILE_GAP)));
    const lines = Math.ceil(count / columns);
    tiles = { side, columns, count, height: lines * (side + TILE_GAP) };
    if (tiles.height <= height) break;
  }
  return tiles;
}

export function tileAt({ side, columns }: Tiles, i: number): { x: number; y: number } {
  return {
    x: (i % columns) * (side + TILE_GAP),
    y: Math.floor(i / columns) * (side + TILE_GAP),
  };
}

/** The number of the tile at a point, or -1. */
export function hitTile({ side, columns, count }: Tiles, x: number, y: number): number {
  const column = Math.floor(x / (side + TILE_GAP));
  const line = Math.floor(y / (side + TILE_GAP));
  const i = line * columns + column;
  return x < 0 || y < 0 || column >= columns || i >= count ? -1 : i;
}
