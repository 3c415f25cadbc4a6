/**
 * Somebody at the console: a browser with the real service behind it. What the browser complains of is kept.
 */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openBrowser } from '../../harness/browser.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';

/** The browser, or why there is none: then tests say so and are left out. */
let browser: Browser | string = await openBrowser();
export const isBrowserMissing = typeof browser === 'string';
/** For the name of what is left out, which few see: it is said as well. */
export const browserMissingNote = typeof browser === 'string' ? ` (left out: ${browser})` : '';
if (typeof browser === 'string') process.stderr.write(`The console is not tested: ${browser}\n`);

/** Ends the browser; the next visit opens another. Call it when the visits of a file are over. */
export async function closeBrowser(): Promise<void> {
  if (typeof browser !== 'string') await browser.close();
}

export interface ConsolePage {
  readonly page: Page;
  /**
   * Violations of the page's policy, errors of its script, and dialogs that something opened: there must be
   * none.
   */
  readonly browserErrors: readonly string[];
  /** Goes to an address of the console, such as `#jobs`. */
  goTo(address: string): Promise<void>;
  signIn(token?: string): Promise<void>;
  /** Waits until the text is seen somewhere on the page. */
  waitForText(text: string | RegExp): Promise<void>;
  heading(name: string | RegExp): Locator;
  button(name: string): Locator;
  link(name: string): Locator;
  /** Presses the button, and the one of the same name in the dialog that asks. */
  confirm(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Waits longer than anything takes, even on a slow machine. */
const timeoutMs = 30_000;

export async function openConsole(
  runyard: TestService,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  if (typeof browser !== 'string' && !browser.isConnected()) browser = await openBrowser();
  if (typeof browser === 'string') throw new Error(browser);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(timeoutMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  page.on('console', (message) => {
    if (/content security policy|uncaught|react/i.test(message.text())) complaints.push(message.text());
  });
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const sees: ConsolePage['waitForText'] = (text) => page.getByText(text).first().waitFor();
  return {
    page,
    browserErrors: complaints,
    waitForText: sees,
    button,
    heading: (name) => page.getByRole('heading', { name }),
    link: (name) => page.getByRole('link', { name }).first(),
    async goTo(address) {
      await page.goto(`${runyard.url}/${address}`);
    },
    async signIn(token = runyard.token) {
      await page.getByLabel('Access token').fill(token);
      await button('Sign in').click();
      await button('Sign out').waitFor();
    },
    async confirm(name) {
      await button(name).click();
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    close: () => context.close(),
  };
}

/** A service with programs to run: one that waits for a gate, one that works, one that fails. */
export async function startServiceWithPrograms(): Promise<TestService> {
  const runyard = await startTestService();
  await runyard.putFile('/works.py', 'import sys\nprint("it works", *sys.argv[1:])\n');
  await runyard.putFile(
    '/fails.py',
    'def load(path):\n    raise FileNotFoundError(f"no such table: {path}")\nprint("before")\nload("orders")\n',
  );
  await runyard.putFile(
    '/waits.py',
    'import os, sys, time\nprint("at the gate", flush=True)\n' +
      'while not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/" + sys.argv[1]): time.sleep(0.02)\nprint("through the gate")\n',
  );
  return runyard;
}

/** A task that runs one of the programs. */
export function programTask(
  taskKey: string,
  name: string,
  parameters: readonly string[] = [],
  after: readonly string[] = [],
): object {
  return {
    task_key: taskKey,
    existing_cluster_id: 'c',
    depends_on: after.map((key) => ({ task_key: key })),
    spark_python_task: { python_file: `managed_fs:/${name}.py`, parameters },
  };
}

export async function createJob(runyard: TestService, settings: object): Promise<number> {
  return (await runyard.callOk('POST', '2.1/jobs/create', settings)).job_id;
}

export async function startRun(runyard: TestService, jobId: number): Promise<number> {
  return (await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: jobId })).run_id;
}
