/** Tests of the lists and pages of the console: filters, settings, hostile texts and accessibility. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
  waitForCount,
  type ConsolePage,
} from './console-page.ts';

const attack = '<img src=x onerror="top.owned=1"><script>top.owned=1</script>';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let runyard: TestService;
let consolePage: ConsolePage;
let hostileJob: number;
let hostileRun: number;

beforeAll(async () => {
  runyard = await startServiceWithPrograms();
  await runyard.putFile(
    '/hostile.py',
    `print(${JSON.stringify(attack)}); raise ValueError(${JSON.stringify(attack)})\n`,
  );
  hostileJob = await createJob(runyard, {
    name: `hostile ${attack}`,
    description: attack,
    tags: { [attack]: attack },
    parameters: [{ name: 'p', default: attack }],
    tasks: [
      programTask('fails', 'hostile', [attack]),
      programTask('then'.repeat(25), 'works', [], ['fails']),
    ],
  });
  hostileRun = await startRun(runyard, hostileJob);
  await runyard.waitForRunEnd(hostileRun);
  // The repair adds a repair history.
  await runyard.callOk('POST', '2.1/jobs/runs/repair', { run_id: hostileRun, rerun_all_failed_tasks: true });
  await runyard.waitForRunEnd(hostileRun);
});
afterAll(async () => {
  await runyard.stop();
  await closeBrowser();
});

describe.skipIf(isBrowserMissing)(`pages${browserMissingNote}`, { timeout: hangTimeouts.test }, () => {
  beforeEach(async () => {
    consolePage = await openConsole(runyard);
  });
  afterEach(async () => {
    expect(consolePage.browserErrors).toEqual([]);
    await consolePage.close();
  });

  const rows = () => consolePage.tableRows(/Runs, newest first/);

  test('the list of runs can be filtered by state and by job name, and paged', async () => {
    const many = await createJob(runyard, {
      name: 'many',
      max_concurrent_runs: 100,
      tasks: [programTask('a', 'works'), programTask('b', 'works')],
    });
    const runs = await Promise.all(Array.from({ length: 27 }, () => startRun(runyard, many)));
    for (const run of runs) await runyard.waitForRunEnd(run);
    const waiting = await startRun(
      runyard,
      await createJob(runyard, {
        name: 'waiting',
        tasks: [programTask('wait', 'waits', ['list-gate']), programTask('b', 'works')],
      }),
    );
    await consolePage.goTo('');
    await consolePage.signIn();
    await consolePage.link('waiting #1').waitFor();
    await consolePage.link('Active').click();
    await waitForCount(rows(), 2);
    await runyard.putFile('/list-gate', '');
    await runyard.waitForRunEnd(waiting);
    await consolePage.waitForText('No active runs.');
    await consolePage.link('All').click();
    await consolePage.page.getByLabel('Job', { exact: true }).fill('MANY');
    await consolePage.button('Show').click();
    await consolePage.link('many #27').waitFor();
    await waitForCount(rows(), 26);
    await consolePage.link('Older').click();
    await consolePage.link('many #1').waitFor();
    await waitForCount(rows(), 3);
    await consolePage.page.goBack();
    await consolePage.link('many #27').waitFor();
    await consolePage.page.getByLabel('Job', { exact: true }).fill('unknown');
    await consolePage.page.keyboard.press('Enter');
    await consolePage.waitForText('No job is called “unknown”.');
  });

  test('the page of a job shows settings and runs, and starts a run with task parameters', async () => {
    const jobId = await createJob(runyard, {
      name: 'described',
      description: 'What it is for.',
      timeout_seconds: 60,
      max_concurrent_runs: 2,
      schedule: {
        quartz_cron_expression: '0 0 3 * * ?',
        timezone_id: 'Europe/Berlin',
        pause_status: 'PAUSED',
      },
      tasks: [programTask('first', 'works', ['usual']), programTask('second', 'works', [], ['first'])],
    });
    await consolePage.goTo('#jobs');
    await consolePage.signIn();
    await consolePage.link('described').click();
    for (const text of [
      'What it is for.',
      '0 0 3 * * ? (Europe/Berlin, paused)',
      '60 s',
      'managed_fs:/works.py',
      'This job has no runs yet.',
    ])
      await consolePage.waitForText(text);
    await consolePage.button('Run now').click();
    await consolePage.page.getByLabel('Override task parameters').selectOption({ label: 'Python tasks' });
    await consolePage.page.getByLabel('One parameter per line').fill('two words\nmore');
    await consolePage.dialog().getByRole('button', { name: 'Run now' }).click();
    await consolePage
      .heading(/^described #1/)
      .getByText('Succeeded')
      .waitFor();
    await consolePage.link('first').click();
    await consolePage.page
      .getByLabel('Logs', { exact: true })
      .last()
      .getByText('it works two words more')
      .waitFor();
    await consolePage.waitForText('two words more');
    expect(
      (await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: jobId })).runs[0].overriding_parameters,
    ).toEqual({ python_params: ['two words', 'more'] });
  });

  test('a rejected start shows its error in the dialog, and a corrected one succeeds', async () => {
    const jobId = await createJob(runyard, { name: 'strict', tasks: [programTask('a', 'works')] });
    await consolePage.goTo(`#job/${jobId}`);
    await consolePage.signIn();
    await consolePage.button('Run now').click();
    await consolePage.page.getByLabel('Override task parameters').selectOption({ label: 'Python tasks' });
    await consolePage.page.getByLabel('One parameter per line').fill('ümlaut');
    await consolePage.dialog().getByRole('button', { name: 'Run now' }).click();
    await consolePage
      .dialog()
      .getByText(/python_params.*ASCII/)
      .waitFor();
    await consolePage.page.getByLabel('One parameter per line').fill('plain');
    await consolePage.dialog().getByRole('button', { name: 'Run now' }).click();
    await consolePage.heading(/^strict #1/).waitFor();
  });

  test('markup in names, messages, parameters and logs is shown as text', async () => {
    await consolePage.goTo('');
    await consolePage.signIn();
    for (const address of [
      `#runs?job=${hostileJob}`,
      '#jobs',
      `#job/${hostileJob}`,
      `#job/${hostileJob}/run/${hostileRun}`,
    ]) {
      await consolePage.goTo(address);
      await consolePage.waitForText(attack.slice(0, 20));
      if (address.includes('/run/'))
        await consolePage.page
          .getByLabel('Trace', { exact: true })
          .last()
          .getByText(attack.slice(0, 20))
          .waitFor({ state: 'attached' });
      expect(
        await consolePage.page.evaluate(
          '[window.owned, document.querySelectorAll("#console img, #console script").length]',
        ),
      ).toEqual([undefined, 0]);
    }
    await consolePage.goTo(`#job/${attack}`);
    await consolePage.heading('Page not found').waitFor();
    expect(await consolePage.page.evaluate('window.owned')).toBeUndefined();
  });

  test('the nodes page is available only to tokens that may list nodes', async () => {
    const { token_value: narrow } = await runyard.callOk('POST', '2.0/token/create', { scopes: ['jobs'] });
    await consolePage.goTo('#runs');
    await consolePage.signIn(narrow);
    await consolePage.page.waitForLoadState('networkidle');
    expect(await consolePage.page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
    await consolePage.button('Sign out').click();
    await consolePage.signIn();
    await consolePage.link('Nodes').click();
    await consolePage.page
      .getByRole('row', { name: `process ${process.pid}` })
      .getByText('Alive')
      .waitFor();
  });

  test('keyboard navigation skips the menu, reaches a button, and opens and closes its dialog', async () => {
    await consolePage.goTo(`#job/${hostileJob}`);
    await consolePage.signIn();
    await consolePage.button('Run now').waitFor();
    const focused = () => consolePage.page.evaluate('document.activeElement.textContent');
    await consolePage.page.evaluate('document.activeElement.blur()');
    await consolePage.page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to content');
    await consolePage.page.keyboard.press('Enter');
    await consolePage.page.keyboard.press('Tab');
    await consolePage.page.keyboard.press('Tab');
    expect(await focused()).toBe('Run now');
    await consolePage.page.keyboard.press('Enter');
    await consolePage.page.getByRole('dialog', { name: 'Run now' }).waitFor();
    await consolePage.page.keyboard.press('Escape');
    await consolePage.dialog().waitFor({ state: 'detached' });
    expect(await focused()).toBe('Run now');
  });
});

describe.skipIf(isBrowserMissing)(
  `accessibility${browserMissingNote}`,
  { timeout: hangTimeouts.test },
  () => {
    const screens = [
      ['light', 1280],
      ['dark', 1280],
      ['light', 400],
      ['dark', 400],
    ] as const;

    test.each(screens)(
      'every page passes axe and fits the screen: %s, %i pixels wide',
      async (colorScheme, width) => {
        consolePage = await openConsole(runyard, { colorScheme, viewport: { width, height: 900 } });
        const { page } = consolePage;
        const check = async (): Promise<void> => {
          const found: unknown =
            await page.evaluate(`${axe}; axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], iframes: false })
        .then(({ violations }) => violations.map(({ id, nodes }) => [location.hash, id, nodes[0].html, nodes[0].failureSummary]))`);
          expect(found).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        };
        await consolePage.goTo('#runs');
        await page.getByLabel('Access token').waitFor();
        await check();
        await consolePage.signIn();
        for (const [address, seen] of [
          [`#runs?job=${hostileJob}`, 'hostile'],
          ['#jobs', 'hostile'],
          [`#job/run/${hostileRun}`, 'Next step'],
          ['#nodes', 'Alive'],
          ['#none', 'Page not found'],
        ] as const) {
          await consolePage.goTo(address);
          await consolePage.waitForText(seen);
          await check();
        }
        await consolePage.goTo(`#job/${hostileJob}`);
        await consolePage.button('Run now').click();
        await page.getByRole('dialog').waitFor();
        await check();
        expect(consolePage.browserErrors).toEqual([]);
        await consolePage.close();
      },
    );
  },
);
