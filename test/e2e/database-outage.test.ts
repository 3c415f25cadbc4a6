/**
 * PostgreSQL killed under a running engine: the engine waits, goes on when it is back, and nothing is lost or
 * doubled.
 */
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngineProcess, type EngineProcess } from '../harness/engine-process.ts';

let dataDirectory: string;
let engine: EngineProcess;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard-lost-'));
  await chmod(dataDirectory, 0o711);
  engine = await startEngineProcess(dataDirectory);
});
afterAll(async () => {
  await engine.terminate();
  await rm(dataDirectory, { recursive: true, force: true });
});

const serverPid = (): number =>
  Number(readFileSync(join(dataDirectory, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
const logOf = (runId: number): string => {
  const path = join(dataDirectory, 'runs', String(runId), 'stdout');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

test('a task that ends while the database is away is recorded when it is back, and its dependants run', async () => {
  // The first task kills the database and ends: its end can only be written after the restart.
  await engine.putFile(
    '/kill.py',
    ['import os, sys', 'print("once")', 'os.kill(int(sys.argv[1]), 9)'].join('\n'),
  );
  await engine.putFile('/after.py', 'print("after")\n');
  const compute = { existing_cluster_id: 'c' };
  const { run_id } = await engine.callOk('POST', '2.1/jobs/runs/submit', {
    tasks: [
      {
        task_key: 'kill',
        ...compute,
        spark_python_task: { python_file: 'managed_fs:/kill.py', parameters: [String(serverPid())] },
      },
      {
        task_key: 'after',
        ...compute,
        depends_on: [{ task_key: 'kill' }],
        spark_python_task: { python_file: 'managed_fs:/after.py' },
      },
    ],
  });
  // Refused or failed meanwhile: the client may ask again until the service answers.
  const ended = async () => {
    for (;;) {
      const { status, body } = await engine.call('GET', '2.1/jobs/runs/get', { run_id });
      expect([200, 503]).toContain(status);
      if (status === 200 && body.end_time > 0) return body;
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
  };
  const run = await ended();
  expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
  expect(run.tasks.map((task: { run_id: number }) => logOf(task.run_id))).toEqual(['once\n', 'after\n']);
});
