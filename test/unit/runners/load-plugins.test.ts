/** Plugins at the start: what is loaded, and what stops the start with one line that names it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PluginError } from '../../../runners/plugin/plugin-source.ts';
import { loadPlugins } from '../../../runners/plugin/load-plugins.ts';
import { createTemporaryDirectory } from './test-context.ts';

const good = { contract: 1, kind: 'duck_task', needsCluster: true, schema: { type: 'object' } };

/** The text of a module with a plugin of these parts. */
const moduleOf = (parts: object, run = 'async () => ({ kind: "succeeded" })'): string =>
  `export const plugin = { ...${JSON.stringify(parts)}, run: ${run} };`;

async function directoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await createTemporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}

async function load(directory: string, ...names: string[]) {
  return loadPlugins(
    names.map((written) => ({ specifier: written, baseDirectory: directory })),
    { PATH: '/bin' },
  );
}

async function refusal(text: string): Promise<string> {
  const error: unknown = await load(await directoryWith({ 'p.mjs': text }), './p.mjs').catch(
    (found: unknown) => found,
  );
  expect(error).toBeInstanceOf(PluginError);
  return error instanceof Error ? error.message.replace('RUNYARD_PLUGINS names "./p.mjs", which ', '') : '';
}

test('plugins load from paths, TypeScript files, package directories and package names', async () => {
  const of = (kind: string): string => moduleOf({ ...good, kind });
  const directory = await directoryWith({
    'a.mjs': of('a_task'),
    'sub/b.ts': `const kind: string = 'b_task';\nexport const plugin = { contract: 1 as const, kind, needsCluster: false, schema: { type: 'object' }, run: async () => ({ kind: 'succeeded' }) };`,
    'node_modules/c/package.json': '{"name":"c","type":"module","exports":{"import":"./plugin.js"}}',
    'node_modules/c/plugin.js': of('c_task'),
    'node_modules/@me/d/package.json': '{"name":"@me/d","type":"module","main":"plugin.js"}',
    'node_modules/@me/d/plugin.js': of('d_task'),
    'own/package.json': '{"type":"module","exports":{".":{"import":"./lib/plugin.js"}}}',
    'own/lib/plugin.js': of('e_task'),
  });
  const kinds = await load(directory, 'a.mjs', './sub/b.ts', 'c', '@me/d', './own');
  expect(
    kinds.map(({ name, needsCluster, module }) => [
      name,
      needsCluster,
      module.slice(module.indexOf(directory) + directory.length),
    ]),
  ).toEqual([
    ['a_task', true, '/a.mjs'],
    ['b_task', false, '/sub/b.ts'],
    ['c_task', true, '/node_modules/c/plugin.js'],
    ['d_task', true, '/node_modules/@me/d/plugin.js'],
    ['e_task', true, '/own/lib/plugin.js'],
  ]);
});

test.each<[string, string, string | RegExp]>([
  [
    'another contract',
    moduleOf({ ...good, contract: 2 }),
    'is written for contract 2; this version of Runyard supports contract 1.',
  ],
  [
    'no contract',
    moduleOf({ ...good, contract: undefined }),
    'is written for contract undefined; this version of Runyard supports contract 1.',
  ],
  [
    'a kind that does not end in _task',
    moduleOf({ ...good, kind: 'duck' }),
    'has the kind "duck"; it must consist of lower-case letters, digits and "_", and end in "_task".',
  ],
  [
    'a kind that is built in',
    moduleOf({ ...good, kind: 'notebook_task' }),
    'provides the task kind notebook_task, which is built in.',
  ],
  ['a number as run', moduleOf(good, '7'), 'exports number as "run"; it must be a function.'],
  [
    'no needsCluster',
    moduleOf({ ...good, needsCluster: undefined }),
    'has undefined as "needsCluster"; it must be true or false.',
  ],
  [
    'no schema',
    moduleOf({ ...good, schema: undefined }),
    'has no JSON schema of an object as "schema"; its "type" must be "object".',
  ],
  [
    'a schema of a text',
    moduleOf({ ...good, schema: { type: 'string' } }),
    'has no JSON schema of an object as "schema"; its "type" must be "object".',
  ],
  [
    'an invalid schema',
    moduleOf({ ...good, schema: { type: 'object', required: 'a' } }),
    /^has an invalid JSON schema: schema is invalid/,
  ],
  [
    'a reference in its schema',
    moduleOf({ ...good, schema: { type: 'object', properties: { a: { $ref: '#/b' } } } }),
    'has $ref in its schema; write out the referenced part, because schemas stand alone.',
  ],
  ['no plugin', 'export const other = 1;', 'exports no object as "plugin".'],
  ['a module that throws', 'throw new Error("not today");', 'cannot be loaded: not today'],
  ['a syntax error', 'export const plugin = {', /^cannot be loaded: /],
  ['a module that ends its thread', 'process.exit(3);', 'ended its thread with code 3 while loading.'],
])('a plugin with %s is refused', async (_fact, text, message) => {
  expect(await refusal(text)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
});

test('duplicate kinds, missing files and missing packages are refused by name', async () => {
  const directory = await directoryWith({ 'a.mjs': moduleOf(good), 'b.mjs': moduleOf(good) });
  await expect(load(directory, 'a.mjs', 'b.mjs')).rejects.toThrow(
    'RUNYARD_PLUGINS names "b.mjs", which provides the task kind duck_task, as does "a.mjs".',
  );
  await expect(load(directory, './gone.mjs')).rejects.toThrow(
    /^RUNYARD_PLUGINS names ".\/gone.mjs", which cannot be loaded: Cannot find module/,
  );
  await expect(load(directory, 'no-such-package')).rejects.toThrow(
    /^RUNYARD_PLUGINS names "no-such-package", which cannot be loaded: Cannot find package/,
  );
});
