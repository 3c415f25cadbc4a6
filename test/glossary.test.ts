/**
 * No file uses the words that the glossary retired; docs/retired-words.json lists them and the exceptions.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface RetiredWords {
  /** Lower-case word -> replacement; found in prose and as part of an identifier. */
  readonly words: Readonly<Record<string, string>>;
  /** Identifier -> replacement; found as a whole only. */
  readonly identifiers: Readonly<Record<string, string>>;
  /** Exact phrases that may contain a retired word. */
  readonly permitted: readonly { readonly phrase: string; readonly reason: string }[];
}

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
}

const retired: RetiredWords = JSON.parse(readFileSync(join(root, 'docs/retired-words.json'), 'utf8'));
const replacements = new Map(Object.entries({ ...retired.words, ...retired.identifiers }));

const scanned = [
  'api',
  'bench',
  'cli',
  'console/index.html',
  'console/src',
  'docs',
  'engine',
  'examples',
  'notifications',
  'runners',
  'storage',
  'test',
  'README.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
];
const extensions = /\.(?:css|html|java|js|md|mjs|py|sh|sql|ts|tsx|yml)$/;
/** The cases of this file contain retired words. */
const paths = scanned
  .flatMap(listFiles)
  .filter((path) => extensions.test(path) && path !== 'test/glossary.test.ts');

test('no source, test, page or message uses a retired word', () => {
  expect(summarize(paths.flatMap(findRetiredWords))).toBe('');
});

test('no file or folder is named with a retired word', () => {
  expect(paths.filter((path) => wordsIn(path).some((word) => replacements.has(word)))).toEqual([]);
});

test('every permitted phrase is in use', () => {
  const texts = paths.map(readText);
  const unused = retired.permitted.filter(({ phrase }) => !texts.some((text) => text.includes(phrase)));
  expect(unused).toEqual([]);
});

test.each([
  ['// The last DOOR.', ['door']],
  ['const frontDoor = openDoors();', ['door', 'doors']],
  ['class LetGo extends Error {}', ['LetGo']],
  ['a gateway for doormats', []],
])('%j contains %j', (text, expected) => {
  expect(wordsIn(text).filter((word) => replacements.has(word))).toEqual(expected);
});

/** Returns every identifier of a text, and the lower-case words that identifiers and prose consist of. */
function wordsIn(text: string): string[] {
  return (text.match(/[A-Za-z]+/g) ?? []).flatMap((name) => {
    const parts = name
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
      .toLowerCase()
      .split(' ');
    return parts.length === 1 ? parts : [name, ...parts];
  });
}

function findRetiredWords(path: string): Finding[] {
  let text = readText(path);
  for (const { phrase } of retired.permitted) text = text.replaceAll(phrase, '');
  return text.split('\n').flatMap((line, index) =>
    wordsIn(line)
      .filter((word) => replacements.has(word))
      .map((word) => ({ path, line: index + 1, word })),
  );
}

/** Returns the number of findings per folder and the first findings; '' when there are none. */
function summarize(findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  const perFolder = Map.groupBy(findings, ({ path }) => path.split('/').slice(0, -1).join('/'));
  const counts = [...perFolder].map(([folder, found]) => `${String(found.length).padStart(5)}  ${folder}`);
  const first = findings
    .slice(0, 100)
    .map(({ path, line, word }) => `${path}:${line} ${word} (use: ${replacements.get(word)})`);
  return [`${findings.length} retired words:`, ...counts, '', ...first].join('\n');
}

function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Returns the files at or below a path; a missing path fails. */
function listFiles(path: string): string[] {
  const absolute = join(root, path);
  if (statSync(absolute).isFile()) return [path];
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter(
      (name) =>
        !/(?:^|\/)(?:node_modules|built|dist|cache)\//.test(name) && statSync(join(root, name)).isFile(),
    );
}
