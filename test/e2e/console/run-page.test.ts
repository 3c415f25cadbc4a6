/**
 * The page behind run_page_url, in a real browser on the real service: a run from its start to its end, and
 * what can be done with it.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestService } from '../../harness/test-service.ts';
import {
  closeBrowser,
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
let visitor: ConsolePage;

beforeAll(async () => {
  runyard = await startServiceWithPrograms();
});
afterAll(async () => {
  await runyard.stop();
  await closeBrowser();
});

describe.skipIf(isBrowserMissing)(`the page of a run${browserMissingNote}`, () => {
  beforeEach(async () => {
    visitor = await openConsole(runyard);
  });
  afterEach(async () => {
    expect(visitor.browserErrors).toEqual([]);
    await visitor.close();
  });

  const title = () => visitor.page.getByRole('heading', { level: 1 });
  const rounds = () => visitor.page.getByRole('table', { name: /Rounds/ }).getByRole('row');
  const output = (name: string) => visitor.page.getByLabel(name, { exact: true }).last();

  test('shows a run from its start to its end, with parameters and logs as they come', async () => {
    const jobId = await createJob(runyard, {
      name: 'gated',
      parameters: [{ name: 'gate', default: 'none' }],
      tasks: [
        programTask('wait', 'waits', ['{{job.parameters.gate}}']),
        programTask('then', 'works', [], ['wait']),
      ],
    });
    await visitor.goTo(`#job/${jobId}`);
    await visitor.signIn();
    await visitor.button('Run now').click();
    await visitor.page.getByRole('dialog').getByLabel('gate').fill('gate-1');
    await visitor.page.keyboard.press('Enter');
    await visitor.page
      .getByRole('heading', { name: /^gated #1/ })
      .getByText('Running')
      .waitFor();
    await visitor.waitForText('at the gate');
    await visitor.waitForText('Waiting for the task wait');
    await visitor.waitForText('gate-1');
    await runyard.putFile('/gate-1', '');
    await title().getByText('Succeeded').waitFor();
    expect(await visitor.page.title()).toBe('Succeeded: gated #1 · Runyard');
    await visitor.link('then').click();
    await output('Logs').getByText('it works').waitFor();
    expect(visitor.page.url()).toMatch(new RegExp(`#job/${jobId}/run/\\d+$`));
  });

  test('follows a log line by line, in its colours and without what is not text, stops when told to, and saves all of it', async () => {
    await runyard.putFile(
      '/colours.py',
      'import os, sys, time\nprint("\\x1b[1;31mred alert\\x1b[0m \\x1b]0;owned\\x07<b>plain</b>", flush=True)\n' +
        'def gate(name):\n    while not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/" + name): time.sleep(0.02)\n' +
        'gate("l1"); print("second line", flush=True); gate("l2"); print("third line", flush=True); gate("l3"); print("oh", file=sys.stderr)\n',
    );
    const runId = await startRun(
      runyard,
      await createJob(runyard, {
        name: 'coloured',
        tasks: [programTask('main', 'colours'), programTask('other', 'works')],
      }),
    );
    await visitor.goTo(`#job/run/${runId}`);
    await visitor.signIn();
    await visitor.page.getByRole('link', { name: 'main' }).first().click();
    await output('Logs').locator('.t-red.t-bold').getByText('red alert').waitFor();
    expect(await output('Logs').textContent()).toBe('red alert <b>plain</b>\n');
    await runyard.putFile('/l1', '');
    await output('Logs').getByText('second line').waitFor();
    await visitor.button('Stop following').click();
    await visitor.button('Follow').waitFor();
    await runyard.putFile('/l2', '');
    while (
      !(
        await runyard.callOk('GET', '2.1/jobs/runs/logs', {
          run_id: (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: runId })).tasks[0].run_id,
        })
      ).content.includes('third line')
    );
    expect(await output('Logs').textContent()).not.toContain('third line');
    await visitor.button('Follow').click();
    await output('Logs').getByText('third line').waitFor();
    await runyard.putFile('/l3', '');
    await visitor.button('stderr').click();
    await output('Logs').getByText('oh').waitFor();
    await title().getByText('Succeeded').waitFor();
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        visitor.page.waitForEvent('download'),
        visitor.button(name).click(),
      ]);
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    await visitor.button('stdout').click();
    const log = await saved('Save the whole log');
    expect([log.name, log.bytes.toString()]).toEqual([
      expect.stringMatching(/^stdout-\d+\.txt$/),
      expect.stringContaining('\u001B[1;31mred alert\u001B[0m'),
    ]);
    const bundle = await saved('Save the run bundle');
    expect([...bundle.bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  });

  test('opens at the task that failed, with error, trace and logs', async () => {
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
    await visitor.page.goto(url);
    await visitor.signIn();
    await visitor.heading(/^load attempt 1/).waitFor();
    await visitor.waitForText('Task load failed with message');
    await visitor.waitForText('FileNotFoundError: no such table: orders');
    expect(await output('Trace').textContent()).toContain('Traceback (most recent call last)');
    await output('Logs').getByText('before').waitFor();
    await visitor.waitForText('Upstream task load failed');
    expect(
      await visitor.page
        .getByRole('table', { name: /Attempts/ })
        .getByRole('row')
        .count(),
    ).toBe(4);
  });

  test('spec 2.5: run_page_url opens, as does every other form of its address', async () => {
    const jobId = await createJob(runyard, {
      name: 'linked',
      tasks: [programTask('one', 'works'), programTask('two', 'works', [], ['one'])],
    });
    const runId = await startRun(runyard, jobId);
    const run = await runyard.waitForRunEnd(runId);
    await visitor.goTo('');
    await visitor.signIn();
    const forms = [
      run.run_page_url.slice(runyard.url.length + 1),
      `?o=1#job/${jobId}/run/${runId}`,
      `#job/run/${runId}`,
      `jobs/${jobId}/runs/${runId}`,
      `jobs/${jobId}/runs/${runId}?o=1`,
    ];
    for (const form of forms) {
      await visitor.goTo('#jobs');
      await visitor.heading('Jobs').waitFor();
      await visitor.goTo(form);
      await visitor.heading(/^linked #1/).waitFor();
    }
    // A task run has an address, too: it is shown within its run.
    await visitor.page.goto(run.tasks[1].run_page_url);
    await visitor.heading(/^linked #1/).waitFor();
    await visitor.heading(/^two attempt 1/).waitFor();
  });

  test('cancels a run, but not when the dialog is left', async () => {
    const runId = await startRun(
      runyard,
      await createJob(runyard, {
        name: 'endless',
        tasks: [programTask('wait', 'waits', ['never']), programTask('then', 'works', [], ['wait'])],
      }),
    );
    await visitor.goTo(`#job/run/${runId}`);
    await visitor.signIn();
    await visitor.waitForText('at the gate');
    await visitor.button('Cancel the run').click();
    await visitor.page.keyboard.press('Escape');
    await visitor.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: runId })).state.life_cycle_state).toBe(
      'RUNNING',
    );
    await visitor.confirm('Cancel the run');
    await title().getByText('Cancelled').waitFor();
    expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('CANCELED');
  });

  test('repairs a run, and shows both rounds', async () => {
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
    await visitor.goTo(`#job/run/${runId}`);
    await visitor.signIn();
    await title().getByText('Failed').waitFor();
    await visitor.confirm('Repair the run');
    await rounds().nth(2).getByText('Failed').waitFor();
    await runyard.putFile('/mended.py', 'print("mended")\n');
    await visitor.confirm('Repair the run');
    await title().getByText('Succeeded').waitFor();
    expect(await rounds().allTextContents()).toEqual([
      expect.stringContaining('Round'),
      expect.stringMatching(/Original run.*Failed/),
      expect.stringMatching(/Repair 1.*Failed/),
      expect.stringMatching(/Repair 2.*Succeeded/),
    ]);
    expect(
      await visitor.page
        .getByRole('table', { name: /Attempts/ })
        .getByRole('row')
        .count(),
    ).toBe(8);
  });

  test('leads from a task that starts another job to the run that it started', async () => {
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
    await visitor.goTo(`#job/run/${runId}`);
    await visitor.signIn();
    await visitor.heading(/^call attempt 1/).waitFor();
    await visitor.page.getByText('Started run').getByRole('link').click();
    await visitor.heading(/^inner #1/).waitFor();
  });

  test('deletes a run and leads back to its job', async () => {
    const jobId = await createJob(runyard, {
      name: 'deleted',
      tasks: [programTask('a', 'works'), programTask('b', 'works')],
    });
    const runId = await startRun(runyard, jobId);
    await runyard.waitForRunEnd(runId);
    await visitor.goTo(`#job/${jobId}/run/${runId}`);
    await visitor.signIn();
    await visitor.button('Delete the run').click();
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Delete the run' }).click();
    await visitor.waitForText('This job has no runs yet.');
    await visitor.goTo(`#job/${jobId}/run/${runId}`);
    await visitor.waitForText(`Run ${runId} does not exist.`);
    await visitor.waitForText('It may have been deleted');
  });

  test('shows a notebook in a frame without scripts, whose links to its cells work', async () => {
    await runyard.putNotebook('/page', [
      'displayHTML("<b>shown</b><script>top.owned = 1</script>")',
      '"<img src=x onerror=top.owned=1>"',
      '1 / 0',
    ]);
    const { run_id: runId } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      run_name: 'page',
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: '/page' },
    });
    await runyard.waitForRunEnd(runId);
    await visitor.goTo(`#job/run/${runId}`);
    await visitor.signIn();
    await visitor.waitForText('ZeroDivisionError: division by zero');
    const frame = visitor.page.locator('iframe');
    expect(await frame.getAttribute('sandbox')).not.toMatch(
      /allow-(scripts|same-origin|top-navigation|forms)/,
    );
    const inside = visitor.page.frameLocator('iframe');
    await inside.frameLocator('iframe').first().getByText('shown').waitFor();
    await inside.getByRole('link', { name: 'Cell 3' }).click();
    await inside.getByRole('heading', { name: /^page/ }).waitFor();
    expect(await visitor.page.evaluate('window.owned')).toBeUndefined();
    expect(await visitor.page.evaluate('document.querySelectorAll("#console img").length')).toBe(0);
  });

  test('shows the tables and pictures of a notebook', async () => {
    const cells = [
      '[{ station: "Zürich", rain: 1.5 }]',
      'display({ svg: `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"></svg>` })',
    ];
    const content = Buffer.from(
      `// Databricks notebook source\n${cells.join('\n// COMMAND ----------\n')}`,
    ).toString('base64');
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: '/figures',
      language: 'JAVASCRIPT',
      format: 'SOURCE',
      content,
    });
    const { run_id: runId } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      run_name: 'figures',
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: '/figures' },
    });
    await runyard.waitForRunEnd(runId);
    await visitor.goTo(`#job/run/${runId}`);
    await visitor.signIn();
    const inside = visitor.page.frameLocator('iframe');
    await inside.getByRole('cell', { name: 'Zürich' }).waitFor();
    expect(
      await inside.getByRole('group', { name: 'Table of cell 1' }).getByRole('row').allTextContents(),
    ).toEqual(['stationstringraindouble', 'Zürich1.5']);
    const { width } = (await inside.getByAltText('Picture shown by cell 2').boundingBox()) ?? {};
    expect(width).toBe(40);
  });
});
