/** Allocation of the nodes of a pool: first come first served, within its capacity. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allocatePoolNodes, type WaitingCluster } from '../../../../engine/cluster/node-allocation.ts';

const start = (clusterId: string, wanted: number): WaitingCluster => ({
  clusterId,
  running: false,
  wanted,
  held: 0,
});
const growth = (clusterId: string, held: number, wanted: number): WaitingCluster => ({
  clusterId,
  running: true,
  wanted,
  held,
});

describe('nodes are allocated', () => {
  test.each<[string, number | undefined, number, WaitingCluster[], [string, number][]]>([
    [
      'to all clusters while there are enough',
      6,
      1,
      [start('a', 2), start('b', 3)],
      [
        ['a', 2],
        ['b', 3],
      ],
    ],
    ['without limit to a pool without capacity', undefined, 100, [start('a', 50)], [['a', 50]]],
    ['to no cluster after one that does not fit', 4, 1, [start('a', 4), start('b', 1)], []],
    [
      'to the clusters before one that does not fit',
      4,
      1,
      [start('a', 1), start('b', 4), start('c', 1)],
      [['a', 1]],
    ],
    [
      'in part to a running cluster, and to no cluster after it',
      4,
      2,
      [growth('a', 2, 6), start('b', 1)],
      [['a', 4]],
    ],
    ['to no cluster when none is free', 2, 2, [growth('a', 1, 2)], []],
    ['to no cluster when more are held than the capacity', 2, 5, [start('a', 1)], []],
  ])('%s', (_name, capacity, held, waiting, expected) => {
    expect(
      allocatePoolNodes(capacity, held, waiting).map(({ clusterId, nodes }) => [clusterId, nodes]),
    ).toEqual(expected);
  });

  test('within the capacity, at most the wanted number, and all or none to a starting cluster', () => {
    const cluster = fc
      .record({ clusterId: fc.uuid(), running: fc.boolean(), wanted: fc.integer({ min: 1, max: 9 }) })
      .chain((one) =>
        (one.running ? fc.integer({ min: 1, max: one.wanted }) : fc.constant(0)).map((held) => ({
          ...one,
          held,
        })),
      );
    fc.assert(
      fc.property(fc.nat(20), fc.array(cluster, { maxLength: 8 }), (capacity, waiting) => {
        const before = waiting.reduce((sum, { held }) => sum + held, 0);
        const grants = allocatePoolNodes(capacity, before, waiting);
        const added = grants.map(({ clusterId, nodes }) => {
          const one = waiting.find((other) => other.clusterId === clusterId);
          if (one === undefined) throw new Error('a grant for an unknown cluster');
          expect(nodes).toBeLessThanOrEqual(one.wanted);
          if (!one.running) expect(nodes).toBe(one.wanted);
          return nodes - one.held;
        });
        expect(before + added.reduce((sum, more) => sum + more, 0)).toBeLessThanOrEqual(
          Math.max(before, capacity),
        );
      }),
    );
  });
});
