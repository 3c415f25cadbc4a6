/**
 * Several engine processes on one PostgreSQL: node list, adoption, pause, drain, and refused
 * configurations (DESIGN sections 4 and 10).
 */
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { startEngineProcess, type EngineProcess } from '../harness/engine-process.ts';
import type { ResponseBody } from '../harness/api-client.ts';

let database: TestDatabase;
let directory: string;
let engines: EngineProcess[];
beforeEach(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), 'runyard-engines-'));
  await chmod(directory, 0o711);
  engines = [];
});
afterEach(async () => {
  for (const { process: child } of engines) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await gone;
  }
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

function urlOf({ address: { database: name, ...reach } }: TestDatabase): string {
  return `postgresql:///${name}?${new URLSearchParams(Object.entries(reach).map(([key, value]): [string, string] => [key, String(value)]))}`;
}

async function start(dataDirectory = directory, options: readonly string[] = []): Promise<EngineProcess> {
  const engine = await startEngineProcess(
    dataDirectory,
    { DATABASE_URL: urlOf(database), RUNYARD_LEASE_MS: '1500' },
    options,
  );
  engines.push(engine);
  return engine;
}

/** Program that runs until the file `go` exists. */
const waiting =
  'import os, sys, time\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.02)\nprint("went on")\n';
const go = (): string => join(directory, 'go');

async function submit(engine: EngineProcess, settings: object = {}): Promise<number> {
  await engine.putFile('/wait.py', waiting);
  const task = {
    task_key: 'wait',
    existing_cluster_id: 'c',
    spark_python_task: { python_file: 'managed_fs:/wait.py', parameters: [go()] },
  };
  return (
    await engine.callOk('POST', '2.1/jobs/runs/submit', {
      run_name: 'wait',
      tasks: [{ ...task, ...settings }],
    })
  ).run_id;
}

const running = (engine: EngineProcess, runId: number): Promise<ResponseBody> =>
  engine.waitForRun(runId, (run) => run.tasks[0].state.life_cycle_state === 'RUNNING');
const nodesOf = async (engine: EngineProcess): Promise<ResponseBody[]> =>
  (await engine.callOk('GET', '2.0/nodes')).nodes;

test('the node list shows each engine with its active runs', async () => {
  const [one, other] = [await start(), await start()];
  const runId = await submit(one);
  await running(other, runId);
  expect(await nodesOf(other)).toEqual([
    expect.objectContaining({ pid: one.process.pid, state: 'ALIVE', active_runs: 1, running_tasks: 1 }),
    expect.objectContaining({ pid: other.process.pid, state: 'ALIVE', active_runs: 0, running_tasks: 0 }),
  ]);
  await writeFile(go(), '');
  expect((await other.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
});

test('another engine adopts the runs of a killed engine, and their tasks continue', async () => {
  const [one, other] = [await start(), await start()];
  const runId = await submit(one);
  await running(one, runId);
  await one.kill();
  await eventually(async () =>
    expect((await nodesOf(other)).filter(({ active_runs: runs }) => runs === 1)).toEqual([
      expect.objectContaining({ pid: other.process.pid }),
    ]),
  );
  await writeFile(go(), '');
  const run = await other.waitForRunEnd(runId);
  expect([run.state.result_state, run.tasks.length]).toEqual(['SUCCESS', 1]);
});

test('an engine that resumes after a pause releases its adopted run and accepts new runs', async () => {
  const [one, other] = [await start(), await start()];
  const runId = await submit(one);
  await running(one, runId);
  one.process.kill('SIGSTOP');
  await eventually(async () =>
    expect(await nodesOf(other)).toContainEqual(
      expect.objectContaining({ pid: other.process.pid, active_runs: 1 }),
    ),
  );
  expect(await nodesOf(other)).toContainEqual(
    expect.objectContaining({ pid: one.process.pid, state: 'SILENT' }),
  );
  one.process.kill('SIGCONT');
  await eventually(async () =>
    expect(await nodesOf(one)).toContainEqual(
      expect.objectContaining({ pid: one.process.pid, state: 'ALIVE', active_runs: 0 }),
    ),
  );
  await writeFile(go(), '');
  const run = await one.waitForRunEnd(runId);
  expect([run.state.result_state, run.tasks.length]).toEqual(['SUCCESS', 1]);
  const { rows } = {
    rows: await database.db
      .selectFrom('runs')
      .select(['state', 'fence'])
      .where('run_id', '=', runId)
      .execute(),
  };
  expect(rows).toEqual([{ state: 'TERMINATED', fence: 2 }]);
  expect((await one.waitForRunEnd(await submit(one))).state.result_state).toBe('SUCCESS');
});

test('an engine with another data directory refuses to start and says what to do', async () => {
  await start();
  const elsewhere = await mkdtemp(join(tmpdir(), 'runyard-elsewhere-'));
  try {
    await expect(start(elsewhere)).rejects.toThrow(
      'Engines that share a database must share RUNYARD_DATA_DIR',
    );
  } finally {
    await rm(elsewhere, { recursive: true, force: true });
  }
});

describe('serve --drain', () => {
  test('SIGTERM waits for the running task, refuses new runs, starts no further task, and exits with 0', async () => {
    const engine = await start(directory, ['--drain']);
    await engine.putFile('/wait.py', waiting);
    const task = (task_key: string, ...depends_on: string[]) => ({
      task_key,
      depends_on: depends_on.map((key) => ({ task_key: key })),
      existing_cluster_id: 'c',
      spark_python_task: { python_file: 'managed_fs:/wait.py', parameters: [go()] },
    });
    const { run_id: runId } = await engine.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [task('first'), task('second', 'first')],
    });
    await running(engine, runId);
    const ended = engine.terminate();
    await eventually(async () => expect((await fetch(`${engine.url}/readyz`)).status).toBe(503));
    expect(await engine.call('POST', '2.1/jobs/runs/submit', { tasks: [task('x')] })).toMatchObject({
      status: 503,
      body: { error_code: 'TEMPORARILY_UNAVAILABLE' },
    });
    expect((await engine.callOk('GET', '2.1/jobs/runs/get', { run_id: runId })).state.life_cycle_state).toBe(
      'RUNNING',
    );
    await writeFile(go(), '');
    expect(await ended).toBe(0);
    const tasks = await database.db
      .selectFrom('task_runs')
      .select(['task_key', 'state', 'result'])
      .orderBy('run_id')
      .execute();
    expect(tasks).toEqual([
      { task_key: 'first', state: 'TERMINATED', result: 'SUCCESS' },
      { task_key: 'second', state: 'PENDING', result: null },
    ]);
    const next = await start();
    expect((await next.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
  });

  test('a second SIGTERM leaves the running task to the next engine', async () => {
    const engine = await start(directory, ['--drain']);
    const runId = await submit(engine);
    await running(engine, runId);
    const ended = engine.terminate();
    await eventually(async () => expect((await fetch(`${engine.url}/readyz`)).status).toBe(503));
    engine.process.kill('SIGTERM');
    expect(await ended).toBe(0);
    const next = await start();
    await writeFile(go(), '');
    const run = await next.waitForRunEnd(runId);
    expect([run.state.result_state, run.tasks.length]).toEqual(['SUCCESS', 1]);
  });
});
