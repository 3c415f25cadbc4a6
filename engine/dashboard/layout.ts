/** Places widgets on the grid: each where it stood, filters above them, and none on top of another. */
import { gridColumns, type Position } from './modern.ts';
import { getObject, getNumber, type JsonObject } from './json-fields.ts';

/** What has no size of its own is as wide as half the grid. */
const defaultSize = { width: 3, height: 4 };
const heightMax = 1_000;
/** Rows are counted up to here; what claims to stand further down stands here. */
const rowMax = 1_000_000;

export const filterSize = { width: 2, height: 1 };

/** The row of a widget that names none. */
const unspecifiedRow = rowMax + 1;

/**
 * The place that the options of a classic widget name, brought inside the grid. Rows and columns count from
 * 0.
 */
export function parseClassicPosition(options: JsonObject): Position {
  const position = getObject(options, 'position');
  const whole = (key: string, otherwise: number, least: number, most: number): number =>
    Math.min(most, Math.max(least, Math.trunc(getNumber(position, key) ?? otherwise)));
  const x = whole('col', 0, 0, gridColumns - 1);
  return {
    x,
    y: getNumber(position, 'row') === undefined ? unspecifiedRow : whole('row', 0, 0, rowMax),
    width: whole('sizeX', defaultSize.width, 1, gridColumns - x),
    height: whole('sizeY', defaultSize.height, 1, heightMax),
  };
}

/**
 * Places for widgets that name theirs, in the order in which they are given. A widget that stands free stays;
 * one that overlaps another moves down behind it, and those below it move with it as far as they must. What
 * names no row comes last.
 * @param top rows that are taken above all of them; everything moves down by as many
 */
export function placeWidgets(wanted: readonly Position[], top: number): Position[] {
  const order = wanted
    .map((position, index) => ({ position, index }))
    .sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x || a.index - b.index);
  // For each column the first row that is free below everything placed so far.
  const free = Array.from({ length: gridColumns }, () => 0);
  const placed: Position[] = [];
  for (const { position, index } of order) {
    const y =
      position.y > rowMax
        ? Math.max(...free)
        : Math.max(position.y, ...free.slice(position.x, position.x + position.width));
    for (let column = position.x; column < position.x + position.width; column += 1)
      free[column] = y + position.height;
    placed[index] = { ...position, y: y + top };
  }
  return placed;
}

/** Places for so many filters, in rows at the top of a page; `rows` is what they take. */
export function placeFilters(count: number): {
  readonly positions: readonly Position[];
  readonly rows: number;
} {
  const perRow = gridColumns / filterSize.width;
  const positions = Array.from({ length: count }, (_, index) => ({
    x: (index % perRow) * filterSize.width,
    y: Math.floor(index / perRow) * filterSize.height,
    ...filterSize,
  }));
  return { positions, rows: Math.ceil(count / perRow) * filterSize.height };
}
