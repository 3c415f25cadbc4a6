/** Secrets in logs, output, bundles and mails. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { downloadBundle, logTextOf, followLog, type LogEvent as Event } from '../harness/run-logs.ts';
import { eventually } from '../harness/eventually.ts';
import { registerService, runyard, cluster, shell, submit, taskRun, logs } from './run-logs-harness.ts';

registerService();

describe('secrets', () => {
  const script =
    'echo "password correct-horse, again correct-horse"; printf "corr"; sleep 0.3; echo "ect-horse"; printf "https://u:correct-horse@h/ " >&2; echo "STAGE=test" >&2; exit 4';

  test('are masked in pages, streams, output and bundle, also when written in two parts', async () => {
    const runId = await submit(shell('main', script));
    const main = await taskRun(runId);
    const events: Event[] = [];
    for await (const event of followLog(runyard, { run_id: main })) events.push(event);
    const shown = 'password ***, again ***\n***\n';
    expect(logTextOf(events)).toBe(shown);
    expect((await logs({ run_id: main })).content).toBe(shown);
    expect((await logs({ run_id: main, tail: 1 })).content).toBe('***\n');
    expect((await logs({ run_id: main, offset: 12, limit: 4 })).content).not.toMatch(/horse|corr/);
    const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: main });
    expect(output.logs).toBe(`${shown}https://u:***@h/ STAGE=test\n`);
    const { text } = await downloadBundle(runyard, runId);
    expect(text).not.toContain('correct-horse');
    expect(text).toContain('"DB_PASSWORD": "***"');
    expect(text).toContain('"STAGE": "test"');
  });

  test('are masked in errors, traces, results and pages of notebooks', async () => {
    await runyard.putNotebook('/leaky', [
      'import os\nprint("cell says", os.environ["DB_PASSWORD"])',
      'raise ValueError("bad " + os.environ["DB_PASSWORD"])',
    ]);
    const { run_id: runId } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      new_cluster: cluster,
      notebook_task: { notebook_path: '/leaky' },
    });
    await runyard.waitForRunEnd(runId);
    const output = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id: runId });
    expect(output.error).toContain('bad ***');
    expect(output.error_trace).not.toContain('correct-horse');
    const { views } = await runyard.callOk('GET', '2.0/jobs/runs/export', { run_id: runId });
    expect(views[0].content).toContain('cell says ***');
    expect(views[0].content).not.toContain('correct-horse');
    expect((await downloadBundle(runyard, runId)).files.get('tasks/main/attempt-0/notebook.html')).toContain(
      'cell says ***',
    );
    // The child notebook runs on the same cluster, which its own settings do not name.
    await runyard.putNotebook('/calls', ['dbutils.notebook.run("/leaky", 60)']);
    const { run_id: calls } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      new_cluster: cluster,
      notebook_task: { notebook_path: '/calls' },
    });
    expect((await runyard.waitForRunEnd(calls)).state.result_state).toBe('FAILED');
    const {
      runs: [called],
    } = await runyard.callOk('GET', '2.0/jobs/runs/list', { run_type: 'WORKFLOW_RUN' });
    expect(
      (await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id: called.run_id })).error,
    ).toContain('bad ***');
  });

  test('are masked in mails', async () => {
    const { job_id: jobId } = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'mailed',
      email_notifications: { on_failure: ['ops@example.org'] },
      tasks: [shell('main', script)],
    });
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: jobId });
    await runyard.waitForRunEnd(runId);
    const directory = join(runyard.dataDirectory, 'mail');
    const name = await eventually(
      async () => (await readdir(directory)).find((file) => file.endsWith('.eml')) ?? '',
      { until: Boolean },
    );
    const mail = await readFile(join(directory, name), 'utf8');
    expect(mail).toContain('password ***');
    expect(mail).not.toContain('correct-horse');
  });
});
