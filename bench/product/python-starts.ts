/** Starts of Python tasks: how long until the first line, and warm starts against cold ones. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark, BenchmarkContext } from './benchmark.ts';
import { resolvePython, runBareProcesses } from './floors.ts';
import { nowMs, waitUntilIdle, type HttpClient } from './http-client.ts';
import { createWarmCluster, pythonTask, storeProgram } from './python-runs.ts';
import { costPerRun, withEngine, type MeasuredEngine } from './with-engine.ts';

const samples = 40;
/** Writes the time of its first line; CLOCK_MONOTONIC is that of `nowMs`. */
const firstLine =
  'import time\nnow = time.monotonic_ns()\nimport sys\nopen(sys.argv[1], "a").write(f"{now}\\n")\n';

async function createJob(client: HttpClient, task: object): Promise<unknown> {
  const { job_id: jobId } = await client.call('POST', '2.1/jobs/create', {
    name: 'python',
    max_concurrent_runs: 1_000,
    tasks: [{ task_key: 'main', ...task }],
  });
  return jobId;
}

/** Returns the instant of the last line of a file of marks, in ms. */
async function readMark(file: string): Promise<number> {
  return Number(BigInt((await readFile(file, 'utf8')).trim().split('\n').at(-1) ?? '0')) / 1e6;
}

/** Returns the time from the request to the first line of the program, in ms. */
async function startThroughHttp(client: HttpClient, jobId: unknown, marks: string): Promise<number> {
  const sent = nowMs();
  await client.call('POST', '2.1/jobs/run-now', { job_id: jobId });
  await waitUntilIdle(client);
  return (await readMark(marks)) - sent;
}

export const pythonLatency: Benchmark = {
  name: 'python-latency',
  summary: 'run-now to the first line of a Python task, less the same of a bare process',
  run: (context) =>
    withEngine(context.path, 2, async (measured) => {
      const { client, dataDirectory } = measured;
      const marks = join(dataDirectory, 'marks');
      const argv = [
        await resolvePython(context.path),
        await storeProgram(measured, 'mark', firstLine),
        marks,
      ] as const;
      const cold = await createJob(client, pythonTask('mark', [marks]));
      const warm = await createJob(client, pythonTask('mark', [marks], await createWarmCluster(client)));
      for (const job of [cold, warm, warm]) await startThroughHttp(client, job, marks);
      for (let sample = 0; sample < samples * context.rounds; sample += 1) {
        const started = nowMs();
        await runBareProcesses(argv, context.path, 1, 1);
        const bareMs = (await readMark(marks)) - started;
        context.record('bare start', 'ms', bareMs);
        context.record(
          'run-now to first line, less a bare start',
          'ms',
          (await startThroughHttp(client, cold, marks)) - bareMs,
        );
        context.record('warm: run-now to first line', 'ms', await startThroughHttp(client, warm, marks));
      }
      context.aimAt('run-now to first line, less a bare start', 5);
      await rm(marks);
    }),
};

const runsPerRound = 30;
const notebook = '# Databricks notebook source\nvalue = 1\n';

/** Runs of one job, one after the other; records the processor time of the task's processes above the no-op. */
async function measureRuns(
  context: BenchmarkContext,
  { client, engine }: MeasuredEngine,
  name: string,
  jobId: unknown,
): Promise<void> {
  const before = await engine.cpuSeconds();
  for (let run = 0; run < runsPerRound; run += 1) {
    const { run_id: runId } = await client.call('POST', '2.1/jobs/run-now', { job_id: jobId });
    await waitUntilIdle(client, 5);
    const { execution_duration: duration, state } = await client.call(
      'GET',
      `2.1/jobs/runs/get?run_id=${String(runId)}`,
    );
    if (Object(state)['result_state'] !== 'SUCCESS')
      throw new Error(`The run failed: ${JSON.stringify(state)}`);
    context.record(`${name}: duration`, 'ms', Number(duration));
  }
  const cost = costPerRun(before, await engine.cpuSeconds(), runsPerRound);
  context.record(
    `${name}: processor time of the engine and PostgreSQL`,
    'ms',
    cost.engineMs + cost.postgresMs,
  );
}

export const warmStarts: Benchmark = {
  name: 'warm-starts',
  summary: `${runsPerRound} Python runs and notebook runs, one after the other, on a cold and on a warm cluster`,
  run: (context) =>
    withEngine(context.path, 2, async (measured) => {
      const { client, dataDirectory } = measured;
      await storeProgram(measured, 'nothing', 'import sys\n');
      await writeFile(join(dataDirectory, 'notebook.py'), notebook);
      await client.call('POST', '2.0/workspace/import', {
        path: '/bench',
        format: 'SOURCE',
        language: 'PYTHON',
        content: Buffer.from(notebook).toString('base64'),
      });
      const warmCluster = await createWarmCluster(client);
      const jobs: [string, unknown][] = [];
      for (const [how, cluster] of [
        ['cold', 'bench'],
        ['warm', warmCluster],
      ] as const) {
        jobs.push([`Python ${how}`, await createJob(client, pythonTask('nothing', [], cluster))]);
        const task = { existing_cluster_id: cluster, notebook_task: { notebook_path: '/bench' } };
        jobs.push([`notebook ${how}`, await createJob(client, task)]);
      }
      const silent = { ...context, record: () => undefined };
      for (const [name, job] of jobs) await measureRuns(silent, measured, name, job);
      for (let round = 0; round < context.rounds; round += 1)
        for (const [name, job] of jobs) await measureRuns(context, measured, name, job);
      context.compare('Python cold: duration', 'Python warm: duration', 4);
      context.compare('notebook cold: duration', 'notebook warm: duration', 8);
    }),
};
