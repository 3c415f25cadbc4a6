/**
 * kill -9 of the engine at any moment interrupts no task process, loses no run and starts no attempt twice
 * (DESIGN section 1).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startEngineProcess } from '../harness/engine-process.ts';
import { createWeatherJob } from '../harness/weather-example.ts';
import { eventually } from '../harness/eventually.ts';

/** `npm run chaos` kills engines for as long as it is told to. */
const rounds = 5;
let dataDirectory: string;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard kill '));
  await chmod(dataDirectory, 0o711);
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

const attemptFile = (runId: number, name: string): string | undefined => {
  const path = join(dataDirectory, 'runs', String(runId), name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

/** Returns the stdout of each task of a run by task key. */
const logsOf = (run: ResponseBody): Record<string, string | undefined> =>
  Object.fromEntries(
    run.tasks.map((task: ResponseBody) => [task.task_key, attemptFile(task.run_id, 'stdout')]),
  );

test(`kill -9 at ${rounds} random moments of the example job: processes are adopted, runs succeed, tasks run once`, async () => {
  let engine = await startEngineProcess(dataDirectory);
  try {
    const job = await createWeatherJob(engine);
    const runNow = async (): Promise<number> =>
      (await engine.callOk('POST', '2.1/jobs/run-now', { job_id: job, notebook_params: { year: '2014' } }))
        .run_id;
    // The first run starts cold, so its duration is not typical.
    await engine.waitForRunEnd(await runNow());
    const undisturbed = await engine.waitForRunEnd(await runNow());
    expect(undisturbed.state.result_state).toBe('SUCCESS');
    const longest = undisturbed.tasks.toSorted(
      (a: ResponseBody, b: ResponseBody) => b.execution_duration - a.execution_duration,
    )[0];
    const length = undisturbed.end_time - undisturbed.start_time;
    let adopted = 0;
    for (let round = 0; round < rounds; round += 1) {
      const runId = await runNow();
      const { tasks } = await engine.callOk('GET', '2.1/jobs/runs/get', { run_id: runId });
      // Every other kill hits the longest task; the others hit any moment of the run.
      const inLongest = round % 2 === 0;
      const { run_id: longestId } = tasks.find((task: ResponseBody) => task.task_key === longest.task_key);
      if (inLongest) await eventually(() => attemptFile(longestId, 'pid'), { until: Boolean });
      await sleep(Math.random() * (inLongest ? longest.execution_duration / 2 : length));
      await engine.kill();
      const claims = tasks.map((task: ResponseBody) => attemptFile(task.run_id, 'pid'));
      const isRunning = tasks.some(
        (task: ResponseBody, index: number) =>
          claims[index] && attemptFile(task.run_id, 'exit') === undefined,
      );
      if (isRunning) adopted += 1;
      engine = await startEngineProcess(dataDirectory);
      const run = await engine.waitForRunEnd(runId);
      const context = `round ${round}, run ${runId}`;
      expect(run.state, context).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
      expect(
        run.tasks.map((task: ResponseBody) => task.attempt_number),
        context,
      ).toEqual([0, 0, 0, 0]);
      for (const [index, task] of tasks.entries()) {
        if (claims[index]) expect(attemptFile(task.run_id, 'pid'), context).toBe(claims[index]);
      }
      expect(logsOf(run), context).toEqual(logsOf(undisturbed));
    }
    // Fewer adoptions would mean that the kills missed the running tasks.
    expect(adopted).toBeGreaterThanOrEqual(rounds / 4);
    const numbers = (await engine.callOk('GET', '2.1/jobs/runs/list', { job_id: job, limit: 0 })).runs.map(
      (run: ResponseBody) => run.number_in_job,
    );
    expect(numbers).toEqual(Array.from({ length: rounds + 2 }, (_, index) => rounds + 2 - index));
  } finally {
    await engine.terminate();
  }
}, 300_000);

test('SIGTERM exits with 0 and leaves tasks running, and the next engine adopts them', async () => {
  let engine = await startEngineProcess(dataDirectory);
  try {
    await engine.putFile(
      '/gate.py',
      [
        'import os, pathlib, time',
        'gate = pathlib.Path(os.environ["RUNYARD_MANAGED_FS"]) / "gate"',
        'print("waiting", flush=True)',
        'while not gate.exists(): time.sleep(0.02)',
        'print("through")',
      ].join('\n'),
    );
    const { run_id } = await engine.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      spark_python_task: { python_file: 'managed_fs:/gate.py' },
    });
    await eventually(() => attemptFile(run_id, 'stdout'), { until: (value) => value === 'waiting\n' });
    expect(await engine.terminate()).toBe(0);
    const claim = attemptFile(run_id, 'pid');
    expect(attemptFile(run_id, 'exit')).toBeUndefined();
    engine = await startEngineProcess(dataDirectory);
    await engine.putFile('/gate', '');
    expect((await engine.waitForRunEnd(run_id)).state.result_state).toBe('SUCCESS');
    expect(attemptFile(run_id, 'pid')).toBe(claim);
    expect(attemptFile(run_id, 'stdout')).toBe('waiting\nthrough\n');
  } finally {
    await engine.terminate();
  }
});

test('the task of a job deleted before a kill gets SIGTERM from the next engine and ends by itself', async () => {
  let engine = await startEngineProcess(dataDirectory);
  try {
    await engine.putFile(
      '/polite.py',
      [
        'import signal, sys, time',
        'def bye(*_):',
        '    print("bye", flush=True)',
        '    sys.exit(0)',
        'signal.signal(signal.SIGTERM, bye)',
        'print("up", flush=True)',
        'time.sleep(600)',
      ].join('\n'),
    );
    const { job_id } = await engine.callOk('POST', '2.0/jobs/create', {
      name: 'deleted',
      existing_cluster_id: 'c',
      spark_python_task: { python_file: 'managed_fs:/polite.py' },
    });
    const { run_id } = await engine.callOk('POST', '2.0/jobs/run-now', { job_id });
    await eventually(() => attemptFile(run_id, 'stdout'), { until: (value) => value === 'up\n' });
    await engine.callOk('POST', '2.0/jobs/delete', { job_id });
    await engine.kill();
    engine = await startEngineProcess(dataDirectory);
    await eventually(() => attemptFile(run_id, 'exit'), { until: (value) => value !== undefined });
    expect(attemptFile(run_id, 'stdout')).toBe('up\nbye\n');
  } finally {
    await engine.terminate();
  }
});
