/** Tests of the output of a run: logs and notebooks. */
import { readFile } from 'node:fs/promises';
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

describe.skipIf(isBrowserMissing)(`run output${browserMissingNote}`, { timeout: hangTimeouts.test }, () => {
  beforeEach(async () => {
    consolePage = await openConsole(runyard);
  });
  afterEach(async () => {
    expect(consolePage.browserErrors).toEqual([]);
    await consolePage.close();
  });

  const title = () => consolePage.page.getByRole('heading', { level: 1 });
  const output = (label: string) => consolePage.textBlock(label);

  test('a log is followed with its colours, can be paused, and is saved completely', async () => {
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
    await consolePage.goTo(`#job/run/${runId}`);
    await consolePage.signIn();
    await consolePage.page.getByRole('link', { name: 'main' }).first().click();
    await output('Logs').locator('.t-red.t-bold').getByText('red alert').waitFor();
    expect(await output('Logs').textContent()).toBe('red alert <b>plain</b>\n');
    await runyard.putFile('/l1', '');
    await output('Logs').getByText('second line').waitFor();
    await consolePage.button('Stop following').click();
    await consolePage.button('Follow').waitFor();
    await runyard.putFile('/l2', '');
    const [main] = (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: runId })).tasks;
    await expect
      .poll(
        async () => (await runyard.callOk('GET', '2.1/jobs/runs/logs', { run_id: main.run_id })).content,
        { timeout: hangTimeouts.wait },
      )
      .toContain('third line');
    expect(await output('Logs').textContent()).not.toContain('third line');
    await consolePage.button('Follow').click();
    await output('Logs').getByText('third line').waitFor();
    await runyard.putFile('/l3', '');
    await consolePage.button('stderr').click();
    await output('Logs').getByText('oh').waitFor();
    await title().getByText('Succeeded').waitFor();
    const save = async (name: string) => {
      const [download] = await Promise.all([
        consolePage.page.waitForEvent('download'),
        consolePage.button(name).click(),
      ]);
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    await consolePage.button('stdout').click();
    const log = await save('Save the whole log');
    expect([log.name, log.bytes.toString()]).toEqual([
      expect.stringMatching(/^stdout-\d+\.txt$/),
      expect.stringContaining('\u001B[1;31mred alert\u001B[0m'),
    ]);
    const bundle = await save('Save the run bundle');
    expect([...bundle.bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  });

  test('a notebook is shown in a frame without scripts and with working cell links', async () => {
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
    await consolePage.goTo(`#job/run/${runId}`);
    await consolePage.signIn();
    await consolePage.waitForText('ZeroDivisionError: division by zero');
    const frame = consolePage.page.locator('iframe');
    expect(await frame.getAttribute('sandbox')).not.toMatch(
      /allow-(scripts|same-origin|top-navigation|forms)/,
    );
    const inside = consolePage.page.frameLocator('iframe');
    await inside.frameLocator('iframe').first().getByText('shown').waitFor();
    await inside.getByRole('link', { name: 'Cell 3' }).click();
    await inside.getByRole('heading', { name: /^page/ }).waitFor();
    expect(await consolePage.page.evaluate('window.owned')).toBeUndefined();
    expect(await consolePage.page.evaluate('document.querySelectorAll("#console img").length')).toBe(0);
  });

  test('a notebook shows tables and pictures', async () => {
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
    await consolePage.goTo(`#job/run/${runId}`);
    await consolePage.signIn();
    const inside = consolePage.page.frameLocator('iframe');
    await inside.getByRole('cell', { name: 'Zürich' }).waitFor();
    expect(
      await inside.getByRole('group', { name: 'Table of cell 1' }).getByRole('row').allTextContents(),
    ).toEqual(['stationstringraindouble', 'Zürich1.5']);
    const { width } = (await inside.getByAltText('Picture shown by cell 2').boundingBox()) ?? {};
    expect(width).toBe(40);
  });
});
