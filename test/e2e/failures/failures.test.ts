/** Every failure explains itself: injected faults, and what each message about them says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  browserMissingNote,
  closeBrowser,
  hangTimeouts,
  isBrowserMissing,
  openConsole,
  type ConsolePage,
} from '../console/console-page.ts';
import { findMissing, injectFaults, type Battery, type Told } from './battery.ts';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';

const missing = await findMissing();
const possible = faults.filter(({ requires }) => requires === undefined || !missing.has(requires));
const impossible = faults.filter((fault) => !possible.includes(fault));

let battery: Battery;
beforeAll(async () => {
  battery = await injectFaults(possible, missing);
}, 240_000);
afterAll(() => battery.stop());

/** Returns a pattern for a text in which `<n>` stands for an id or a number. */
function patternOf(text: string): RegExp {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(escaped.replaceAll('<n>', '.+?').replaceAll(/\s+/g, String.raw`\s+`));
}

/** Returns the sentences of texts, without short ones. */
function sentencesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(/(?<=[.!?])\s+/)).filter((sentence) => sentence.length > 25);
}

/** Returns sentences that occur again. */
function findRepeated(sentences: readonly string[]): string[] {
  return sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index);
}

function toldAbout(name: string): Told {
  const told = battery.told.get(name);
  if (told === undefined || told instanceof Error) throw told ?? new Error(`Nothing was told about ${name}.`);
  return told;
}

describe.each(possible)('$name', ({ name, code, cause, place, nextStep, also = [], isQuiet }) => {
  const places = ['message', 'output', 'mail', 'chat'] as const;

  test.each(isQuiet === true ? places.slice(0, 2) : places)(
    'the %s has cause, place and next step',
    (where) => {
      const text = toldAbout(name)[where];
      for (const part of [cause, place, nextStep, ...(where === 'output' ? [] : also)])
        expect(text).toMatch(patternOf(part));
    },
  );

  test.skipIf(isQuiet)('the mail says nothing twice, except for quoted output', () => {
    const [, ...lines] = toldAbout(name).mail.split('\n');
    const texts = lines
      .filter((line) => !line.startsWith('  '))
      .map((line) => line.replace(/^[A-Z][\w ]+: +/, ''));
    expect(findRepeated(sentencesOf(texts))).toEqual([]);
  });

  test('the explanation has cause code, cause, place and next step', () => {
    const { explanation } = toldAbout(name);
    expect(explanation.cause_code).toBe(code);
    const text = JSON.stringify([
      explanation.cause,
      explanation.place,
      explanation.others,
      explanation.retries,
      explanation.next_step,
    ])
      .replaceAll(String.raw`\"`, '"')
      .replaceAll(String.raw`\n`, ' ');
    for (const part of [cause, place, nextStep, ...also]) expect(text).toMatch(patternOf(part));
  });
});

/** Faults whose pages are read in a browser: one of each kind of page. */
const seenFaults = [
  'a Python program opens a file that does not exist',
  'a program chooses an exit code',
  'a program needs more memory than its node has',
  'all attempts fail',
  'a cell raises an error',
  'rows violate an expectation that fails the update',
  'one task of several fails',
  'a task before this one failed',
  'a user cancels a run in the console',
  'a second run is skipped because the first one is active',
  'the run that a run_job_task starts fails',
];

describe.skipIf(isBrowserMissing)(`the console${browserMissingNote}`, { timeout: hangTimeouts.test }, () => {
  let consolePage: ConsolePage;
  beforeAll(async () => {
    consolePage = await openConsole(battery.service);
    await consolePage.goTo('#runs');
    await consolePage.signIn();
  }, hangTimeouts.test);
  afterAll(async () => {
    expect(consolePage.browserErrors).toEqual([]);
    await consolePage.close();
    await closeBrowser();
  });

  const faultOf = (name: string): Fault => {
    const fault = possible.find((one) => one.name === name);
    if (fault === undefined) throw new Error(`The battery has no fault ${name}.`);
    return fault;
  };
  const explanationWith = (cause: string) =>
    consolePage.page
      .getByRole('region', { name: 'Explanation' })
      .filter({ hasText: patternOf(cause) })
      .first();

  /** Returns the sentences of the page without program output, which is quoted as it is. */
  const readSentences = async (): Promise<string[]> => {
    const texts = await consolePage.page
      .locator('main :is(p, li, dd, td)')
      .evaluateAll((elements) => elements.map((element) => element.textContent));
    return sentencesOf(texts);
  };

  test.each(seenFaults)('the page of the run explains once: %s', async (name) => {
    const { cause, place, nextStep, also = [] } = faultOf(name);
    await consolePage.goTo(`#job/run/${toldAbout(name).runId}`);
    await explanationWith(cause).waitFor();
    const text = (await explanationWith(cause).innerText()).replaceAll('Next step', '');
    for (const part of [cause, place, nextStep, ...also]) expect(text).toMatch(patternOf(part));
    expect(findRepeated(await readSentences())).toEqual([]);
  });

  test('the list of runs has the cause of each run', async () => {
    await consolePage.goTo('#runs');
    for (const name of seenFaults.slice(0, 3)) {
      const { cause } = faultOf(name);
      const { job_id: jobId, run_id: runId } = await battery.service.callOk('GET', '2.1/jobs/runs/get', {
        run_id: toldAbout(name).runId,
      });
      await consolePage.goTo(`#job/${jobId}`);
      const row = consolePage.page
        .getByRole('row')
        .filter({ has: consolePage.page.locator(`[href$="run/${runId}"]`) });
      await row.getByText(patternOf(cause)).waitFor();
    }
  });
});

describe.skipIf(impossible.length === 0)('faults that this machine cannot inject', () => {
  test.skip.each(impossible)('$name', () => undefined);
});
