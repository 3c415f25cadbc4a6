/**
 * Init scripts and delivery of cluster logs (spec 2.8) through HTTP.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHousekeeping } from '../../cli/housekeeping/housekeeping.ts';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import { listClustersWithPendingLogs, deliverClusterLogs } from '../../storage/files/cluster-logs.ts';
import { createRoots } from '../../storage/files/roots.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

let runyard: TestService;
const inFiles = (...names: string[]): string => join(runyard.dataDirectory, 'managed_fs', ...names);
const put = (path: string, text: string): Promise<void> => runyard.putFile(path, text);

beforeAll(async () => {
  runyard = await startTestService({ clusters: { ...defaultInventory, initScriptSeconds: 2 } });
  await put(
    '/order.sh',
    'echo "second $DB_CLUSTER_ID" >> "$RUNYARD_MANAGED_FS/order.txt"\necho to stdout\necho "to stderr$DB_PASSWORD" >&2\n',
  );
  await put('/bad.sh', 'echo before\necho "no such package: hinze$DB_PASSWORD" >&2\nexit 3\n');
  await put('/endless.sh', 'echo $$ > "$RUNYARD_MANAGED_FS/endless.pid"\nwhile :; do sleep 0.1; done\n');
  await put('/ok.py', 'import os\nprint("task" + os.environ.get("DB_PASSWORD", ""))\n');
  await put(
    '/wait.py',
    'import os, sys, time\nname = os.path.join(os.environ["RUNYARD_MANAGED_FS"], sys.argv[1])\nprint("before", flush=True)\nwhile not os.path.exists(name): time.sleep(0.02)\nprint("after")\n',
  );
  await runyard.callOk('POST', '2.0/workspace/import', {
    path: '/Shared/first.sh',
    format: 'AUTO',
    overwrite: true,
    content: Buffer.from(
      'echo "first $DB_IS_DRIVER $DB_IS_JOB_CLUSTER $DB_INSTANCE_TYPE $DB_CONTAINER_IP $DB_DRIVER_IP $STAGE" > "$RUNYARD_MANAGED_FS/order.txt"\n',
    ).toString('base64'),
  });
  await mkdir(join(runyard.dataDirectory, 'objstore', 'setup'), { recursive: true });
  await writeFile(
    join(runyard.dataDirectory, 'objstore', 'setup', 'third.sh'),
    'echo third >> "$RUNYARD_MANAGED_FS/order.txt"\n',
  );
});
afterAll(() => runyard.stop());

const logConf = { cluster_log_conf: { managed_fs: { destination: 'managed_fs:/logs' } } };
const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };
const script = (destination: string, store = 'managed_fs') => ({ [store]: { destination } });
const ok = { spark_python_task: { python_file: 'managed_fs:/ok.py' } };
const wait = (name: string) => ({
  spark_python_task: { python_file: 'managed_fs:/wait.py', parameters: [name] },
});
const submit = async (cluster: object, work: object = ok, more: object = {}): Promise<number> =>
  (
    await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'a', new_cluster: { ...newCluster, ...cluster }, ...work, ...more }],
    })
  ).run_id;
const clusterIdOf = (run: ResponseBody): string => run.tasks[0].cluster_instance.cluster_id;
const typesOf = async (cluster_id: string): Promise<string[]> =>
  (await runyard.callOk('POST', '2.0/clusters/events', { cluster_id, order: 'ASC' })).events.map(
    (event: ResponseBody) => event.type,
  );
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/exe`);

describe('spec 2.8 init_scripts', () => {
  test('run before the task in the given order, from every store, with the documented variables', async () => {
    const run = await runyard.waitForRunEnd(
      await submit({
        ...logConf,
        init_scripts: [
          script('/Shared/first.sh', 'workspace'),
          script('dbfs:/order.sh', 'dbfs'),
          script('gs://setup/third.sh', 'gcs'),
        ],
        spark_env_vars: {
          STAGE: 'test',
          DB_PASSWORD: ' correct-horse',
          DB_IS_DRIVER: 'FALSE',
          DB_CLUSTER_ID: 'mine',
        },
      }),
    );
    expect(run.state.result_state).toBe('SUCCESS');
    const id = clusterIdOf(run);
    expect(readFileSync(inFiles('order.txt'), 'utf8')).toBe(
      `first TRUE TRUE standard-2 127.0.0.1 127.0.0.1 test\nsecond ${id}\nthird\n`,
    );
    expect(await typesOf(id)).toEqual([
      'CREATING',
      'INIT_SCRIPTS_STARTED',
      'INIT_SCRIPTS_FINISHED',
      'RUNNING',
      'TERMINATING',
    ]);
    const delivered = (name: string): string => readFileSync(inFiles('logs', id, name), 'utf8');
    expect(delivered('init_scripts/02_order.sh.stdout.log')).toBe('to stdout\n');
    expect(delivered('init_scripts/02_order.sh.stderr.log')).toBe('to stderr ***\n');
    expect(delivered('driver/stdout')).toBe('task ***\n');
    expect(delivered('driver/log4j-active.log')).toContain(`Cluster ${id}`);
    expect(existsSync(inFiles('logs', id, 'executor'))).toBe(true);
  });

  test('a failing script fails the task with its name, exit code and last output; later scripts do not run; its output is delivered', async () => {
    await put('/order.txt', 'untouched');
    const run = await runyard.waitForRunEnd(
      await submit({
        ...logConf,
        spark_env_vars: { DB_PASSWORD: ' correct-horse' },
        init_scripts: [script('managed_fs:/bad.sh'), script('managed_fs:/order.sh')],
      }),
    );
    const id = clusterIdOf(run);
    expect(run.tasks[0].state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'FAILED' });
    expect(run.tasks[0].state.state_message).toBe(
      `Cluster ${id} was terminated (INIT_SCRIPT_FAILURE): Init script managed_fs:/bad.sh (1 of 2) ended with exit code 3: no such package: hinze ***`,
    );
    expect(readFileSync(inFiles('order.txt'), 'utf8')).toBe('untouched');
    expect(
      (await runyard.callOk('GET', '2.0/clusters/get', { cluster_id: id })).termination_reason,
    ).toMatchObject({
      code: 'INIT_SCRIPT_FAILURE',
      type: 'CLIENT_ERROR',
      parameters: { script: 'managed_fs:/bad.sh' },
    });
    expect(await typesOf(id)).toEqual(['CREATING', 'INIT_SCRIPTS_STARTED', 'TERMINATING']);
    const page = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: run.tasks[0].run_id });
    expect(page.metadata.state.result_state).toBe('FAILED');
    expect(readFileSync(inFiles('logs', id, 'init_scripts', '01_bad.sh.stderr.log'), 'utf8')).toBe(
      'no such package: hinze ***\n',
    );
  });

  test('a missing script or one over its time limit fails the task; a retry runs it again', async () => {
    const missing = await runyard.waitForRunEnd(
      await submit({ init_scripts: [script('managed_fs:/none.sh')] }),
    );
    expect(missing.tasks[0].state.state_message).toContain(
      'Init script managed_fs:/none.sh (1 of 1) could not be run: File managed_fs:/none.sh was not found.',
    );
    const late = await runyard.waitForRunEnd(
      await submit({ init_scripts: [script('managed_fs:/endless.sh')] }),
    );
    expect(late.tasks[0].state).toMatchObject({ result_state: 'FAILED' });
    expect(late.tasks[0].state.state_message).toContain('ran longer than 2 seconds and was stopped.');
    await put(
      '/once.sh',
      'test -e "$RUNYARD_MANAGED_FS/once" || { touch "$RUNYARD_MANAGED_FS/once"; exit 1; }\n',
    );
    const retried = await runyard.waitForRunEnd(
      await submit({ init_scripts: [script('managed_fs:/once.sh')] }, ok, { max_retries: 1 }),
    );
    expect(retried.tasks.map((one: ResponseBody) => one.state.result_state)).toEqual(['FAILED', 'SUCCESS']);
  });

  test('a cancel while a script runs ends the script, and the task is CANCELED', async () => {
    await rm(inFiles('endless.pid'), { force: true });
    const runId = await submit({ init_scripts: [script('managed_fs:/endless.sh')] });
    const waiting = await runyard.waitForRun(
      runId,
      (run) =>
        run.tasks[0].state.state_message.includes('runs its init script') &&
        existsSync(inFiles('endless.pid')),
    );
    expect(waiting.tasks[0].state).toMatchObject({
      life_cycle_state: 'PENDING',
      state_message: `Cluster ${clusterIdOf(waiting)} runs its init script 1 of 1: managed_fs:/endless.sh`,
    });
    const pid = Number(readFileSync(inFiles('endless.pid'), 'utf8'));
    expect(isAlive(pid)).toBe(true);
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: runId });
    expect((await runyard.waitForRunEnd(runId)).tasks[0].state.result_state).toBe('CANCELED');
    await eventually(() => isAlive(pid), { until: (value) => value === false });
  });

  test('background processes of a script end with it', async () => {
    await put(
      '/daemon.sh',
      'setsid sleep 1000 > /dev/null 2>&1 &\necho $! > "$RUNYARD_MANAGED_FS/daemon.pid"\n',
    );
    expect(
      (await runyard.waitForRunEnd(await submit({ init_scripts: [script('managed_fs:/daemon.sh')] }))).state
        .result_state,
    ).toBe('SUCCESS');
    expect(isAlive(Number(readFileSync(inFiles('daemon.pid'), 'utf8')))).toBe(false);
  });

  test('of an all-purpose cluster run at every start of the cluster', async () => {
    const { cluster_id: id } = await runyard.callOk('POST', '2.0/clusters/create', {
      ...newCluster,
      ...logConf,
      init_scripts: [script('managed_fs:/order.sh')],
    });
    const use = async () =>
      runyard.waitForRunEnd(
        (
          await runyard.callOk('POST', '2.1/jobs/runs/submit', {
            tasks: [{ task_key: 'a', existing_cluster_id: id, ...ok }],
          })
        ).run_id,
      );
    expect((await use()).state.result_state).toBe('SUCCESS');
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: id });
    expect((await use()).state.result_state).toBe('SUCCESS');
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: id });
    expect(readFileSync(inFiles('logs', id, 'init_scripts', '01_order.sh.stdout.log'), 'utf8')).toBe(
      'to stdout\n'.repeat(2),
    );
    expect(readFileSync(inFiles('logs', id, 'driver', 'stdout'), 'utf8')).toBe('task\n'.repeat(2));
  });
});

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
