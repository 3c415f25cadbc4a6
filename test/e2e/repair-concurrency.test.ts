/** Concurrent repairs through HTTP. */
import { describe, expect, test } from 'vitest';
import { registerService, runyard, broken, task, submit, history, attempts } from './repair-harness.ts';

registerService();

describe('concurrent repairs', () => {
  test('of one run: one of 20 succeeds, the others are refused', async () => {
    await runyard.putFile('/step.py', broken);
    const runId = await submit([task('a', [], 'step.py')]);
    await runyard.waitForRunEnd(runId);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        runyard.call('POST', '2.1/jobs/runs/repair', { run_id: runId, rerun_all_failed_tasks: true }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 400),
    ]);
    for (const { body } of answers.filter(({ status }) => status === 400)) {
      expect(body.message).toMatch(
        /only a run that is over can be repaired|Missing required field: latest_repair_id/,
      );
    }
    expect(attempts(await runyard.waitForRunEnd(runId))).toEqual(['a 0 FAILED', 'a 0 FAILED']);
    expect(await history(runId)).toHaveLength(2);
  });

  test('of one job respect max_concurrent_runs: those over it are refused, not skipped', async () => {
    await runyard.putFile('/step.py', broken);
    const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'narrow',
      max_concurrent_runs: 2,
      tasks: [task('a', [], 'step.py')],
    });
    const runIds: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
      await runyard.waitForRunEnd(run_id);
      runIds.push(run_id);
    }
    await runyard.putFile('/step.py', 'import time\ntime.sleep(600)\n');
    const answers = await Promise.all(
      runIds.map((run_id) =>
        runyard.call('POST', '2.1/jobs/runs/repair', { run_id, rerun_all_failed_tasks: true }),
      ),
    );
    const repaired = runIds.filter((_, index) => answers[index]?.status === 200);
    const refused = runIds.filter((_, index) => answers[index]?.status === 400);
    expect([repaired.length, refused.length]).toEqual([2, 3]);
    for (const run_id of refused) {
      expect(answers[runIds.indexOf(run_id)]?.body).toEqual({
        error_code: 'INVALID_STATE',
        message: `Run ${run_id} cannot be repaired now: job ${job_id} has 2 active runs, and its max_concurrent_runs is 2.`,
      });
      expect((await runyard.waitForRunEnd(run_id)).state.result_state).toBe('FAILED');
      expect(await history(run_id)).toHaveLength(1);
    }
    for (const run_id of repaired) await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id });
    for (const run_id of repaired)
      expect((await runyard.waitForRunEnd(run_id)).state.result_state).toBe('CANCELED');
  });
});
