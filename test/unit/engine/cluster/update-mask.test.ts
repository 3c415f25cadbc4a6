/** Partial updates of clusters by an update_mask. */
import { expect, test } from 'vitest';
import { applyUpdateMask, parseClusterMask } from '../../../../engine/cluster/update-mask.ts';

const known = ['cluster_name', 'num_workers', 'autoscale', 'spark_conf', 'custom_tags'];
const current = { cluster_name: 'a', num_workers: 2, spark_conf: { x: '1' } };
const range = { min_workers: 1, max_workers: 3 };

test.each<[string, string, object, object, object]>([
  [
    'a named field',
    'cluster_name',
    { cluster_name: 'b', num_workers: 9 },
    current,
    { ...current, cluster_name: 'b' },
  ],
  [
    'several, with spaces',
    'cluster_name, spark_conf',
    { cluster_name: 'b' },
    current,
    { cluster_name: 'b', num_workers: 2 },
  ],
  [
    'a field inside',
    'autoscale.max_workers',
    { autoscale: { max_workers: 5 } },
    { autoscale: range },
    { autoscale: { min_workers: 1, max_workers: 5 } },
  ],
  [
    'a range instead of a number',
    'autoscale',
    { autoscale: range },
    { num_workers: 2 },
    { autoscale: range },
  ],
  [
    'a number instead of a range',
    'num_workers',
    { num_workers: 1 },
    { autoscale: range },
    { num_workers: 1 },
  ],
  ['the size, as neither', 'num_workers,autoscale', {}, { num_workers: 2 }, {}],
  ['everything', '*', { num_workers: 1 }, current, { num_workers: 1 }],
])('a mask changes %s', (_, mask, changes, before, after) => {
  expect(applyUpdateMask({ ...before }, changes, parseClusterMask(mask, known))).toEqual(after);
});

test.each([
  ['', 'update_mask names ""; it must name fields of cluster, separated by commas, or be "*".'],
  ['size', 'update_mask names "size"; it must name'],
  ['cluster_name,', 'update_mask names ""; it must name'],
  ['spark_conf.x', 'update_mask names "spark_conf.x", an entry of a map; name spark_conf as a whole.'],
])('the mask %j is refused', (mask, message) => {
  expect(() => parseClusterMask(mask, known)).toThrow(message);
});
