/** Tests of sessions of the console: sign-in, sign-out and their end. */
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

describe.skipIf(isBrowserMissing)(`session${browserMissingNote}`, { timeout: hangTimeouts.test }, () => {
  beforeEach(async () => {
    consolePage = await openConsole(runyard);
  });
  afterEach(async () => {
    expect(consolePage.browserErrors).toEqual([]);
    await consolePage.close();
  });

  const stored = async (): Promise<unknown> =>
    consolePage.page.evaluate(
      '({ local: localStorage.length, session: sessionStorage.length, cookies: document.cookie, url: location.href })',
    );
  const createToken = async (input: object) => runyard.callOk('POST', '2.0/token/create', input);

  test('sign-in keeps the token for the tab and out of the URL', async () => {
    await consolePage.goTo('?o=1#jobs');
    await consolePage.waitForText('npx runyard token');
    await consolePage.signIn();
    await consolePage.heading('Jobs').waitFor();
    expect(await stored()).toEqual({ local: 0, session: 1, cookies: '', url: `${runyard.url}/?o=1#jobs` });
    await consolePage.page.reload();
    await consolePage.heading('Jobs').waitFor();
    await consolePage.button('Sign out').click();
    await consolePage.page.getByLabel('Access token').waitFor();
    expect(await stored()).toMatchObject({ session: 0 });
  });

  test('sign-in with an invalid token fails with the reason', async () => {
    await consolePage.goTo('');
    await consolePage.page.getByLabel('Access token').fill('wrong');
    await consolePage.page.keyboard.press('Enter');
    await consolePage.waitForText(/Invalid access token\. The token may have expired/);
    expect(await stored()).toMatchObject({ session: 0 });
  });

  test('a revoked token ends the session with the reason', async () => {
    const {
      token_value: value,
      token_info: { token_id: id },
    } = await createToken({ comment: 'short' });
    await consolePage.goTo('#runs');
    await consolePage.signIn(value);
    await consolePage.heading('Runs').waitFor();
    await runyard.callOk('POST', '2.0/token/delete', { token_id: id });
    await consolePage.waitForText(/You were signed out: Invalid access token\./);
    expect(await stored()).toMatchObject({ session: 0 });
  });

  test('a token without the scope jobs keeps the session and offers another sign-in', async () => {
    const { token_value: value } = await createToken({ scopes: ['workspace'] });
    await consolePage.goTo('#runs');
    await consolePage.signIn(value);
    await consolePage.waitForText('does not have required scopes: jobs');
    await consolePage.button('Sign in with another token').click();
    await consolePage.waitForText(
      'You were signed out: Provided access token does not have required scopes: jobs',
    );
  });

  test('a lost connection shows a banner until the service answers again', async () => {
    await consolePage.goTo('#runs');
    await consolePage.signIn();
    await consolePage.heading('Runs').waitFor();
    await consolePage.page.context().setOffline(true);
    await consolePage.waitForText('The service does not answer. This page may be out of date.');
    expect(await consolePage.page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
    await consolePage.page.context().setOffline(false);
    await consolePage.page.getByText('This page may be out of date').waitFor({ state: 'detached' });
  });

  test('a hidden tab sends no requests, and a visible one refreshes at once', async () => {
    const run = await startRun(
      runyard,
      await createJob(runyard, { name: 'long', tasks: [programTask('wait', 'waits', ['hidden-gate'])] }),
    );
    let requests = 0;
    consolePage.page.on('request', () => {
      requests += 1;
    });
    await consolePage.page.clock.install();
    await consolePage.goTo(`#job/run/${run}`);
    await consolePage.signIn();
    await consolePage.waitForText('at the gate');
    const setVisibility = async (state: 'hidden' | 'visible'): Promise<void> => {
      await consolePage.page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' }); document.dispatchEvent(new Event('visibilitychange'));`,
      );
    };
    await setVisibility('hidden');
    await consolePage.page.waitForLoadState('networkidle');
    const before = requests;
    // Advances the fake clock of the page by ten minutes.
    await consolePage.page.clock.runFor(600_000);
    expect(requests).toBe(before);
    const next = consolePage.page.waitForRequest(/runs\/get\?/);
    await setVisibility('visible');
    await next;
    await runyard.putFile('/hidden-gate', '');
    await runyard.waitForRunEnd(run);
  });
});
