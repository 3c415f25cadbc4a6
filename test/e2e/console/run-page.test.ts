/** Tests of the page of a run: progress, failures, addresses and actions. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import type { TestService } from '../../harness/test-service.ts';
import {
  closeBrowser,
  hangTimeouts,
  createJob,
  isBrowserMissing,
  programTask,
  startServiceWithPrograms,
  startRun,
  openConsole,
  browserMissingNote,
  type ConsolePage,
} from './console-page.ts';

let runyard: TestService;
let consolePage: ConsolePage;

beforeAll(async () => {
  runyard = await startServiceWithPrograms();
});
afterAll(async () => {
  await runyard.stop();
  await closeBrowser();
});

describe.skipIf(isBrowserMissing)(`run page${browserMissingNote}`, { timeout: hangTimeouts.test }, () => {
  beforeEach(async () => {
    consolePage = await openConsole(runyard);
  });
  afterEach(async () => {
    expect(consolePage.browserErrors).toEqual([]);
    await consolePage.close();
  });

  const title = () => consolePage.page.getByRole('heading', { level: 1 });
  const rounds = () => consolePage.tableRows(/Rounds/);
  const output = (label: string) => consolePage.textBlock(label);

  test('an active run shows parameters, states and logs until it ends', async () => {
    const jobId = await createJob(runyard, {
      name: 'gated',
      parameters: [{ name: 'gate', default: 'none' }],
      tasks: [
        programTask('wait', 'waits', ['{{job.parameters.gate}}']),
        programTask('then', 'works', [], ['wait']),
      ],
    });
    await consolePage.goTo(`#job/${jobId}`);
    await consolePage.signIn();
    await consolePage.button('Run now').click();
    await consolePage.dialog().getByLabel('gate').fill('gate-1');
    await consolePage.page.keyboard.press('Enter');
    await consolePage.page
      .getByRole('heading', { name: /^gated #1/ })
      .getByText('Running')
      .waitFor();
    await consolePage.waitForText('at the gate');
    await consolePage.waitForText('Waiting for the task wait');
    await consolePage.waitForText('gate-1');
    await runyard.putFile('/gate-1', '');
    await title().getByText('Succeeded').waitFor();
    expect(await consolePage.page.title()).toBe('Succeeded: gated #1 · Runyard');
    await consolePage.link('then').click();
    await output('Logs').getByText('it works').waitFor();
    expect(consolePage.page.url()).toMatch(new RegExp(`#job/${jobId}/run/\\d+$`));
  });

  test('a failed run opens at the failed task with error, trace and logs', async () => {
    const jobId = await createJob(runyard, {
      name: 'broken',
      tasks: [
        programTask('first', 'works'),
        programTask('load', 'fails', [], ['first']),
        programTask('last', 'works', [], ['load']),
      ],
    });
    const runId = await startRun(runyard, jobId);
    const { run_page_url: url } = await runyard.waitForRunEnd(runId);
    await consolePage.page.goto(url);
    await consolePage.signIn();
    await consolePage.heading(/^load attempt 1/).waitFor();
    await consolePage.page.getByRole('region', { name: 'Explanation' }).first().waitFor();
    await consolePage.waitForText('FileNotFoundError: no such table: orders');
    expect(await output('Trace').textContent()).toContain('Traceback (most recent call last)');
    await output('Logs').getByText('before').waitFor();
    await consolePage.waitForText(/Upstream task load failed/);
    expect(await consolePage.tableRows(/Attempts/).count()).toBe(4);
  });

  test('a mail that is not delivered is noted with the reason and the time of the next attempt', async () => {
    const jobId = await createJob(runyard, {
      name: 'unreported',
      email_notifications: { on_failure: ['ops@example.org'] },
      max_retrys: 3,
      tasks: [programTask('load', 'fails'), programTask('last', 'works', [], ['load'])],
    });
    await consolePage.goTo(`#job/${jobId}`);
    await consolePage.signIn();
    await consolePage.waitForText('max_retrys is not a known field; did you mean max_retries?');
    const runId = await startRun(runyard, jobId);
    await runyard.waitForRunEnd(runId);
    await eventually(
      () => runyard.callOk('GET', '2.0/notifications/deliveries', { run_id: runId, state: 'pending' }),
      { until: ({ deliveries }) => deliveries[0]?.attempts.length > 0 },
    );
    await consolePage.goTo(`#job/run/${runId}`);
    await consolePage.waitForText(
      /^Mail to ops@example\.org not delivered: .*(?:ECONNREFUSED|refused).* Next attempt \d/,
    );
  });

  test('spec 2.5: run_page_url and every other form of the address open the run', async () => {
    const jobId = await createJob(runyard, {
      name: 'linked',
      tasks: [programTask('one', 'works'), programTask('two', 'works', [], ['one'])],
    });
    const runId = await startRun(runyard, jobId);
    const run = await runyard.waitForRunEnd(runId);
    await consolePage.goTo('');
    await consolePage.signIn();
    const forms = [
      run.run_page_url.slice(runyard.url.length + 1),
      `?o=1#job/${jobId}/run/${runId}`,
      `#job/run/${runId}`,
      `jobs/${jobId}/runs/${runId}`,
      `jobs/${jobId}/runs/${runId}?o=1`,
    ];
    for (const form of forms) {
      await consolePage.goTo('#jobs');
      await consolePage.heading('Jobs').waitFor();
      await consolePage.goTo(form);
      await consolePage.heading(/^linked #1/).waitFor();
    }
    // The address of a task run opens its run with that task selected.
    await consolePage.page.goto(run.tasks[1].run_page_url);
    await consolePage.heading(/^linked #1/).waitFor();
    await consolePage.heading(/^two attempt 1/).waitFor();
  });

  test('cancel takes effect only after the confirmation', async () => {
    const runId = await startRun(
      runyard,
      await createJob(runyard, {
        name: 'endless',
        tasks: [programTask('wait', 'waits', ['never']), programTask('then', 'works', [], ['wait'])],
      }),
    );
    await consolePage.goTo(`#job/run/${runId}`);
    await consolePage.signIn();
    await consolePage.waitForText('at the gate');
    await consolePage.button('Cancel the run').click();
    await consolePage.page.keyboard.press('Escape');
    await consolePage.dialog().waitFor({ state: 'detached' });
    expect((await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: runId })).state.life_cycle_state).toBe(
      'RUNNING',
    );
    await consolePage.confirm('Cancel the run');
    await title().getByText('Cancelled').waitFor();
    expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('CANCELED');
  });

  test('repair reruns failed tasks and shows every round', async () => {
    await runyard.putFile('/mended.py', 'raise SystemExit("not yet")\n');
    const runId = await startRun(
      runyard,
      await createJob(runyard, {
        name: 'repaired',
        tasks: [
          programTask('fine', 'works'),
          programTask('sick', 'mended', [], ['fine']),
          programTask('behind', 'works', [], ['sick']),
        ],
      }),
    );
    await runyard.waitForRunEnd(runId);
    await consolePage.goTo(`#job/run/${runId}`);
    await consolePage.signIn();
    await title().getByText('Failed').waitFor();
    await consolePage.confirm('Repair the run');
    await rounds().nth(2).getByText('Failed').waitFor();
    await runyard.putFile('/mended.py', 'print("mended")\n');
    await consolePage.confirm('Repair the run');
    await title().getByText('Succeeded').waitFor();
    expect(await rounds().allTextContents()).toEqual([
      expect.stringContaining('Round'),
      expect.stringMatching(/Original run.*Failed/),
      expect.stringMatching(/Repair 1.*Failed/),
      expect.stringMatching(/Repair 2.*Succeeded/),
    ]);
    expect(await consolePage.tableRows(/Attempts/).count()).toBe(8);
  });

  test('a run_job_task links to the run that it started', async () => {
    const inner = await createJob(runyard, {
      name: 'inner',
      tasks: [programTask('a', 'works'), programTask('b', 'works')],
    });
    const runId = await startRun(
      runyard,
      await createJob(runyard, {
        name: 'outer',
        tasks: [
          programTask('before', 'works'),
          { task_key: 'call', depends_on: [{ task_key: 'before' }], run_job_task: { job_id: inner } },
        ],
      }),
    );
    await runyard.waitForRunEnd(runId);
    await consolePage.goTo(`#job/run/${runId}`);
    await consolePage.signIn();
    await consolePage.heading(/^call attempt 1/).waitFor();
    await consolePage.page.getByText('Started run').getByRole('link').click();
    await consolePage.heading(/^inner #1/).waitFor();
  });

  test('delete removes a run and returns to its job', async () => {
    const jobId = await createJob(runyard, {
      name: 'deleted',
      tasks: [programTask('a', 'works'), programTask('b', 'works')],
    });
    const runId = await startRun(runyard, jobId);
    await runyard.waitForRunEnd(runId);
    await consolePage.goTo(`#job/${jobId}/run/${runId}`);
    await consolePage.signIn();
    await consolePage.confirm('Delete the run');
    await consolePage.waitForText('This job has no runs yet.');
    await consolePage.goTo(`#job/${jobId}/run/${runId}`);
    await consolePage.waitForText(`Run ${runId} does not exist.`);
    await consolePage.waitForText('It may have been deleted');
  });
});
