/**
 * What a plugin can harm: its own task. Real threads, real processes, beside a built-in task and a
 * well-behaved one of the same plugin.
 */
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
import { noChildRuns } from './test-context.ts';

const directory = new URL('plugins', import.meta.url).pathname;
const environment = { PATH: process.env['PATH'] ?? '' };
const warnings: string[] = [];
let root: string;
let pool: ClosableTaskPool;
let last = 0;

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
  const runId = (last += 1);
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

const hostile = async (deed: string) => assignment({ do: deed });
const textOf = (one: TaskAssignment, file: string): Promise<string> =>
  readFile(join(one.directory, file), 'utf8');
const event = async (holds: () => boolean): Promise<void> => {
  while (!holds())
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
};

/** A task of the same plugin and one of a built-in kind, which run while something else goes wrong. */
async function bystanders() {
  const until = join(root, `go-${last}`);
  const file = `wait-${last}.py`;
  await writeFile(
    join(root, file),
    `import os, time\nprint("once", flush=True)\nwhile not os.path.exists(${JSON.stringify(until)}): time.sleep(0.02)`,
  );
  const all = [
    await assignment({ do: 'wait', until }),
    await assignment({ python_file: file }, 'spark_python_task'),
  ];
  const runs = all.map((one) => pool.run(one, noChildRuns));
  await event(() => all.every((one) => existsSync(join(one.directory, 'stdout'))));
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
    expect(await pool.run(one, noChildRuns).outcome).toEqual({ kind: 'failed', message });
    expect(JSON.parse(await textOf(one, 'output.json'))).toEqual({
      error: message,
      errorTrace: expect.stringMatching(/^Error: no luck\n +at /),
    });
  });

  test('ends with no outcome fails its task', async () => {
    expect(await pool.run(await hostile('nonsense'), noChildRuns).outcome).toEqual({
      kind: 'failed',
      message: 'The runner of hostile_task returned {"kind":"splendid"}, which is not an outcome.',
    });
  });

  test('writes more than has room is cut, and sees the environment of tasks alone', async () => {
    const one = await hostile('look');
    expect(await pool.run(one, noChildRuns).outcome).toEqual({ kind: 'failed', message: 'y'.repeat(2_000) });
    const output = JSON.parse(await textOf(one, 'output.json'));
    expect(output).toEqual({ result: expect.any(String), truncated: false, error: 'x'.repeat(2_000) });
    const { environment: seen, own } = JSON.parse(output.result);
    expect(seen).toEqual(environment);
    expect(own).toMatchObject({ ...environment, RUNYARD_RUN_ID: String(one.runId) });
  });

  test('ends its thread is given up after three tries, and takes no other task with it', async () => {
    const othersSucceed = await bystanders();
    const reasons = {
      exit: 'worker exited with code: 7',
      uncaught: 'from a callback',
      unhandled: 'nobody asked',
      leak: 'Worker terminated due to reaching memory limit: JS heap out of memory',
    };
    await Promise.all(
      Object.entries(reasons).map(async ([deed, reason]) => {
        const one = await hostile(deed);
        expect(await pool.run(one, noChildRuns).outcome).toEqual({
          kind: 'lost',
          message: `The thread of the hostile_task runner died 3 times; last error: ${reason}`,
        });
      }),
    );
    await othersSucceed();
  });

  test('hangs ends when it is stopped: its thread is ended, others go on elsewhere', async () => {
    const othersSucceed = await bystanders();
    const one = await hostile('hang');
    const running = pool.run(one, noChildRuns);
    await event(() => existsSync(join(one.directory, 'calls')));
    running.stop();
    expect(await running.outcome).toEqual({ kind: 'stopped' });
    expect(warnings).toContain('This attempt does not stop; terminating its thread.');
    await othersSucceed();
  });

  test('blocks its thread loses it: others go on elsewhere, and it ends when it is stopped', async () => {
    const othersSucceed = await bystanders();
    const one = await hostile('block');
    const running = pool.run(one, noChildRuns);
    await event(() =>
      warnings.includes('The thread of this plugin is blocked; retrying its attempts in dedicated threads.'),
    );
    await othersSucceed();
    running.stop();
    expect(await running.outcome).toEqual({ kind: 'stopped' });
  });
});
