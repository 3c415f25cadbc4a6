/** The committed reference pages are those that the generator renders from the code. */
import { expect, test } from 'vitest';
import { generatePages } from '../../docs/generator/pages.ts';
import { readSource } from '../../docs/generator/source-text.ts';

const pages = await generatePages();

test.each([...pages])('docs/%s is up to date (npm run docs:generate renders it)', (path, text) => {
  expect(readSource(`docs/${path}`)).toBe(text);
});

test('every package of the manifest is on the page of dependencies', () => {
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(readSource('package.json'));
  const packages = Object.keys({ ...manifest['dependencies'], ...manifest['devDependencies'] });
  const page = pages.get('reference/dependencies.md') ?? '';
  expect(packages.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('every limit has a description', () => {
  expect(pages.get('reference/limits.md')).not.toMatch(/^\|[^|]*\|[^|]*\| *\.? *\|$/m);
});
