/**
 * kill -9 of the engine during a repair: the new attempts are adopted, and successful attempts stay
 * unchanged.
 */
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startEngineProcess } from '../harness/engine-process.ts';
import { eventually } from '../harness/eventually.ts';

let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard-repair-'));
  await chmod(dataDirectory, 0o711);
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

const attemptFile = (runId: number, name: string): string | undefined => {
  const path = join(dataDirectory, 'runs', String(runId), name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

const gate = [
  'import os, pathlib, time',
  'gate = pathlib.Path(os.environ["RUNYARD_MANAGED_FS"]) / "gate"',
  'print("waiting", flush=True)',
  'while not gate.exists(): time.sleep(0.02)',
  'print("through")',
].join('\n');

test('the process of a repaired task survives kill -9 of the engine, and the repair completes', async () => {
  let engine = await startEngineProcess(dataDirectory);
  try {
    const task = (task_key: string, file: string, depends_on: readonly string[] = []) => ({
      task_key,
      existing_cluster_id: 'c',
      depends_on: depends_on.map((key) => ({ task_key: key })),
      spark_python_task: { python_file: `managed_fs:/${file}` },
    });
    await engine.putFile('/ok.py', 'print("ok")\n');
    await engine.putFile('/step.py', 'raise SystemExit(1)\n');
    const { run_id } = await engine.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [task('a', 'ok.py'), task('b', 'step.py', ['a']), task('c', 'ok.py', ['b'])],
    });
    const failed = await engine.waitForRunEnd(run_id);
    expect(failed.state.result_state).toBe('FAILED');
    await engine.putFile('/step.py', gate);
    const { repair_id } = await engine.callOk('POST', '2.1/jobs/runs/repair', {
      run_id,
      rerun_all_failed_tasks: true,
    });
    const attemptsOfB = (run: ResponseBody): ResponseBody[] =>
      run.tasks.filter((one: ResponseBody) => one.task_key === 'b');
    const [, again] = attemptsOfB(
      await engine.waitForRun(run_id, (run) => attemptsOfB(run)[1]?.state.life_cycle_state === 'RUNNING'),
    );
    await eventually(() => attemptFile(again.run_id, 'stdout'), { until: (value) => value === 'waiting\n' });
    const claim = attemptFile(again.run_id, 'pid');
    await engine.kill();
    engine = await startEngineProcess(dataDirectory);
    await engine.putFile('/gate', '');
    const run = await engine.waitForRunEnd(run_id);
    expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
    expect(
      run.tasks.map(
        (one: ResponseBody) =>
          `${one.task_key} ${one.attempt_number} ${one.state.result_state ?? one.state.life_cycle_state}`,
      ),
    ).toEqual(['a 0 SUCCESS', 'b 0 FAILED', 'b 0 SUCCESS', 'c 0 SKIPPED', 'c 0 SUCCESS']);
    expect([attemptFile(again.run_id, 'pid'), attemptFile(again.run_id, 'stdout')]).toEqual([
      claim,
      'waiting\nthrough\n',
    ]);
    const { repair_history: rounds } = await engine.callOk('GET', '2.1/jobs/runs/get', {
      run_id,
      include_history: true,
    });
    expect(rounds).toMatchObject([
      { type: 'ORIGINAL', end_time: failed.end_time, state: failed.state },
      { type: 'REPAIR', id: repair_id, end_time: run.end_time },
    ]);
  } finally {
    await engine.terminate();
  }
}, 60_000);
