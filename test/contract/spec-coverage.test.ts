/** The README's table of spec paragraphs and their tests: it is complete, and what it names is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';
import { repeat } from './field-rows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const paragraphs = [
  ...repeat(10, (index) => `2.${index + 1}`),
  '3.1',
  '3.2',
  ...repeat(11, (index) => `4.1.${index + 1}`),
  '7',
  '8',
  '9',
];

/** Paragraph -> the files that the README names for it. */
const table = new Map(
  rowsBehind('paragraphs').map(([paragraph = '', files = '']) => [
    paragraph,
    [...files.matchAll(/`([^`]+)`/g)].map((match) => `test/${match[1]}`),
  ]),
);

test('every paragraph with rules of jobs and runs is in the table', () => {
  expect([...table.keys()]).toEqual(expect.arrayContaining(paragraphs));
});

describe.each([...table])('spec %s', (paragraph, files) => {
  test('has tests', () => expect(files).not.toEqual([]));

  test.each(files)('%s is there, and the name of one of its tests begins with this paragraph', (file) => {
    expect(existsSync(join(root, file))).toBe(true);
    expect(
      paragraphsIn(file).filter((named) => named === paragraph || named.startsWith(`${paragraph}.`)),
    ).not.toEqual([]);
  });
});

/** The cells of the README's table behind a marker. */
function rowsBehind(marker: string): string[][] {
  const [, after = ''] = readFileSync(join(root, 'README.md'), 'utf8').split(`<!-- table: ${marker} -->\n`);
  const lines = after
    .slice(0, after.search(/\n(?!\|)/))
    .split('\n')
    .slice(2);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The paragraphs that names of tests, of their groups and of their rows begin with: `spec 2.2, 3.1: …`. */
function paragraphsIn(file: string): string[] {
  const texts: string[] = [];
  collectTexts(parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }), texts);
  return texts.flatMap(
    (text) => /^spec (\d+(?:\.\d+)*(?:, \d+(?:\.\d+)*)*)(?![\d.])/.exec(text)?.[1]?.split(', ') ?? [],
  );
}

/** Every text that the program holds; comments are none. */
function collectTexts(node: unknown, texts: string[]): void {
  if (typeof node === 'string') texts.push(node);
  else if (typeof node === 'object' && node !== null)
    Object.values(node).forEach((child) => collectTexts(child, texts));
}
