/** Takes the pictures of the documentation from a real console: `npm run docs:screenshots`. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { createConfig } from '../cli/config.ts';
import { startService } from '../cli/wiring/service.ts';
import { createApiClient } from '../test/harness/api-client.ts';
import { openBrowser } from '../test/harness/browser.ts';
import { createWeatherJob } from '../test/harness/weather-example.ts';

const directory = await mkdtemp(join(tmpdir(), 'runyard-screenshots-'));
// The user of the embedded database must be able to enter the directory.
await chmod(directory, 0o711);
const config = createConfig({ RUNYARD_DATA_DIR: directory, RUNYARD_PORT: '0' });
const service = await startService(config, pino({ level: 'silent' }));
const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
try {
  await takeScreenshots(browser);
} finally {
  await browser.close();
  await service.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Runs the weather example once per year and takes the pictures. */
async function takeScreenshots(opened: Browser): Promise<void> {
  const client = createApiClient(service.url, service.token);
  const jobId = await createWeatherJob(client);
  let runId = 0;
  for (const year of ['2012', '2013', '2099', '2014', '2015']) {
    const run = await client.callOk('POST', '2.1/jobs/run-now', { job_id: jobId, notebook_params: { year } });
    runId = run.run_id;
    await client.waitForRunEnd(runId);
  }
  const page = await opened.newPage({ viewport: { width: 1200, height: 820 }, colorScheme: 'light' });
  await page.goto(`${service.url}/#job/${jobId}/run/${runId}`);
  await page.getByLabel('Access token').fill(service.token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('report').first().waitFor();
  await capture(page, 'run.png');
  await page.goto(`${service.url}/#runs`);
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  await page.getByText('Failed').first().waitFor();
  await capture(page, 'runs.png');
}

/** Waits until the page loads nothing more, and saves what is visible. */
async function capture(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: fileURLToPath(new URL(`images/${name}`, import.meta.url)) });
}
