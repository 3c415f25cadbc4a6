/** Positions on the grid: inside the grid, without overlaps, in order, and unmoved where possible. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseClassicPosition, placeWidgets, placeFilters } from '../../../../engine/dashboard/layout.ts';
import { gridColumns, type Position } from '../../../../engine/dashboard/modern.ts';

const position: fc.Arbitrary<Position> = fc
  .record({
    x: fc.integer({ min: 0, max: gridColumns - 1 }),
    y: fc.nat(30),
    width: fc.integer({ min: 1, max: gridColumns }),
    height: fc.integer({ min: 1, max: 8 }),
  })
  .map((one) => ({ ...one, width: Math.min(one.width, gridColumns - one.x) }));

/** Random options: valid, outside of the grid, or of a wrong type. */
const options = fc.oneof(
  fc.record({
    position: fc.record(
      {
        col: fc.integer({ min: -3, max: 9 }),
        row: fc.integer({ min: -2, max: 40 }),
        sizeX: fc.integer({ min: -1, max: 9 }),
        sizeY: fc.integer({ min: -1, max: 9 }),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    position: fc.oneof(
      fc.jsonValue(),
      fc.record({ col: fc.jsonValue(), row: fc.oneof(fc.double(), fc.string()), sizeX: fc.double() }),
    ),
  }),
);

function overlap(a: Position, b: Position): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function overlaps(places: readonly Position[]): [Position, Position][] {
  return places.flatMap((a, index) =>
    places
      .slice(index + 1)
      .filter((b) => overlap(a, b))
      .map((b): [Position, Position] => [a, b]),
  );
}

const isInside = ({ x, y, width, height }: Position): boolean =>
  x >= 0 &&
  y >= 0 &&
  width >= 1 &&
  height >= 1 &&
  x + width <= gridColumns &&
  [x, y, width, height].every(Number.isInteger);

describe('spec 4.4: layout of widgets at random positions', () => {
  test('widgets are inside the grid and do not overlap', () => {
    fc.assert(
      fc.property(fc.array(options, { maxLength: 30 }), fc.nat(5), (all, top) => {
        const places = placeWidgets(
          all.map((one) => parseClassicPosition(one)),
          top,
        );
        expect(places).toHaveLength(all.length);
        expect(places.filter((one) => !isInside(one) || one.y < top)).toEqual([]);
        expect(overlaps(places)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('widgets keep their column and size and never move up', () => {
    fc.assert(
      fc.property(fc.array(position, { maxLength: 30 }), fc.nat(5), (all, top) => {
        for (const [index, { y, ...rest }] of placeWidgets(all, top).entries()) {
          expect(all[index]).toMatchObject(rest);
          expect(y).toBeGreaterThanOrEqual((all[index]?.y ?? 0) + top);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('a widget above another in the same column stays above it', () => {
    fc.assert(
      fc.property(fc.array(position, { maxLength: 30 }), (all) => {
        const places = placeWidgets(all, 0);
        for (const [i, a] of all.entries()) {
          for (const [j, b] of all.entries()) {
            if (a.y >= b.y || a.x >= b.x + b.width || b.x >= a.x + a.width) continue;
            expect(places[i]?.y).toBeLessThan(places[j]?.y ?? 0);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('widgets without overlaps keep their position below the filters', () => {
    fc.assert(
      fc.property(fc.array(position, { maxLength: 30 }), fc.nat(5), (all, top) => {
        const apart = placeWidgets(all, 0);
        expect(placeWidgets(apart, top)).toEqual(apart.map((one) => ({ ...one, y: one.y + top })));
      }),
      { numRuns: 500 },
    );
  });
});

test('filters are placed side by side in rows at the top', () => {
  fc.assert(
    fc.property(fc.nat(50), (count) => {
      const { positions, rows } = placeFilters(count);
      expect(positions).toHaveLength(count);
      expect(overlaps(positions)).toEqual([]);
      expect(positions.every((one) => isInside(one) && one.y + one.height <= rows)).toBe(true);
    }),
  );
  expect(placeFilters(4)).toEqual({
    rows: 2,
    positions: [
      { x: 0, y: 0 },
      { x: 2, y: 0 },
      { x: 4, y: 0 },
      { x: 0, y: 1 },
    ].map((at) => ({ ...at, width: 2, height: 1 })),
  });
});

test('a widget without a row is placed below all others', () => {
  const places = placeWidgets(
    [parseClassicPosition({}), parseClassicPosition({ position: { col: 5, row: 7, sizeX: 1, sizeY: 2 } })],
    0,
  );
  expect(places).toEqual([
    { x: 0, y: 9, width: 3, height: 4 },
    { x: 5, y: 7, width: 1, height: 2 },
  ]);
});
