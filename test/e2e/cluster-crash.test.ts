/**
 * Clusters of two engines on one database when one engine is killed: init scripts continue, and no node
 * leaks.
 */
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { startEngineProcess, type EngineProcess } from '../harness/engine-process.ts';

let database: TestDatabase;
let dataDirectory: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard-cluster-kill-'));
  await chmod(dataDirectory, 0o711);
});
afterAll(async () => {
  await database.drop();
  await rm(dataDirectory, { recursive: true, force: true });
});

const script =
  'echo started >> "$RUNYARD_MANAGED_FS/started"\nwhile [ ! -e "$RUNYARD_MANAGED_FS/go" ]; do sleep 0.05; done\necho done\n';
const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };
const work = { spark_python_task: { python_file: 'managed_fs:/ok.py' } };
const inFiles = (...names: string[]): string => join(dataDirectory, 'managed_fs', ...names);

function start(): Promise<EngineProcess> {
  const { database: name, ...reach } = database.address;
  const url = `postgresql:///${name}?${new URLSearchParams(Object.entries(reach).map(([key, value]): [string, string] => [key, String(value)]))}`;
  return startEngineProcess(dataDirectory, {
    DATABASE_URL: url,
    RUNYARD_LEASE_MS: '900',
    RUNYARD_CLUSTERS: '{"nodes": 2}',
  });
}

const submit = async (engine: EngineProcess, cluster: object): Promise<number> =>
  (
    await engine.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'a', new_cluster: { ...newCluster, ...cluster }, ...work }],
    })
  ).run_id;

test('an init script survives kill -9 of its engine, runs once, and its nodes go to a waiting run afterwards', async () => {
  const [first, second] = [await start(), await start()];
  try {
    await first.putFile('/setup.sh', script);
    await first.putFile('/ok.py', 'print("ok")\n');
    const scripted = await submit(first, {
      cluster_log_conf: { managed_fs: { destination: 'managed_fs:/logs' } },
      init_scripts: [{ managed_fs: { destination: 'managed_fs:/setup.sh' } }],
    });
    await eventually(() => existsSync(inFiles('started')), { until: Boolean });
    const { cluster_id: waitingCluster } = await first.callOk('POST', '2.0/clusters/create', newCluster);
    const waiting = await submit(second, {});
    const state = (run: ResponseBody) => run.tasks[0].state;
    const seen = await second.waitForRun(waiting, (run) => state(run).state_message.includes('waits for'));
    expect(state(seen)).toMatchObject({
      life_cycle_state: 'PENDING',
      state_message: expect.stringMatching(
        /waits for 2 nodes of this service, which has 2, held by task .* of run \d+$/,
      ),
    });
    await first.kill();
    await second.putFile('/go', '');
    const run = await second.waitForRunEnd(scripted);
    expect(run.state.result_state).toBe('SUCCESS');
    expect(readFileSync(inFiles('started'), 'utf8')).toBe('started\n');
    const id = run.tasks[0].cluster_instance.cluster_id;
    expect(readFileSync(inFiles('logs', id, 'init_scripts', '01_setup.sh.stdout.log'), 'utf8')).toBe(
      'done\n',
    );
    expect(readFileSync(inFiles('logs', id, 'driver', 'stdout'), 'utf8')).toBe('ok\n');
    // The all-purpose cluster was requested first; the second engine starts it for the killed one.
    await eventually(
      async () => (await second.callOk('GET', '2.0/clusters/get', { cluster_id: waitingCluster })).state,
      { until: (current) => current === 'RUNNING' },
    );
    expect(state(await second.callOk('GET', '2.1/jobs/runs/get', { run_id: waiting })).life_cycle_state).toBe(
      'PENDING',
    );
    await second.callOk('POST', '2.0/clusters/delete', { cluster_id: waitingCluster });
    expect((await second.waitForRunEnd(waiting)).state.result_state).toBe('SUCCESS');
    const held = await database.db
      .selectFrom('clusters')
      .select('cluster_id')
      .where('granted_nodes', '>', 0)
      .execute();
    expect(held).toEqual([]);
  } finally {
    if (first.process.exitCode === null && first.process.signalCode === null) await first.kill();
    await second.terminate();
  }
});
