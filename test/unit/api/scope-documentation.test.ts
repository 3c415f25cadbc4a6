/** Table of scopes in the README. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scopeDescriptions } from '../../../engine/token/scopes.ts';

test('the README lists the description of every scope', () => {
  const [, after = ''] = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8').split(
    '<!-- table: scopes -->\n',
  );
  expect(
    after
      .slice(0, after.search(/\n(?!\|)/))
      .split('\n')
      .slice(2),
  ).toEqual(Object.entries(scopeDescriptions).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`));
});
