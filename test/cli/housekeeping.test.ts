/** Housekeeping by bree: runs leave after their retention, with their files, and nothing else does. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHousekeeping } from '../../cli/housekeeping.ts';
import { startTestService, type TestService } from '../setup/service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
});
afterAll(() => runyard.stop());

const day = 24 * 60 * 60 * 1_000;

test('spec 8: runs older than 60 days are removed with their files; younger and active ones stay', async () => {
  const submit = async (): Promise<number> => {
    const { run_id } = await runyard.ok('POST', '2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'a', existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/ok.py' } }],
    });
    await runyard.ended(run_id);
    return run_id;
  };
  const [old, young] = [await submit(), await submit()];
  const [attempt] = (await runyard.ok('GET', '2.1/jobs/runs/get', { run_id: old })).tasks;
  const directory = join(runyard.dataDirectory, 'runs', String(attempt.run_id));
  expect(existsSync(directory)).toBe(true);
  await runyard.database.db.updateTable('runs').set((run) => ({ start_time: run('start_time', '-', 61 * day) })).where('run_id', '=', old).execute();
  const failures: unknown[] = [];
  const log = { info: () => undefined, warn: (facts: object) => failures.push(facts), error: (facts: object) => failures.push(facts) };
  const housekeeping = await startHousekeeping(
    { address: runyard.database.address, dataDirectory: runyard.dataDirectory, retentionMs: 60 * day, deliveryRetentionMs: 30 * day }, log, 1,
  );
  while (existsSync(directory)) await new Promise((resolve) => { setTimeout(resolve, 20); });
  await housekeeping.stop();
  expect(failures).toEqual([]);
  expect(await runyard.call('GET', '2.1/jobs/runs/get', { run_id: old })).toMatchObject({ status: 400 });
  expect((await runyard.ended(young)).state.result_state).toBe('SUCCESS');
});
