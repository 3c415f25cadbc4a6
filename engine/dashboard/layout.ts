/** Places widgets on the grid at their positions, below the filters, without overlaps. */
import { gridColumns, type Position } from './modern.ts';
import { getObject, getNumber, type JsonObject } from './json-fields.ts';

/** Size of a widget that names none: half the width of the grid. */
const defaultSize = { width: 3, height: 4 };
const heightMax = 1_000;
/** Last row that a widget can name; larger numbers are clamped to it. */
const rowMax = 1_000_000;

const filterSize = { width: 2, height: 1 };

/** Row of a widget that names none. */
const unspecifiedRow = rowMax + 1;

/**
 * Returns the position in the options of a classic widget, clamped to the grid. Rows and columns count from
 * 0.
 */
export function parseClassicPosition(options: JsonObject): Position {
  const position = getObject(options, 'position');
  const clamped = (key: string, defaultValue: number, min: number, max: number): number =>
    Math.min(max, Math.max(min, Math.trunc(getNumber(position, key) ?? defaultValue)));
  const x = clamped('col', 0, 0, gridColumns - 1);
  return {
    x,
    y: getNumber(position, 'row') === undefined ? unspecifiedRow : clamped('row', 0, 0, rowMax),
    width: clamped('sizeX', defaultSize.width, 1, gridColumns - x),
    height: clamped('sizeY', defaultSize.height, 1, heightMax),
  };
}

/**
 * Returns the final positions of widgets, in the order of the widgets. A widget that overlaps another moves
 * down below it, and the widgets below move down as far as needed. Widgets without a row come last.
 * @param top number of rows that are occupied above the widgets
 */
export function placeWidgets(wanted: readonly Position[], top: number): Position[] {
  const order = wanted
    .map((position, index) => ({ position, index }))
    .sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x || a.index - b.index);
  // First free row of each column below all widgets placed so far.
  const freeRows = Array.from({ length: gridColumns }, () => 0);
  const placed: Position[] = [];
  for (const { position, index } of order) {
    const y =
      position.y > rowMax
        ? Math.max(...freeRows)
        : Math.max(position.y, ...freeRows.slice(position.x, position.x + position.width));
    for (let column = position.x; column < position.x + position.width; column += 1)
      freeRows[column] = y + position.height;
    placed[index] = { ...position, y: y + top };
  }
  return placed;
}

/** Returns the positions of filters at the top of a page, and the number of rows that they occupy. */
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
