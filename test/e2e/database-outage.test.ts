/**
 * kill -9 of PostgreSQL under a running engine: the engine waits for the restart, and no run is lost or
 * duplicated.
 */
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
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

test('a task that ends during a database outage is recorded after it, and its downstream tasks run', async () => {
  // The first task kills the database and ends, so its end is written after the restart.
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
  // During the outage the service answers 503, after which the client may repeat its request.
  const statuses = new Set<number>();
  const { body: run } = await eventually(
    async () => {
      const response = await engine.call('GET', '2.1/jobs/runs/get', { run_id });
      statuses.add(response.status);
      return response;
    },
    { until: ({ status, body }) => status === 200 && body.end_time > 0 },
  );
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
  expect(run.tasks.map((task: { run_id: number }) => logOf(task.run_id))).toEqual(['once\n', 'after\n']);
});
