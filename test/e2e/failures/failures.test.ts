/** Every failure explains itself: injected faults, and what each message about them says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findMissing, injectFaults, type Battery, type Told } from './battery.ts';
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

  test('the page has cause code, cause, place and next step', () => {
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
    expect(explanation.next_step).not.toBe('');
    expect(text.length).toBeGreaterThan(10);
  });
});

describe.skipIf(impossible.length === 0)('faults that this machine cannot inject', () => {
  test.skip.each(impossible)('$name', () => undefined);
});
