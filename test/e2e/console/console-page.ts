/** Page object of the console: a real browser on a real service. Records the errors of the browser. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openBrowser } from '../../harness/browser.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';

/** The browser, or the reason why none runs here; the tests are skipped then. */
let browser: Browser | string = await openBrowser();
export const isBrowserMissing = typeof browser === 'string';
/** Suffix for the names of skipped tests. The reason also goes to stderr, where it is easier to see. */
export const browserMissingNote = typeof browser === 'string' ? ` (skipped: ${browser})` : '';
if (typeof browser === 'string') process.stderr.write(`The console tests are skipped: ${browser}\n`);

/** Closes the browser at the end of a test file; the next `openConsole` starts another. */
export async function closeBrowser(): Promise<void> {
  if (typeof browser !== 'string') await browser.close();
}

export interface ConsolePage {
  readonly page: Page;
  /** Violations of the content security policy, script errors and opened dialogs. Tests expect none. */
  readonly browserErrors: readonly string[];
  /** Opens an address of the console, such as `#jobs`. */
  goTo(address: string): Promise<void>;
  signIn(token?: string): Promise<void>;
  /** Waits until the text is visible on the page. */
  waitForText(text: string | RegExp): Promise<void>;
  heading(name: string | RegExp): Locator;
  button(name: string): Locator;
  link(name: string): Locator;
  /** Clicks the button, and the button of the same name in the confirmation dialog. */
  confirm(name: string): Promise<void>;
  /** The open dialog. */
  dialog(): Locator;
  /** The last block of text with this label, such as `Logs` or `Trace`. */
  textBlock(label: string): Locator;
  /** Rows of a table, its header included. */
  tableRows(label: RegExp): Locator;
  close(): Promise<void>;
}

/** Limits that only end a hanging test, ms: every wait follows an event, however busy the machine is. */
export const hangTimeouts = { wait: 60_000, test: 300_000 };

/** Waits until a locator matches exactly `count` elements. */
export async function waitForCount(locator: Locator, count: number): Promise<void> {
  if (count > 0) await locator.nth(count - 1).waitFor({ state: 'attached' });
  await locator.nth(count).waitFor({ state: 'detached' });
}

export async function openConsole(
  runyard: TestService,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  if (typeof browser !== 'string' && !browser.isConnected()) browser = await openBrowser();
  if (typeof browser === 'string') throw new Error(browser);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(hangTimeouts.wait);
  const page = await context.newPage();
  const browserErrors: string[] = [];
  page.on('pageerror', (error) => browserErrors.push(error.message));
  page.on('dialog', (dialog) => {
    browserErrors.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  page.on('console', (message) => {
    if (/content security policy|uncaught|react/i.test(message.text())) browserErrors.push(message.text());
  });
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const dialog = (): Locator => page.getByRole('dialog');
  return {
    page,
    browserErrors,
    waitForText: (text) => page.getByText(text).first().waitFor(),
    button,
    heading: (name) => page.getByRole('heading', { name }),
    link: (name) => page.getByRole('link', { name }).first(),
    dialog,
    textBlock: (label) => page.getByLabel(label, { exact: true }).last(),
    tableRows: (label) => page.getByRole('table', { name: label }).getByRole('row'),
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
      await dialog().getByRole('button', { name, exact: true }).click();
      await dialog().waitFor({ state: 'detached' });
    },
    close: () => context.close(),
  };
}

/** Starts a service with three programs: one waits for a gate file, one succeeds, one fails. */
export async function startServiceWithPrograms(): Promise<TestService> {
  // No mail server answers at this address.
  const runyard = await startTestService({ smtpUrl: 'smtp://127.0.0.1:1' });
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

/** Returns the settings of a task that runs one of the programs. */
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
