/** Task pool: attempts in threads, their stop, and the death of a thread. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { TaskAssignment } from '../../../engine/run/assignment.ts';
import { noIsolation } from '../../../runners/process/isolation.ts';
import {
  createTaskPool,
  type ClosableTaskPool,
  type TaskPoolOptions,
} from '../../../runners/pool/task-pool.ts';
import { eventually } from '../../harness/eventually.ts';
import { noChildRuns } from './test-context.ts';

let root: string;
let pool: ClosableTaskPool;
const warnings: string[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'runyard-pool-'));
  warnings.length = 0;
});
afterEach(async () => {
  await pool.close();
  await rm(root, { recursive: true, force: true });
});

function open(changes: Partial<TaskPoolOptions> = {}): void {
  pool = createTaskPool({
    threads: 1,
    attemptsPerThread: 10,
    settings: {
      taskEnvironment: { PATH: process.env['PATH'] ?? '' },
      stopGraceMs: 500,
      logBytesMax: 2 ** 20,
      limits: defaultLimits,
      isolation: noIsolation,
    },
    locate: async (uri) => {
      if (uri.includes('gone')) throw new Error(`${uri} is not there.`);
      return join(root, uri);
    },
    log: { info: () => undefined, warn: (_facts, message) => warnings.push(message), error: () => undefined },
    ...changes,
  });
}

/** Returns a Python task with this program. */
async function assignment(runId: number, program: string): Promise<TaskAssignment> {
  await writeFile(join(root, `${runId}.py`), program);
  const directory = join(root, 'runs', String(runId));
  await mkdir(directory, { recursive: true });
  return {
    jobId: 1,
    jobRunId: runId,
    runId,
    taskKey: 'main',
    attempt: 0,
    kind: 'spark_python_task',
    task: { python_file: `${runId}.py` },
    parameters: {},
    taskValues: {},
    libraries: [],
    directory,
    cluster: undefined,
  };
}

const logOf = (one: TaskAssignment): Promise<string> => readFile(join(one.directory, 'stdout'), 'utf8');

describe('an attempt', () => {
  test('has its own working and temporary directory and its ids', async () => {
    open();
    const one = await assignment(
      7,
      'import os, tempfile\nprint(os.getcwd(), tempfile.gettempdir(), ' +
        'os.environ["RUNYARD_RUN_ID"], os.environ["RUNYARD_TASK_KEY"])',
    );
    expect(await pool.run(one, noChildRuns).outcome).toEqual({ kind: 'succeeded' });
    expect(await logOf(one)).toBe(`${join(one.directory, 'work')} ${join(one.directory, 'tmp')} 7 main\n`);
  });

  test('is stopped by a message, also before its start', async () => {
    open();
    const one = await assignment(8, 'import time\nprint("up", flush=True)\ntime.sleep(600)');
    const running = pool.run(one, noChildRuns);
    await eventually(() => existsSync(join(one.directory, 'stdout')), { until: Boolean });
    running.stop();
    running.stop();
    expect(await running.outcome).toEqual({ kind: 'stopped' });
    const other = await assignment(9, 'print("never")');
    const never = pool.run(other, noChildRuns);
    never.stop();
    expect(await never.outcome).toEqual({ kind: 'stopped' });
  });

  test('of a removed plugin kind fails with the reason', async () => {
    open();
    const one = { ...(await assignment(10, '')), kind: 'dance_task' };
    expect(await pool.run(one, noChildRuns).outcome).toEqual({
      kind: 'failed',
      message:
        'No configured plugin provides dance_task; it was removed from RUNYARD_PLUGINS. Add the plugin again, or give the task another kind.',
    });
  });

  test('without its file fails with the reason of the engine', async () => {
    open();
    const one = { ...(await assignment(11, '')), task: { python_file: 'gone.py' } };
    expect(await pool.run(one, noChildRuns).outcome).toEqual({
      kind: 'failed',
      message: 'gone.py is not there.',
    });
  });
});

test('attempts of a dead thread attach to their processes and succeed', async () => {
  open({ worker: new URL('./crashing-worker.ts', import.meta.url) });
  const program = `import os, pathlib, time
print("once", flush=True)
while not pathlib.Path(${JSON.stringify(join(root, 'runs', 'died'))}).exists(): time.sleep(0.01)
print("done")`;
  const all = await Promise.all([20, 21, 22].map((runId) => assignment(runId, program)));
  const outcomes = await Promise.all(all.map((one) => pool.run(one, noChildRuns).outcome));
  expect(outcomes).toEqual(all.map(() => ({ kind: 'succeeded' })));
  expect(await Promise.all(all.map(logOf))).toEqual(all.map(() => 'once\ndone\n'));
  expect(warnings.length).toBeGreaterThan(0);
});
