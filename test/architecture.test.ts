/**
 * The rules of docs/architecture.md, checked against every source file. There is no list of
 * exemptions.
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { filesBelow, readSource } from './harness/source-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const topLevelFolders = [
  'engine',
  'runners',
  'api',
  'storage',
  'notifications',
  'cli',
  'bench',
  'docs',
  'console',
];

const paths = topLevelFolders
  .flatMap(filesBelow)
  .filter((path) => !/^(?:console\/built|docs\/\.vitepress\/(?:cache|dist))\//.test(path));
const sources = paths.filter((path) => /\.tsx?$/.test(path)).map(readSource);
const byPath = new Map(sources.map((source) => [source.path, source]));

/** Folders of layers 1 and 2, each with the folders of the same layer that it may import. */
const sidewaysImports: Readonly<Record<string, readonly string[]>> = {
  'engine/sql': [],
  'engine/schedule': [],
  'engine/job': ['engine/schedule'],
  'engine/token': [],
  'engine/dashboard': ['engine/sql'],
  'engine/pipeline': ['engine/job', 'engine/sql'],
  'engine/cluster': [],
  'engine/run': ['engine/cluster'],
  'engine/notification': ['engine/run'],
};

/** Layers from the inside out. A file may import files of its own layer and of the layers before it. */
const layers: readonly (readonly string[])[] = [
  [
    'engine/errors.ts',
    'engine/limits.ts',
    'engine/clock.ts',
    'engine/process-identity.ts',
    'engine/read-file.ts',
    'engine/log-file.ts',
    'engine/validation/',
  ],
  [
    'engine/job/',
    'engine/schedule/',
    'engine/token/',
    'engine/dashboard/',
    'engine/pipeline/',
    'engine/sql/',
  ],
  ['engine/run/', 'engine/cluster/', 'engine/notification/'],
  ['engine/ports/'],
  [
    'engine/launch.ts',
    'engine/launch-pending.ts',
    'engine/launch-request.ts',
    'engine/store-run.ts',
    'engine/cancel.ts',
    'engine/repair.ts',
    'engine/pipeline-compute.ts',
    'engine/pipeline-update.ts',
    'engine/coordinator/',
  ],
  ['storage/', 'runners/', 'notifications/', 'api/'],
  ['cli/', 'bench/', 'docs/'],
  // The console imports nothing of the engine, and the engine nothing of the console.
  ['console/'],
];

/** Index of the layer of a file. @throws Error for a file that belongs to no layer */
function layerOf(path: string): number {
  const layer = layers.findIndex((entries) =>
    entries.some((entry) => (entry.endsWith('/') ? path.startsWith(entry) : path === entry)),
  );
  if (layer < 0) throw new Error(`${path} belongs to no layer; see layers in test/architecture.test.ts.`);
  return layer;
}

describe('layers', () => {
  test.each(sources.map((source) => [source.path, source] as const))(
    '%s imports inward only',
    (path, source) => {
      const outward = source.uses.filter((used) => byPath.has(used) && layerOf(used) > layerOf(path));
      expect(outward).toEqual([]);
    },
  );

  test('every file and folder that the rules name exists', () => {
    const named = [
      ...layers.flat(),
      ...Object.keys(sidewaysImports),
      ...Object.values(sidewaysImports).flat(),
      ...topLevelFolders,
    ];
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('folders of layers 1 and 2 import one another only as listed', () => {
    const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/');
    const sideways = sources.flatMap(({ path, uses }) =>
      uses
        .filter(
          (used) =>
            byPath.has(used) &&
            layerOf(used) === layerOf(path) &&
            [1, 2].includes(layerOf(path)) &&
            folderOf(used) !== folderOf(path),
        )
        .filter((used) => !(sidewaysImports[folderOf(path)] ?? []).includes(folderOf(used)))
        .map((used) => `${path} -> ${used}`),
    );
    expect(sideways).toEqual([]);
  });

  test('the listed sideways imports form no cycle', () => {
    const reaches = (from: string, to: string): boolean =>
      (sidewaysImports[from] ?? []).some((next) => next === to || reaches(next, to));
    expect(Object.keys(sidewaysImports).filter((folder) => reaches(folder, folder))).toEqual([]);
  });

  test('the folders of layer 5 do not import one another', () => {
    const topFolderOf = (path: string): string => path.slice(0, path.indexOf('/'));
    const across = sources
      .filter(({ path }) => layerOf(path) === 5)
      .flatMap(({ path, uses }) =>
        uses
          .filter(
            (used) => byPath.has(used) && layerOf(used) === 5 && topFolderOf(used) !== topFolderOf(path),
          )
          .map((used) => `${path} -> ${used}`),
      );
    expect(across).toEqual([]);
  });

  test('the console talks to the service over HTTP alone: neither imports anything of the other, not even types', () => {
    const isConsole = (path: string): boolean => path.startsWith('console/');
    const across = sources.flatMap(({ path, uses }) =>
      uses
        .filter((used) => isConsole(path) !== isConsole(used) && used !== 'console/built')
        .map((used) => `${path} -> ${used}`),
    );
    expect(across).toEqual([]);
  });

  test('there is no cycle of imports', () => {
    expect(cycles()).toEqual([]);
  });
});

describe('files', () => {
  test('names are kebab-case and say something', () => {
    const bad = paths
      .map((path) => basename(path))
      .filter(
        (name) =>
          /\.tsx?$/.test(name) &&
          (!/^[a-z0-9]+(-[a-z0-9]+)*(\.config)?\.tsx?$/.test(name) ||
            /^(index|utils?|helpers?|common|types)\.tsx?$/.test(name)),
      );
    expect(bad).toEqual([]);
  });

  test('none is longer than 300 lines, and half of them have at most 90', () => {
    const lengths = sources.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([]);
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(90);
  });

  test('each opens with a comment that says its job', () => {
    expect(
      sources.filter(({ text }) => !text.startsWith('/**') && !text.startsWith('#!')).map(({ path }) => path),
    ).toEqual([]);
  });

  test('each is reached from an entry point: the command line, a runner, the console, a benchmark or the documentation', () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      byPath.get(path)?.uses.forEach(visit);
    };
    visit('cli/main.ts');
    visit('console/src/main.tsx');
    visit('console/vite.config.ts');
    visit('cli/packaging/build-package.ts');
    for (const entry of ['generate.ts', 'take-screenshots.ts', '.vitepress/config.ts'])
      visit(`docs/${entry}`);
    sources.filter(({ path }) => path.startsWith('bench/')).forEach(({ path }) => visit(path));
    expect(sources.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
  });
});

describe('only one place', () => {
  const offenders = (pattern: RegExp, allowed: (path: string) => boolean): string[] =>
    sources
      .filter(({ path, text }) => !allowed(path) && pattern.test(withoutComments(text)))
      .map(({ path }) => path);

  test('Kysely and the PostgreSQL driver are used in storage/ alone', () => {
    const used = sources.filter(
      ({ path, packages }) =>
        !path.startsWith('storage/') && packages.some((name) => name === 'kysely' || name === 'pg'),
    );
    // The composition root hands a database on without looking into it.
    expect(used.map(({ path }) => path)).toEqual([]);
  });

  test('process.env is read in cli/config.ts alone', () => {
    expect(offenders(/process\s*\.\s*env\b/, (path) => path === 'cli/config.ts')).toEqual([]);
  });

  test('the time is read in engine/clock.ts alone, and that of the browser in console/src/clock.ts', () => {
    const clocks = new Set(['engine/clock.ts', 'console/src/clock.ts']);
    expect(offenders(/\bDate\.now\(|\bnew Date\b|\bperformance\.now\(/, (path) => clocks.has(path))).toEqual(
      [],
    );
  });

  test('vendor words stand in the table of aliases alone', () => {
    const vendor = /databricks|dbfs|lakeview|\bgs:\/\/|\bs3:\/\/|abfss|gcp_|aws_|azure_/i;
    // The header line of notebooks is a file format; the package is a client in the tests.
    const names = /Databricks notebook source|@databricks\/sdk-experimental/g;
    const format = (path: string): boolean => path === 'engine/validation/aliases.ts';
    expect(
      sources
        .filter(({ path, text }) => !format(path) && vendor.test(text.replaceAll(names, '')))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function cycles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path) || trail.includes(path)) return;
    byPath.get(path)?.uses.forEach((used) => visit(used, [...trail, path]));
    done.add(path);
  };
  sources.forEach(({ path }) => visit(path, []));
  return found;
}
