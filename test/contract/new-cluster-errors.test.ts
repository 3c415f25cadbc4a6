/** Missing fields in new_cluster of a job (spec 2.8). */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { assertFieldRow, jobLocation, newCluster, type SettingsLocation } from './field-rows.ts';

let runyard: TestService;

beforeAll(async () => {
  runyard = await startTestService({
    clusters: {
      ...defaultInventory,
      pools: { pool: {} },
      policies: { policy: { node_type_id: 'standard-4' } },
    },
  });
});

afterAll(() => runyard.stop());

/** Puts the settings of a row into a new_cluster at a location. */
function clusterAt(place: SettingsLocation): SettingsLocation {
  return {
    version: place.version,
    path: `${place.path}new_cluster.`,
    toJobSettings: (settings) =>
      place.toJobSettings({ existing_cluster_id: undefined, new_cluster: { ...newCluster, ...settings } }),
    settingsFrom: (settings) => place.settingsFrom(settings).new_cluster,
  };
}

const noSize = { num_workers: undefined };

describe('new_cluster of a job', () => {
  test.each<[string, object, string]>([
    ['no size', noSize, 'size'],
    ['no spark_version', { spark_version: undefined }, 'spark_version'],
    ['no node type, pool or policy', { node_type_id: undefined }, 'node_type_id'],
  ])('spec 2.8 NewCluster with %s is refused', (_name, fields, field) =>
    assertFieldRow(
      runyard,
      {
        field,
        accepts: [],
        rejects: [
          [
            fields,
            `Cluster validation error: Missing required field: settings.cluster_spec.new_cluster.${field}`,
          ],
        ],
      },
      clusterAt(jobLocation),
    ),
  );
});
