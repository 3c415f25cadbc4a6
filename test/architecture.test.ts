/** The house rules of the architecture page, checked against every source file. There is no list of exemptions. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = ['engine', 'runners', 'api', 'storage', 'notifications', 'cli', 'bench', 'console'];

interface Source {
  readonly path: string;
  readonly text: string;
  /** Paths of the project's own files that it names: imports, re-exports, dynamic imports, `new URL(…, import.meta.url)`. */
  readonly uses: readonly string[];
  readonly packages: readonly string[];
}

const paths = rooms.flatMap(filesBelow).filter((path) => !path.startsWith('console/built/'));
const sources = paths.filter((path) => /\.tsx?$/.test(path)).map(read);
const byPath = new Map(sources.map((source) => [source.path, source]));

/** Layer of a file, from the inside out; imports point inward, or stay within a layer where it has but one room. */
function layerOf(path: string): number {
  if (/^engine\/(errors|limits|clock|host|read-file|log-file|nearest)\.ts$/.test(path)) return 0;
  if (/^engine\/(job|schedule|token|dashboard|pipeline)\//.test(path)) return 1;
  if (/^engine\/(run|cluster|notification)\//.test(path)) return 2;
  if (/^engine\/([a-z]+-)?ports\.ts$/.test(path)) return 3;
  if (/^engine\/((launch|cancel|repair|pipeline-update)\.ts$|coordinator\/)/.test(path)) return 4;
  if (/^(storage|runners|notifications|api)\//.test(path)) return 5;
  if (/^(cli|bench)\//.test(path)) return 6;
  // Beside the house: it may import nothing of it, and nothing of it may import the console.
  if (path.startsWith('console/')) return 7;
  throw new Error(`${path} has no place in the house.`);
}

describe('layers', () => {
  test.each(sources.map((source) => [source.path, source] as const))('%s imports inward only', (path, source) => {
    const outward = source.uses.filter((used) => byPath.has(used) && layerOf(used) > layerOf(path));
    expect(outward).toEqual([]);
  });

  test('the rooms of layer 5 do not import one another', () => {
    const roomOf = (path: string): string => path.slice(0, path.indexOf('/'));
    const across = sources.filter(({ path }) => layerOf(path) === 5).flatMap(({ path, uses }) =>
      uses.filter((used) => byPath.has(used) && layerOf(used) === 5 && roomOf(used) !== roomOf(path)).map((used) => `${path} -> ${used}`));
    expect(across).toEqual([]);
  });

  test('the console talks to the service over HTTP alone: neither imports anything of the other, not even types', () => {
    const isConsole = (path: string): boolean => path.startsWith('console/');
    const across = sources.flatMap(({ path, uses }) => uses.filter((used) => isConsole(path) !== isConsole(used) && used !== 'console/built').map((used) => `${path} -> ${used}`));
    expect(across).toEqual([]);
  });

  test('there is no cycle of imports', () => {
    expect(cycles()).toEqual([]);
  });
});

describe('files', () => {
  test('names are kebab-case and say something', () => {
    const bad = paths.map((path) => basename(path)).filter((name) =>
      /\.tsx?$/.test(name) && (!/^[a-z0-9]+(-[a-z0-9]+)*(\.config)?\.tsx?$/.test(name) || /^(index|utils?|helpers?|common|types)\.tsx?$/.test(name)));
    expect(bad).toEqual([]);
  });

  test('none is longer than 300 lines, and half of them have at most 90', () => {
    const lengths = sources.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([]);
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(90);
  });

  test('each opens with a comment that says its job', () => {
    expect(sources.filter(({ text }) => !text.startsWith('/**') && !text.startsWith('#!')).map(({ path }) => path)).toEqual([]);
  });

  test('each is reached from the command line, by the runners, or from the page of the console', () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      byPath.get(path)?.uses.forEach(visit);
    };
    visit('cli/main.ts');
    visit('console/src/main.tsx');
    visit('console/vite.config.ts');
    sources.filter(({ path }) => path.startsWith('bench/')).forEach(({ path }) => visit(path));
    expect(sources.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
  });
});

describe('only one place', () => {
  const offenders = (pattern: RegExp, allowed: (path: string) => boolean): string[] =>
    sources.filter(({ path, text }) => !allowed(path) && pattern.test(withoutComments(text))).map(({ path }) => path);

  test('Kysely and the PostgreSQL driver are used in storage/ alone', () => {
    const used = sources.filter(({ path, packages }) => !path.startsWith('storage/') && packages.some((name) => name === 'kysely' || name === 'pg'));
    // The composition root hands a database on without looking into it.
    expect(used.map(({ path }) => path)).toEqual([]);
  });

  test('process.env is read in cli/config.ts alone', () => {
    expect(offenders(/process\s*\.\s*env\b/, (path) => path === 'cli/config.ts')).toEqual([]);
  });

  test('the time is read in engine/clock.ts alone, and that of the browser in console/src/clock.ts', () => {
    const clocks = new Set(['engine/clock.ts', 'console/src/clock.ts']);
    expect(offenders(/\bDate\.now\(|\bnew Date\b|\bperformance\.now\(/, (path) => clocks.has(path))).toEqual([]);
  });

  test('vendor words stand in the table of aliases alone', () => {
    const vendor = /databricks|dbfs|lakeview|\bgs:\/\/|\bs3:\/\/|abfss|gcp_|aws_|azure_/i;
    // The header line of notebooks is a file format that the design names.
    const format = (path: string): boolean => path === 'engine/job/aliases.ts';
    expect(sources.filter(({ path, text }) => !format(path) && vendor.test(text.replaceAll('Databricks notebook source', ''))).map(({ path }) => path)).toEqual([]);
  });
});

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  } catch {
    // A room that has not been built yet.
    return [];
  }
}

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const names = new Set<string>();
  collectNames(parseAst(text.replace(/^#!.*/, ''), { lang: path.endsWith('x') ? 'tsx' : 'ts' }), names);
  const own = [...names].filter((name) => name.startsWith('.'));
  return {
    path, text,
    uses: own.map((name) => relative(root, resolve(root, dirname(path), name))),
    packages: [...names].filter((name) => !name.startsWith('.') && !name.startsWith('node:')),
  };
}

/** Every module name in the syntax tree: what is imported, re-exported, or made a URL relative to the file. */
function collectNames(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) return node.forEach((child) => collectNames(child, names));
  if (typeof node !== 'object' || node === null) return;
  if ('source' in node && isText(node.source)) names.add(node.source.value);
  if ('type' in node && node.type === 'NewExpression' && 'arguments' in node && Array.isArray(node.arguments)) {
    const [first, second] = node.arguments;
    if (isText(first) && second?.type === 'MemberExpression' && second.object?.type === 'MetaProperty') {
      names.add(first.value.startsWith('.') ? first.value : `./${first.value}`);
    }
  }
  Object.values(node).forEach((child) => collectNames(child, names));
}

function isText(node: unknown): node is { value: string } {
  return typeof node === 'object' && node !== null && 'value' in node && typeof node.value === 'string';
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function cycles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    if (done.has(path) || way.includes(path)) return;
    byPath.get(path)?.uses.forEach((used) => visit(used, [...way, path]));
    done.add(path);
  };
  sources.forEach(({ path }) => visit(path, []));
  return found;
}
