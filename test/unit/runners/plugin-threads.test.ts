/** Faulty plugins harm only their own task, not other tasks of the plugin or built-in ones. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { TaskAssignment } from '../../../engine/run/assignment.ts';
import { loadPlugins } from '../../../runners/plugin/load-plugins.ts';
import { noIsolation } from '../../../runners/process/isolation.ts';
import { createTaskPool, type ClosableTaskPool } from '../../../runners/pool/task-pool.ts';
import { eventually } from '../../harness/eventually.ts';
import { noChildRuns } from './test-context.ts';

const directory = new URL('plugins', import.meta.url).pathname;
const environment = { PATH: process.env['PATH'] ?? '' };
const warnings: string[] = [];
let root: string;
let pool: ClosableTaskPool;
let lastRunId = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'runyard-plugins-'));
  const plugins = await loadPlugins([{ specifier: './hostile.mjs', baseDirectory: directory }], environment);
  pool = createTaskPool({
    threads: 1,
    attemptsPerThread: 10,
    plugins,
    pluginPingTimeoutMs: 1_500,
    pluginMemoryMb: 64,
    settings: {
      taskEnvironment: environment,
      stopGraceMs: 100,
      logBytesMax: 2 ** 20,
      limits: defaultLimits,
      isolation: noIsolation,
    },
    locate: async (uri) => join(root, uri),
    log: { info: () => undefined, warn: (_facts, message) => warnings.push(message), error: () => undefined },
  });
});
beforeEach(() => {
  warnings.length = 0;
});
afterAll(async () => {
  await pool.close();
  await rm(root, { recursive: true, force: true });
});

async function assignment(task: object, kind = 'hostile_task'): Promise<TaskAssignment> {
  const runId = (lastRunId += 1);
  const own = join(root, 'runs', String(runId));
  await mkdir(own, { recursive: true });
  return {
    jobId: 1,
    jobRunId: runId,
    runId,
    taskKey: 'main',
    attempt: 0,
    kind,
    task: { ...task },
    parameters: {},
    taskValues: {},
    libraries: [],
    directory: own,
    cluster: undefined,
  };
}

const hostile = async (behavior: string) => assignment({ do: behavior });
const textOf = (one: TaskAssignment, file: string): Promise<string> =>
  readFile(join(one.directory, file), 'utf8');

/** Starts a task of the same plugin and a built-in one. @returns check that both succeed */
async function startOtherTasks() {
  const until = join(root, `go-${lastRunId}`);
  const file = `wait-${lastRunId}.py`;
  await writeFile(
    join(root, file),
    'import os, time\nprint("once", flush=True)\n' +
      `while not os.path.exists(${JSON.stringify(until)}): time.sleep(0.02)`,
  );
  const all = [
    await assignment({ do: 'wait', until }),
    await assignment({ python_file: file }, 'spark_python_task'),
  ];
  const runs = all.map((one) => pool.run(one, noChildRuns));
  await eventually(() => all.every((one) => existsSync(join(one.directory, 'stdout'))), { until: Boolean });
  return async () => {
    await writeFile(until, '');
    expect(await Promise.all(runs.map(({ outcome }) => outcome))).toEqual(
      all.map(() => ({ kind: 'succeeded' })),
    );
    expect(await Promise.all(all.map((one) => textOf(one, 'stdout')))).toEqual(all.map(() => 'once\n'));
  };
}

describe('a plugin that', () => {
  test('throws fails its task with the error and its trace', async () => {
    const one = await hostile('throw');
    const message = 'The runner of hostile_task failed: no luck';
    expect(await pool.run(one, noChildRuns).outcome).toMatchObject({ kind: 'failed', message });
    expect(JSON.parse(await textOf(one, 'output.json'))).toEqual({
      error: message,
      errorTrace: expect.stringMatching(/^Error: no luck\n +at /),
    });
  });

  test('returns no outcome fails its task', async () => {
    expect(await pool.run(await hostile('nonsense'), noChildRuns).outcome).toMatchObject({
      kind: 'failed',
      message: 'The runner of hostile_task returned {"kind":"splendid"}, which is not an outcome.',
    });
  });

  test('writes long texts gets them truncated, and sees only the environment of tasks', async () => {
    const one = await hostile('look');
    expect(await pool.run(one, noChildRuns).outcome).toMatchObject({
      kind: 'failed',
      message: 'y'.repeat(2_000),
    });
    const output = JSON.parse(await textOf(one, 'output.json'));
    expect(output).toEqual({ result: expect.any(String), truncated: false, error: 'x'.repeat(2_000) });
    const { environment: seen, own } = JSON.parse(output.result);
    expect(seen).toEqual(environment);
    expect(own).toMatchObject({ ...environment, RUNYARD_RUN_ID: String(one.runId) });
  });

  test('ends its thread loses its task after three tries, without harm to other tasks', async () => {
    const othersSucceed = await startOtherTasks();
    const reasons = {
      exit: 'worker exited with code: 7',
      uncaught: 'from a callback',
      unhandled: 'rejected without a handler',
      leak: 'Worker terminated due to reaching memory limit: JS heap out of memory',
    };
    await Promise.all(
      Object.entries(reasons).map(async ([behavior, reason]) => {
        const one = await hostile(behavior);
        expect(await pool.run(one, noChildRuns).outcome).toEqual({
          kind: 'lost',
          message: `The thread of the hostile_task runner died 3 times; last error: ${reason}`,
        });
      }),
    );
    await othersSucceed();
  });

  test('hangs is terminated by a stop, and other tasks continue in another thread', async () => {
    const othersSucceed = await startOtherTasks();
    const one = await hostile('hang');
    const running = pool.run(one, noChildRuns);
    await eventually(() => existsSync(join(one.directory, 'calls')), { until: Boolean });
    running.stop();
    expect(await running.outcome).toMatchObject({ kind: 'stopped' });
    expect(warnings).toContain('This attempt does not stop; terminating its thread.');
    await othersSucceed();
  });

  test('blocks its thread is terminated by a stop, and other tasks continue in another thread', async () => {
    const othersSucceed = await startOtherTasks();
    const one = await hostile('block');
    const running = pool.run(one, noChildRuns);
    await eventually(() => warnings, {
      until: (messages) =>
        messages.includes(
          'The thread of this plugin is blocked; retrying its attempts in dedicated threads.',
        ),
    });
    await othersSucceed();
    running.stop();
    expect(await running.outcome).toMatchObject({ kind: 'stopped' });
  });
});
