/** Delivery of cluster logs (spec 2.8) through HTTP. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startHousekeeping } from '../../cli/housekeeping/housekeeping.ts';
import { listClustersWithPendingLogs, deliverClusterLogs } from '../../storage/files/cluster-logs.ts';
import { createRoots } from '../../storage/files/roots.ts';
import { eventually } from '../harness/eventually.ts';
import {
  registerService,
  runyard,
  inFiles,
  put,
  logConf,
  newCluster,
  script,
  ok,
  wait,
  submit,
  clusterIdOf,
} from './init-scripts-harness.ts';

registerService();

describe('spec 2.8 cluster_log_conf', () => {
  const order = () => ({
    address: runyard.database.address,
    dataDirectory: runyard.dataDirectory,
    retentionMs: 1e12,
    deliveryRetentionMs: 1e12,
    auditRetentionMs: 1e12,
    libraryRetentionMs: 1e12,
  });
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

  test('logs are delivered while the task runs, without duplicate lines after a killed delivery, and complete at the end', async () => {
    const runId = await submit(logConf, wait('go-on'));
    const run = await runyard.waitForRun(
      runId,
      (shown) => shown.tasks[0].state.life_cycle_state === 'RUNNING',
    );
    const driver = (name: string): string => inFiles('logs', clusterIdOf(run), 'driver', name);
    const stdout = (): string => (existsSync(driver('stdout')) ? readFileSync(driver('stdout'), 'utf8') : '');
    await eventually(
      () =>
        existsSync(join(runyard.dataDirectory, 'runs', String(run.tasks[0].run_id), 'stdout')) &&
        readFileSync(join(runyard.dataDirectory, 'runs', String(run.tasks[0].run_id), 'stdout'), 'utf8'),
      { until: (value) => value === 'before\n' },
    );
    const housekeeping = await startHousekeeping(order(), silent, 1);
    await eventually(stdout, { until: (value) => value === 'before\n' });
    await housekeeping.stop();
    // A killed delivery has written bytes but not recorded them.
    await writeFile(driver('stdout'), 'before\naft');
    await put('/go-on', '');
    expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
    expect(stdout()).toBe('before\nafter\n');
    const { logs_pending: owes } = await runyard.database.db
      .selectFrom('clusters')
      .select('logs_pending')
      .where('cluster_id', '=', clusterIdOf(run))
      .executeTakeFirstOrThrow();
    expect(owes).toBe(false);
  });

  test('a pending delivery of an earlier engine is completed by the next round', async () => {
    const run = await runyard.waitForRunEnd(await submit(logConf));
    const file = inFiles('logs', clusterIdOf(run), 'driver', 'log4j-active.log');
    await rm(file);
    await runyard.database.db
      .updateTable('clusters')
      .set({ logs_pending: true })
      .where('cluster_id', '=', clusterIdOf(run))
      .execute();
    const housekeeping = await startHousekeeping(order(), silent, 1);
    await eventually(() => existsSync(file), { until: (value) => value === true });
    await housekeeping.stop();
  });

  test('a truncated delivered log continues at its end', async () => {
    const { cluster_id: id } = await runyard.callOk('POST', '2.0/clusters/create', {
      ...newCluster,
      ...logConf,
    });
    const use = async () =>
      runyard.waitForRunEnd(
        (
          await runyard.callOk('POST', '2.1/jobs/runs/submit', {
            tasks: [{ task_key: 'a', existing_cluster_id: id, ...ok }],
          })
        ).run_id,
      );
    await use();
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: id });
    await truncate(inFiles('logs', id, 'driver', 'stdout'));
    await use();
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: id });
    expect(readFileSync(inFiles('logs', id, 'driver', 'stdout'), 'utf8')).toBe('task\n');
  });

  test('a destination that leaves managed_fs by a symbolic link gets no logs, and the run continues', async () => {
    const outside = join(runyard.dataDirectory, 'outside');
    await mkdir(outside);
    await symlink(outside, inFiles('out'));
    const run = await runyard.waitForRunEnd(
      await submit({ cluster_log_conf: { dbfs: { destination: 'dbfs:/out' } } }),
    );
    expect(run.state.result_state).toBe('SUCCESS');
    expect(existsSync(join(outside, clusterIdOf(run)))).toBe(false);
  });

  test('a failing delivery is retried for one hour after the end of its cluster', async () => {
    const run = await runyard.waitForRunEnd(
      await submit({ cluster_log_conf: { managed_fs: { destination: 'managed_fs:/ok.py' } } }),
    );
    const [id, { db }] = [clusterIdOf(run), runyard.database];
    const ended =
      (
        await db
          .selectFrom('clusters')
          .select('terminated_time')
          .where('cluster_id', '=', id)
          .executeTakeFirstOrThrow()
      ).terminated_time ?? 0;
    for (const [after, owes] of [
      [1, true],
      [60 * 60_000 + 1, false],
    ] as const) {
      await expect(
        deliverClusterLogs(
          db,
          createRoots({ dataDirectory: runyard.dataDirectory, allowedRoots: [] }),
          id,
          ended + after,
        ),
      ).rejects.toThrow(/ENOTDIR|not a directory/);
      expect((await listClustersWithPendingLogs(db)).includes(id)).toBe(owes);
    }
  });

  test('the directory of a job cluster is deleted with its run, and delivered logs stay', async () => {
    const run = await runyard.waitForRunEnd(
      await submit({ ...logConf, init_scripts: [script('managed_fs:/order.sh')] }),
    );
    const id = clusterIdOf(run);
    expect(existsSync(join(runyard.dataDirectory, 'clusters', id))).toBe(true);
    await runyard.callOk('POST', '2.1/jobs/runs/delete', { run_id: run.run_id });
    expect(existsSync(join(runyard.dataDirectory, 'clusters', id))).toBe(false);
    expect(existsSync(inFiles('logs', id, 'driver', 'stdout'))).toBe(true);
    expect((await runyard.call('GET', '2.0/clusters/get', { cluster_id: id })).status).toBe(400);
  });
});
