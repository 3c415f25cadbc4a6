/** Every paragraph of the specification has tests that carry its number in their names. */
import { expect, test } from 'vitest';
import { collectSpecCoverage } from '../../docs/generator/spec-coverage-page.ts';
import { repeat } from './field-rows.ts';

const paragraphs = [
  ...repeat(12, (index) => `2.${index + 1}`),
  '3.1',
  '3.2',
  '3.3',
  ...repeat(11, (index) => `4.1.${index + 1}`),
  '4.2',
  '4.3',
  '4.4',
  '5',
  '6',
  '7',
  '8',
  '9',
];

const covered = [...collectSpecCoverage().keys()];

test.each(paragraphs)('the name of at least one test begins with spec %s', (paragraph) => {
  expect(covered).toContainEqual(
    expect.toSatisfy((named: string) => named === paragraph || named.startsWith(`${paragraph}.`)),
  );
});
