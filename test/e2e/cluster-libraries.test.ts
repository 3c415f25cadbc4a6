/** Libraries of all-purpose clusters (spec 2.8), through HTTP. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import {
  registerService,
  python,
  runyard,
  imports,
  submit,
  logsOf,
  statusesOf,
} from './libraries-harness.ts';

registerService();

describe.skipIf(python === undefined)('Python libraries of clusters', () => {
  test('installed libraries keep their versions when another task adds libraries', async () => {
    const on = { existing_cluster_id: 'growing' };
    const first = await submit([imports('a', [{ pypi: { package: 'tone<2' } }], ['tone.mark'], on)]);
    const second = await submit([
      imports('a', [{ pypi: { package: 'greeting==1.0' } }], ['greeting.say'], on),
    ]);
    expect([await logsOf(first, 'a'), await logsOf(second, 'a')]).toEqual(['.\n', 'hello.\n']);
  });

  test('libraries are installed on and uninstalled from an all-purpose cluster', async () => {
    const cluster_id = 'purpose';
    await submit([imports('a', [], [], { existing_cluster_id: cluster_id })]);
    await runyard.putFile('/text-1.0-py3-none-any.whl', 'hello');
    const libraries = [
      { pypi: { package: 'volume==1.0' } },
      { whl: 'managed_fs:/text-1.0-py3-none-any.whl' },
    ];
    await runyard.callOk('POST', '2.0/libraries/install', { cluster_id, libraries });
    await eventually(async () =>
      expect(await statusesOf(cluster_id)).toMatchObject([{ status: 'INSTALLED' }, { status: 'FAILED' }]),
    );

    const run = await submit([imports('a', [], ['volume.level'], { existing_cluster_id: cluster_id })]);
    expect(await logsOf(run, 'a')).toBe('11\n');
    await runyard.callOk('POST', '2.0/libraries/uninstall', { cluster_id, libraries });
    expect(await statusesOf(cluster_id)).toMatchObject([
      { library: libraries[0], status: 'UNINSTALL_ON_RESTART' },
    ]);
    expect((await runyard.callOk('GET', '2.0/libraries/all-cluster-statuses')).statuses).toContainEqual({
      cluster_id,
      library_statuses: await statusesOf(cluster_id),
    });
    await runyard.database.db
      .updateTable('clusters')
      .set({ spark_context_id: 'another' })
      .where('cluster_id', '=', cluster_id)
      .execute();
    const after = await submit([imports('a', [], ['volume.level'], { existing_cluster_id: cluster_id })]);
    expect(after.state.result_state).toBe('FAILED');
    expect(await statusesOf(cluster_id)).toEqual([]);
  });

  test('installers get the PIP_ variables of a cluster, also without a task', async () => {
    const { cluster_id } = await runyard.callOk('POST', '2.0/clusters/create', {
      spark_version: '16.4.x',
      node_type_id: 'n',
      num_workers: 0,
      spark_env_vars: { PIP_INDEX_URL: 'http://127.0.0.1:9/none', PIP_RETRIES: '1' },
    });
    await runyard.callOk('POST', '2.0/libraries/install', {
      cluster_id,
      libraries: [{ pypi: { package: 'volume==1.0' } }],
    });
    await eventually(async () =>
      expect(await statusesOf(cluster_id)).toMatchObject([
        {
          status: 'FAILED',
          messages: [expect.stringContaining('The package index could not be reached (/none/volume/)')],
        },
      ]),
    );
  });

  test('a starting or restarting cluster gets its libraries without waiting for a task', async () => {
    const { cluster_id } = await runyard.callOk('POST', '2.0/clusters/create', {
      spark_version: '16.4.x',
      node_type_id: 'n',
      num_workers: 0,
    });
    await runyard.callOk('POST', '2.0/libraries/install', {
      cluster_id,
      libraries: [{ pypi: { package: 'volume==1.0' } }],
    });
    const waitForInstallation = (): Promise<void> =>
      eventually(async () => expect(await statusesOf(cluster_id)).toMatchObject([{ status: 'INSTALLED' }]));
    await waitForInstallation();
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id });
    await runyard.database.db
      .updateTable('cluster_libraries')
      .set({ status: 'PENDING' })
      .where('cluster_id', '=', cluster_id)
      .execute();
    await runyard.callOk('POST', '2.0/clusters/start', { cluster_id });
    await waitForInstallation();
  });
});
