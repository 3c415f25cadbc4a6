/** Signing in and out of the console, and what ends a session, in a real browser. */
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

describe.skipIf(isBrowserMissing)(`a session${browserMissingNote}`, () => {
  beforeEach(async () => {
    visitor = await openConsole(runyard);
  });
  afterEach(async () => {
    expect(visitor.browserErrors).toEqual([]);
    await visitor.close();
  });

  const stored = async (): Promise<unknown> =>
    visitor.page.evaluate(
      '({ local: localStorage.length, session: sessionStorage.length, cookies: document.cookie, url: location.href })',
    );
  const create = async (input: object) => runyard.callOk('POST', '2.0/token/create', input);

  test('begins with a token, which is kept for the tab and stands in no address', async () => {
    await visitor.goTo('?o=1#jobs');
    await visitor.waitForText('npx runyard token');
    await visitor.signIn();
    await visitor.heading('Jobs').waitFor();
    expect(await stored()).toEqual({ local: 0, session: 1, cookies: '', url: `${runyard.url}/?o=1#jobs` });
    await visitor.page.reload();
    await visitor.heading('Jobs').waitFor();
    await visitor.button('Sign out').click();
    await visitor.page.getByLabel('Access token').waitFor();
    expect(await stored()).toMatchObject({ session: 0 });
  });

  test('does not begin with a token that does not count, and says why', async () => {
    await visitor.goTo('');
    await visitor.page.getByLabel('Access token').fill('wrong');
    await visitor.page.keyboard.press('Enter');
    await visitor.waitForText(/Invalid access token\. The token may have expired/);
    expect(await stored()).toMatchObject({ session: 0 });
  });

  test('ends when the token is revoked, and says so', async () => {
    const {
      token_value: value,
      token_info: { token_id: id },
    } = await create({ comment: 'short' });
    await visitor.goTo('#runs');
    await visitor.signIn(value);
    await visitor.heading('Runs').waitFor();
    await runyard.callOk('POST', '2.0/token/delete', { token_id: id });
    await visitor.waitForText('You were signed out: Invalid access token.');
    expect(await stored()).toMatchObject({ session: 0 });
  });

  test('with a token that lacks the scope stays, names the scope, and offers another token', async () => {
    const { token_value: value } = await create({ scopes: ['workspace'] });
    await visitor.goTo('#runs');
    await visitor.signIn(value);
    await visitor.waitForText('does not have required scopes: jobs');
    await visitor.button('Sign in with another token').click();
    await visitor.waitForText(
      'You were signed out: Provided access token does not have required scopes: jobs',
    );
  });

  test('outlives a lost connection: it is said, and goes on by itself', async () => {
    await visitor.goTo('#runs');
    await visitor.signIn();
    await visitor.heading('Runs').waitFor();
    await visitor.page.context().setOffline(true);
    await visitor.waitForText('The service does not answer. This page may be out of date.');
    expect(await visitor.page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
    await visitor.page.context().setOffline(false);
    await visitor.page.getByText('This page may be out of date').waitFor({ state: 'detached' });
  });

  test('asks nothing while the tab is hidden, and asks at once when it is seen again', async () => {
    const run = await startRun(
      runyard,
      await createJob(runyard, { name: 'long', tasks: [programTask('wait', 'waits', ['hidden-gate'])] }),
    );
    let asked = 0;
    visitor.page.on('request', () => {
      asked += 1;
    });
    await visitor.page.clock.install();
    await visitor.goTo(`#job/run/${run}`);
    await visitor.signIn();
    await visitor.waitForText('at the gate');
    const turn = async (state: 'hidden' | 'visible'): Promise<void> => {
      await visitor.page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' }); document.dispatchEvent(new Event('visibilitychange'));`,
      );
    };
    await turn('hidden');
    await visitor.page.waitForLoadState('networkidle');
    const before = asked;
    // The page's own clock: ten minutes pass in it at once.
    await visitor.page.clock.runFor(600_000);
    expect(asked).toBe(before);
    const next = visitor.page.waitForRequest(/runs\/get\?/);
    await turn('visible');
    await next;
    await runyard.putFile('/hidden-gate', '');
    await runyard.waitForRunEnd(run);
  });
});
