/** Init scripts (spec 2.8) through HTTP. */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
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
  submit,
  clusterIdOf,
  typesOf,
  isAlive,
} from './init-scripts-harness.ts';

registerService();

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
    expect(run.tasks[0].state.state_message).toContain(
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
      'Init script managed_fs:/none.sh (1 of 1) could not be run: File managed_fs:/none.sh was not found',
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
