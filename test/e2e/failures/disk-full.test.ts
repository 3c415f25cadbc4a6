/** A full disk of the data directory: found at once, told, and survived. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { findMissing, mountSmallDisk } from './battery.ts';

const missing = await findMissing();
const directory = mkdtempSync(join(tmpdir(), 'runyard-full-'));
let runyard: TestService;

describe.skipIf(missing.has('tmpfs'))('a full disk of the data directory', () => {
  beforeAll(async () => {
    mountSmallDisk(directory, '24m');
    runyard = await startTestService({ dataDirectory: directory, diskReserveBytes: 4 * 2 ** 20 });
    await runyard.putFile(
      '/fill.py',
      [
        'import os, time',
        "with open(os.environ['RUNYARD_MANAGED_FS'] + '/filler', 'wb') as f:",
        '    try:',
        '        while True: f.write(bytes(65536)); f.flush()',
        '    except OSError: pass',
        'time.sleep(600)',
      ].join('\n'),
    );
  });
  afterAll(async () => {
    await runyard.stop();
    execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true, force: true });
  });

  const start = async (file: string): Promise<number> => {
    const { job_id: jobId } = await runyard.callOk('POST', '2.0/jobs/create', {
      name: 'disk',
      existing_cluster_id: 'c',
      max_concurrent_runs: 5,
      spark_python_task: { python_file: `managed_fs:/${file}` },
    });
    return (await runyard.callOk('POST', '2.0/jobs/run-now', { job_id: jobId })).run_id;
  };

  test('ends the running task with the cause, and the service is not ready', async () => {
    const run = await runyard.waitForRunEnd(await start('fill.py'));
    expect(run.state).toMatchObject({
      life_cycle_state: 'INTERNAL_ERROR',
      state_message: `The disk of ${directory} is full. Free space, then repair the run.`,
    });
    expect(run.explanation).toMatchObject({
      cause_code: 'STORAGE',
      next_step: 'Free space, then repair the run.',
    });
    const ready = await fetch(`${runyard.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: 'not ready',
        reason: `The disk of ${directory} is full. Free space; tasks start again by themselves.`,
      },
    ]);
  });

  test('keeps the next task waiting with a message, and starts it when there is space', async () => {
    const runId = await start('fill.py');
    await runyard.waitForRun(
      runId,
      ({ state }) => state.state_message === `Waiting for space: the disk of ${directory} is full`,
    );
    rmSync(join(directory, 'managed_fs', 'filler'));
    await eventually(async () => (await fetch(`${runyard.url}/readyz`)).status, {
      until: (status) => status === 200,
    });
    await runyard.waitForRun(runId, ({ state }) => state.life_cycle_state !== 'PENDING');
    await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: runId });
    await runyard.waitForRunEnd(runId);
  });
});
