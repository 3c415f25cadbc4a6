/** The committed reference pages are those that the generator renders from the code. */
import { expect, test } from 'vitest';
import { generatePages } from '../../docs/generator/pages.ts';
import { readConstant, readSource } from '../../docs/generator/source-text.ts';

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

test('a constant that refers to another constant of its file is evaluated', () => {
  expect(readConstant('engine/token/autoscope.ts', 'observationPeriodMs')).toBe(30 * 86_400_000);
});

test('a constant that the file does not declare is reported by name', () => {
  expect(() => readConstant('engine/limits.ts', 'missingMax')).toThrow(
    'engine/limits.ts declares no numeric constant missingMax.',
  );
});
