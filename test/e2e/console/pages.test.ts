/**
 * Lists and pages of the console in a real browser: filters, settings, hostile texts, and whether everybody
 * can use them.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

const attack = '<img src=x onerror="top.owned=1"><script>top.owned=1</script>';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let runyard: TestService;
let visitor: ConsolePage;
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
  // A second round, so that the history is shown, too.
  await runyard.callOk('POST', '2.1/jobs/runs/repair', { run_id: hostileRun, rerun_all_failed_tasks: true });
  await runyard.waitForRunEnd(hostileRun);
});
afterAll(async () => {
  await runyard.stop();
  await closeBrowser();
});

describe.skipIf(isBrowserMissing)(`pages${browserMissingNote}`, () => {
  beforeEach(async () => {
    visitor = await openConsole(runyard);
  });
  afterEach(async () => {
    expect(visitor.browserErrors).toEqual([]);
    await visitor.close();
  });

  const rows = () => visitor.page.getByRole('table', { name: /Runs, newest first/ }).getByRole('row');

  test('runs are narrowed to active ones, to a job by its name, and seen page by page', async () => {
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
    await visitor.goTo('');
    await visitor.signIn();
    await visitor.link('waiting #1').waitFor();
    await visitor.link('Active').click();
    await expect.poll(() => rows().count()).toBe(2);
    await runyard.putFile('/list-gate', '');
    await runyard.waitForRunEnd(waiting);
    await visitor.waitForText('No active runs.');
    await visitor.link('All').click();
    await visitor.page.getByLabel('Job', { exact: true }).fill('MANY');
    await visitor.button('Show').click();
    await visitor.link('many #27').waitFor();
    await expect.poll(() => rows().count()).toBe(26);
    await visitor.link('Older').click();
    await visitor.link('many #1').waitFor();
    await expect.poll(() => rows().count()).toBe(3);
    await visitor.page.goBack();
    await visitor.link('many #27').waitFor();
    await visitor.page.getByLabel('Job', { exact: true }).fill('nobody');
    await visitor.page.keyboard.press('Enter');
    await visitor.waitForText('No job is called “nobody”.');
  });

  test('a job shows its settings and its runs, and starts with parameters for its tasks', async () => {
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
    await visitor.goTo('#jobs');
    await visitor.signIn();
    await visitor.link('described').click();
    for (const text of [
      'What it is for.',
      '0 0 3 * * ? (Europe/Berlin, paused)',
      '60 s',
      'managed_fs:/works.py',
      'This job has no runs yet.',
    ])
      await visitor.waitForText(text);
    await visitor.button('Run now').click();
    await visitor.page.getByLabel('Override task parameters').selectOption({ label: 'Python tasks' });
    await visitor.page.getByLabel('One parameter per line').fill('two words\nmore');
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await visitor
      .heading(/^described #1/)
      .getByText('Succeeded')
      .waitFor();
    await visitor.link('first').click();
    await visitor.page
      .getByLabel('Logs', { exact: true })
      .last()
      .getByText('it works two words more')
      .waitFor();
    await visitor.waitForText('two words more');
    expect(
      (await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: jobId })).runs[0].overriding_parameters,
    ).toEqual({ python_params: ['two words', 'more'] });
  });

  test('a start that is refused says why, in the dialog, and another can be tried', async () => {
    const jobId = await createJob(runyard, { name: 'strict', tasks: [programTask('a', 'works')] });
    await visitor.goTo(`#job/${jobId}`);
    await visitor.signIn();
    await visitor.button('Run now').click();
    await visitor.page.getByLabel('Override task parameters').selectOption({ label: 'Python tasks' });
    await visitor.page.getByLabel('One parameter per line').fill('ümlaut');
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await visitor.page
      .getByRole('dialog')
      .getByText(/python_params.*ASCII/)
      .waitFor();
    await visitor.page.getByLabel('One parameter per line').fill('plain');
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await visitor.heading(/^strict #1/).waitFor();
  });

  test('names, messages, parameters and logs that are markup stay text', async () => {
    await visitor.goTo('');
    await visitor.signIn();
    for (const address of [
      `#runs?job=${hostileJob}`,
      '#jobs',
      `#job/${hostileJob}`,
      `#job/${hostileJob}/run/${hostileRun}`,
    ]) {
      await visitor.goTo(address);
      await visitor.waitForText(attack.slice(0, 20));
      if (address.includes('/run/'))
        await visitor.page
          .getByLabel('Trace', { exact: true })
          .last()
          .getByText(attack.slice(0, 20))
          .waitFor();
      expect(
        await visitor.page.evaluate(
          '[window.owned, document.querySelectorAll("#console img, #console script").length]',
        ),
      ).toEqual([undefined, 0]);
    }
    await visitor.goTo(`#job/${attack}`);
    await visitor.heading('Page not found').waitFor();
    expect(await visitor.page.evaluate('window.owned')).toBeUndefined();
  });

  test('the nodes are shown to those who may see them', async () => {
    const { token_value: narrow } = await runyard.callOk('POST', '2.0/token/create', { scopes: ['jobs'] });
    await visitor.goTo('#runs');
    await visitor.signIn(narrow);
    await visitor.page.waitForLoadState('networkidle');
    expect(await visitor.page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
    await visitor.button('Sign out').click();
    await visitor.signIn();
    await visitor.link('Nodes').click();
    await visitor.page
      .getByRole('row', { name: `process ${process.pid}` })
      .getByText('Alive')
      .waitFor();
  });

  test('everything is reached by the keyboard: past the menu, into a page, and its dialog', async () => {
    await visitor.goTo(`#job/${hostileJob}`);
    await visitor.signIn();
    await visitor.button('Run now').waitFor();
    const focused = () => visitor.page.evaluate('document.activeElement.textContent');
    await visitor.page.evaluate('document.activeElement.blur()');
    await visitor.page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to content');
    await visitor.page.keyboard.press('Enter');
    await visitor.page.keyboard.press('Tab');
    await visitor.page.keyboard.press('Tab');
    expect(await focused()).toBe('Run now');
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('dialog', { name: 'Run now' }).waitFor();
    await visitor.page.keyboard.press('Escape');
    await visitor.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Run now');
  });
});

describe.skipIf(isBrowserMissing)(`looks${browserMissingNote}`, () => {
  const screens = [
    ['light', 1280],
    ['dark', 1280],
    ['light', 400],
    ['dark', 400],
  ] as const;

  test.each(screens)(
    '%s, %i pixels wide: contrast, labels and structure hold on every page, and nothing leads out of the screen',
    async (colorScheme, width) => {
      visitor = await openConsole(runyard, { colorScheme, viewport: { width, height: 900 } });
      const { page } = visitor;
      const check = async (): Promise<void> => {
        const found: unknown =
          await page.evaluate(`${axe}; axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], iframes: false })
        .then(({ violations }) => violations.map(({ id, nodes }) => [location.hash, id, nodes[0].html, nodes[0].failureSummary]))`);
        expect(found).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      };
      await visitor.goTo('#runs');
      await page.getByLabel('Access token').waitFor();
      await check();
      await visitor.signIn();
      for (const [address, seen] of [
        [`#runs?job=${hostileJob}`, 'hostile'],
        ['#jobs', 'hostile'],
        [`#job/run/${hostileRun}`, 'Traceback'],
        ['#nodes', 'Alive'],
        ['#none', 'Page not found'],
      ] as const) {
        await visitor.goTo(address);
        await visitor.waitForText(seen);
        await check();
      }
      await visitor.goTo(`#job/${hostileJob}`);
      await visitor.button('Run now').click();
      await page.getByRole('dialog').waitFor();
      await check();
      expect(visitor.browserErrors).toEqual([]);
      await visitor.close();
    },
  );
});
